"""`imove language`: whether the policy of a run does what it is told."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import SEED
from imove_bringup.commands.options import checked_option
from imove_bringup.commands.run_folders import tell_problems


def language(
    run: Annotated[Path, typer.Argument(help="Folder of a run of several conditions, from imove eval.")],
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Seed of resampling and permutations.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say whether a policy follows language: dependence, grounding, false activation, robustness, with intervals."""
    import numpy as np
    from rich.console import Console

    from imove_analysis.language import language_dependence
    from imove_analysis.language.tables import language_tables
    from imove_analysis.runs import open_run

    opened = open_run(run)
    with Console(stderr=True).status(f"resampling {len(opened.episodes)} episodes"):
        data = language_dependence(opened, np.random.default_rng(seed))
    if as_json:
        typer.echo(json.dumps({**data, "problems": list(opened.problems)}, indent=2))
        return
    console = Console()
    tell_problems(opened.problems)
    console.print(data["verdict"]["sentence"], highlight=False, markup=False)
    for table in language_tables(data):
        console.print(table)
    for note in data["notes"]:
        console.print(note, highlight=False, markup=False)
