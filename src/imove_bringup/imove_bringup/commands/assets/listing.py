"""`imove assets list`: the objects of the library, one a line."""

import json
import sys
from typing import Annotated

import typer

from imove_bringup.commands.assets import choosing
from imove_bringup.commands.options import Assets

_PIPED_WIDTH = 160


def list_assets(
    category: choosing.Category = None,
    domain: choosing.Domain = None,
    split: choosing.Split = None,
    color: choosing.Color = None,
    material: choosing.Material = None,
    shape: choosing.Shape = None,
    size: choosing.Size = None,
    tag: choosing.Tag = None,
    assets: Assets = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all that is known of each, as JSON.")] = False,
) -> None:
    """List the objects that have all that is asked for."""
    from imove_tasks.assets.library import open_library

    rows = choosing.chosen_rows(
        open_library(assets or ()).rows(),
        tag,
        category=category,
        domain=domain,
        split=split,
        color=color,
        material=material,
        shape=shape,
        size_bucket=size,
    )
    if as_json:
        typer.echo(json.dumps([row.model_dump(mode="json") for row in rows], indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("id", "name", "size", "cm", "g", "split"):
        table.add_column(title, no_wrap=title != "name", justify="right" if title in ("cm", "g") else "left")
    for row in rows:
        sides = "x".join(f"{side * 100:.1f}" for side in row.extents_m)
        table.add_row(row.uuid[:8], row.name, row.size_bucket, sides, f"{row.mass_kg * 1000:.0f}", row.split)
    # A file or a pipe has no width of its own.
    console = Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)
    console.print(table)
    console.print(f"objects: {len(rows)}, categories: {len({row.category for row in rows})}")
