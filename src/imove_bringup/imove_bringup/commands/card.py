"""`imove card`: the result card of a policy."""

from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import SEED
from imove_bringup.commands.options import checked_option
from imove_bringup.commands.run_folders import folders_of_runs


def card(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs of one policy, or of a protocol's.")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder of card.json and card.md; that of the first run.")] = None,
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Of the sample of episodes that others can check.")] = 0,
) -> None:
    """Write one page about a policy's results that others can check with `imove eval --verify card.json`."""
    import numpy as np

    from imove_analysis.card import write_card
    from imove_analysis.runs import open_run

    runs = [open_run(folder) for folder in folders_of_runs(folders)]
    for path in write_card(runs, out or folders[0], np.random.default_rng(seed)):
        typer.echo(f"written: {path}")
