"""`imove card`: the result card of a policy."""

from pathlib import Path
from typing import Annotated

import typer


def card(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs of one policy, or of a protocol's.")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder of card.json and card.md; that of the first run.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample of episodes that others can check.")] = 0,
) -> None:
    """Write one page about a policy's results that others can check with `imove eval --verify card.json`."""
    import numpy as np

    from imove_analysis.card import write_card
    from imove_analysis.runs import find_runs, open_run
    from imove_core.errors import ImoveError

    found = list(dict.fromkeys(run for folder in folders for run in find_runs(folder)))
    if not found:
        raise ImoveError(f"there is no run in {', '.join(str(folder) for folder in folders)}")
    for path in write_card([open_run(folder) for folder in found], out or folders[0], np.random.default_rng(seed)):
        typer.echo(f"written: {path}")
