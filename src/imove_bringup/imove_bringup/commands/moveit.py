"""`imove moveit`: writes the MoveIt configuration of rigs."""

from pathlib import Path
from typing import Annotated

import typer

STALE = 1
"""Exit status where --check finds a file that differs."""


def moveit(
    out: Annotated[Path, typer.Option(help="Folder that gets one folder a rig.")],
    rig: Annotated[list[str] | None, typer.Option(help="Shipped rig, or a .yaml file; all shipped ones.")] = None,
    check: Annotated[bool, typer.Option(help="Write nothing; exit 1 if a file differs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write SRDF, kinematics, limits and planning pipelines of rigs for MoveIt, or check that they are up to date."""
    import json

    from rich.console import Console
    from rich.progress import track

    from imove_bringup.moveit_config import moveit_rig
    from imove_core.rig import load_rig, rig_names
    from imove_description.generate import stale_files, write_files
    from imove_description.moveit.files import moveit_files

    rigs = [load_rig(name) for name in rig or rig_names()]
    changed: list[str] = []
    # The bar goes to stderr: stdout is for paths.
    for item in track(rigs, "sampling collisions", console=Console(stderr=True), transient=True):
        files = moveit_files(moveit_rig(item))
        changed += stale_files(out, files) if check else write_files(out, files)
    if as_json:
        typer.echo(json.dumps({"stale" if check else "written": changed}, indent=2))
    else:
        for path in changed:
            typer.echo(f"{'stale' if check else 'wrote'} {path}")
    if check and changed:
        raise typer.Exit(STALE)
