"""`imove bag verify`."""

from pathlib import Path
from typing import Annotated

import typer


def verify(
    bags: Annotated[list[Path], typer.Argument(help="Bags, MCAP files, or folders of data sets.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read bags whole and name every fault: damage, missing topics, clocks, joints, numbers; exit 1 on any."""
    import json

    from rich.console import Console
    from rich.progress import track

    from imove_core.bag import verify as verification
    from imove_core.bag.reader import find_bags

    paths = [path for given in bags for path in find_bags(given)]
    console = Console(stderr=True)
    faults: dict[Path, list[str]] = {}
    for path in track(paths, description="verifying", console=console):
        faults[path] = verification.verify(path)
        if not as_json:
            for fault in faults[path]:
                typer.echo(f"{path}: {fault}")
    faulty = sum(bool(found) for found in faults.values())
    if as_json:
        rows = [{"bag": str(path), "faults": found} for path, found in faults.items()]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        typer.echo(f"{len(paths)} bags, {faulty} with faults")
    if faulty:
        raise typer.Exit(1)
