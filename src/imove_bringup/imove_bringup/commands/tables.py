"""`imove tables`: results of runs in the layouts of the paper's Tables 2 to 5."""

from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import choice
from imove_bringup.commands.options import checked_option
from imove_bringup.commands.run_folders import folders_of_runs
from imove_tasks.stages import RUBRICS

_FORMATS = ("text", "markdown", "csv", "latex")


def tables(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or folders that hold folders of runs.")
    ],
    form: Annotated[str, checked_option("--format", choice(_FORMATS), "NAME", "How they are written.")] = "text",
    rubric: Annotated[str, checked_option("--rubric", choice(RUBRICS), "NAME", "Which rules count.")] = "strict",
    intervals: Annotated[bool, typer.Option("--intervals", help="Show 95 % Wilson intervals.")] = False,
    mixed: Annotated[
        bool,
        typer.Option("--mixed", help="Take runs that differ in what decides results; each table then says in what."),
    ] = False,
) -> None:
    """Print results in the layouts of the paper's Tables 2 to 5, from episodes.jsonl and provenance.json alone."""
    from imove_analysis.runs import open_run
    from imove_analysis.tables import PaperTable, paper_tables

    runs = [open_run(folder) for folder in folders_of_runs(folders)]
    made = paper_tables(runs, mixed=mixed, rubric=rubric, intervals=intervals)
    if form == "csv":
        # One file of figures, with one line of heads.
        head, *_ = made[0].csv().splitlines(keepends=True)
        typer.echo(head + "".join("".join(table.csv().splitlines(keepends=True)[1:]) for table in made), nl=False)
        return
    write = {"text": PaperTable.text, "markdown": PaperTable.markdown, "latex": PaperTable.latex}[form]
    typer.echo("\n".join(map(write, made)), nl=False)
