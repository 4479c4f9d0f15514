"""`imove bag check`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.commands.options import Assets


def check(
    episodes: Annotated[list[Path], typer.Argument(help="Episode bags, .mcap files, or folders with bags.")],
    assets: Assets = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Replay recorded commands in the simulator from the recorded start; exit 1 when a bag does not come out the same.

    On the engine of the recording every state must be the same to the last bit, on another one the stage events. Bags
    that were recorded in real time are scored again from their own states.
    """
    from rich.console import Console
    from rich.progress import track

    from imove_bringup.replay.checking import EpisodeChecker
    from imove_core.bag.reader import find_bags
    from imove_tasks.assets.library import open_library

    paths = [path for given in episodes for path in find_bags(given)]
    checker = EpisodeChecker(open_library(assets or ()))
    bags = track(paths, description="checking", console=Console(stderr=True))
    found = [checker.check(path) for path in bags]
    checker.close()
    if as_json:
        typer.echo(json.dumps([item.to_record() for item in found], indent=2))
    else:
        for item in found:
            typer.echo(item.line())
        verified = sum(item.verified for item in found)
        typer.echo(f"{verified} of {len(found)} episode bags verified")
    if not all(item.verified for item in found):
        raise typer.Exit(1)
