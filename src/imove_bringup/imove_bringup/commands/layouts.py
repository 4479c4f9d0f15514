"""`imove layouts`: writes layouts of rviz2 and Foxglove for rigs."""

from pathlib import Path
from typing import Annotated

import typer


def layouts(
    out: Annotated[Path, typer.Option(help="Folder that gets the files.")],
    rig: Annotated[list[str] | None, typer.Option(help="Shipped rig, or a .yaml file; all shipped ones.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write layouts of rviz2 and of Foxglove or Lichtblick for rigs, in simulation and on the real table."""
    import json

    from imove_bringup.layouts.files import layout_files, write
    from imove_core.rig import load_rig, rig_names

    files: dict[str, str] = {}
    for name in rig or rig_names():
        files |= layout_files(load_rig(name))
    written = [str(path) for path in write(out, files)]
    typer.echo(
        json.dumps({"written": written}, indent=2) if as_json else "\n".join(f"wrote {path}" for path in written)
    )
