"""`imove tables`: results of runs in the layouts of the paper's Tables 2 to 5."""

from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import choice
from imove_bringup.commands.options import checked_option

_FORMATS = ("text", "markdown", "csv", "latex")
_RUBRICS = ("strict", "reference")


def tables(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or folders that hold folders of runs.")
    ],
    form: Annotated[str, checked_option("--format", choice(_FORMATS), "NAME", "How they are written.")] = "text",
    rubric: Annotated[str, checked_option("--rubric", choice(_RUBRICS), "NAME", "Which rules count.")] = "strict",
    intervals: Annotated[bool, typer.Option("--intervals", help="Show 95 % Wilson intervals.")] = False,
    mixed: Annotated[
        bool,
        typer.Option("--mixed", help="Take runs that differ in what decides results; each table then says in what."),
    ] = False,
) -> None:
    """Print results in the layouts of the paper's Tables 2 to 5, from episodes.jsonl and provenance.json alone."""
    from imove_analysis.runs import find_runs, open_run
    from imove_analysis.tables import paper_tables
    from imove_core.errors import ImoveError

    found = list(dict.fromkeys(run for folder in folders for run in find_runs(folder)))
    if not found:
        raise ImoveError(f"there is no run in {', '.join(str(folder) for folder in folders)}")
    made = paper_tables([open_run(folder) for folder in found], mixed=mixed, rubric=rubric, intervals=intervals)
    if form == "csv":
        # One file of figures, with one line of heads.
        head, *_ = made[0].csv().splitlines(keepends=True)
        typer.echo(head + "".join("".join(table.csv().splitlines(keepends=True)[1:]) for table in made), nl=False)
        return
    write = {"text": "text", "markdown": "markdown", "latex": "latex"}[form]
    typer.echo("\n".join(getattr(table, write)() for table in made), nl=False)
