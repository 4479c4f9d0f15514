"""`imove failures`: where the policy of a run fails, and what misled it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.commands.run_folders import tell_problems


def failures(
    run: Annotated[Path, typer.Argument(help="Folder of a run, from imove eval.")],
    class_name: Annotated[
        str, typer.Option("--class", metavar="NAME", help="List only episodes of this class, e.g. slipped; or success.")
    ] = "",
    condition: Annotated[str, typer.Option(help="List only episodes under this condition.")] = "",
    scene: Annotated[str, typer.Option(help="List only episodes of this scene.")] = "",
    object_name: Annotated[
        str, typer.Option("--object", help="List only episodes about this phrase or category, named or acted on.")
    ] = "",
    order: Annotated[
        str, typer.Option("--rank", metavar="NAME", help="What comes first in the list: surprise, cues or scene.")
    ] = "surprise",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; with the listed episodes alone.")] = False,
) -> None:
    """Class each episode whose text names an object, and show what was taken for what, and which cues misled."""
    from rich.console import Console

    from imove_analysis.failures import CLASSES, RANKS, choose, rank, traces_of
    from imove_analysis.failures import failures as failures_of
    from imove_analysis.failures.tables import failure_tables
    from imove_analysis.runs import open_run
    from imove_core.errors import unknown_name
    from imove_core.spec import CONDITIONS

    if class_name and class_name not in CLASSES:
        raise unknown_name("class of episodes", class_name, CLASSES)
    if condition and condition not in CONDITIONS:
        raise unknown_name("condition", condition, CONDITIONS)
    if order not in RANKS:
        raise unknown_name("order of failures", order, RANKS)
    opened = open_run(run)
    with Console(stderr=True).status(f"classing {len(opened.episodes)} episodes"):
        table = failures_of(opened, traces_of(opened))
    chosen = choose(
        table.episodes if class_name else table.failed,
        classes=[class_name] if class_name else (),
        objects=[object_name] if object_name else (),
        conditions=[condition] if condition else (),
        scenes=[scene] if scene else (),
    )
    shown = rank(chosen, table.episodes, order)
    if as_json:
        record = {**table.to_record(), "episodes": [episode.to_record() for episode in shown]}
        typer.echo(json.dumps({**record, "problems": [*opened.problems, *table.problems]}, indent=2))
        return
    tell_problems((*opened.problems, *table.problems))
    console = Console()
    for made in failure_tables(table, shown):
        console.print(made)
    if not shown:
        console.print("no episode to list", highlight=False)
    for reason, count in table.left_out.items():
        console.print(f"left out: {count} episodes: {reason}", highlight=False, markup=False)
    uncertain = sum(not episode.certain for episode in table.episodes)
    if uncertain:
        console.print(f"{uncertain} classes end with ?: without a trace a finer one cannot be told")
