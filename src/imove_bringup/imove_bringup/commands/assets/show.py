"""`imove assets show` and `imove assets sheet`: pictures of objects."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_bringup.arguments import POSITIVE
from imove_bringup.commands.assets import choosing
from imove_bringup.commands.options import Assets, checked_option
from imove_core.errors import ImoveError

if TYPE_CHECKING:
    from PIL import Image

    from imove_tasks.assets.model import Asset
    from imove_tasks.assets.rows import Row

_SIDES = 8
_COLUMNS = 3


def show(
    asset: Annotated[
        str, typer.Argument(metavar="ASSET", help="Id, the beginning of one, or a category for its first object.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Picture to write; <category>-<id>.png by itself.")
    ] = None,
    assets: Assets = None,
) -> None:
    """Print the record of an object, and draw it from eight sides and from above."""
    import numpy as np
    from PIL import Image

    from imove_sim_bridge.gl import check_gl
    from imove_sim_bridge.studio import ABOVE, Studio
    from imove_tasks.assets.library import open_library

    library = open_library(assets or ())
    row = choosing.one_row(library, asset)
    target = _png(out or Path(f"{row.category}-{row.uuid[:8]}.png"))
    check_gl()
    shown = library.get(row.uuid)
    with Studio(shown) as studio:
        tiles = [*studio.turntable(_SIDES), studio.picture(ABOVE)]
    lines = [np.concatenate(tiles[start : start + _COLUMNS], axis=1) for start in range(0, len(tiles), _COLUMNS)]
    _write_png(Image.fromarray(np.concatenate(lines, axis=0)), target)
    _print_record(row, shown)
    typer.echo(f"\n{target}")


def sheet(
    out: Annotated[Path, typer.Option(metavar="PNG", help="Picture to write.")],
    instances: Annotated[int, checked_option("--instances", POSITIVE, "N", "Objects of each category.")] = 1,
    columns: Annotated[int, checked_option("--columns", POSITIVE, "N", "Objects in a row.")] = 10,
    category: choosing.Category = None,
    domain: choosing.Domain = None,
    split: choosing.Split = None,
    color: choosing.Color = None,
    material: choosing.Material = None,
    shape: choosing.Shape = None,
    size: choosing.Size = None,
    tag: choosing.Tag = None,
    assets: Assets = None,
) -> None:
    """Draw the first objects of every category, one beside the other, with their names."""
    from PIL import Image
    from rich.progress import track

    from imove_sim_bridge.gl import check_gl
    from imove_sim_bridge.studio import contact_sheet
    from imove_tasks.assets.library import open_library

    target = _png(out)
    library = open_library(assets or ())
    found: dict[str, list[str]] = {}
    for row in choosing.chosen_rows(
        library.rows(),
        tag,
        category=category,
        domain=domain,
        split=split,
        color=color,
        material=material,
        shape=shape,
        size_bucket=size,
    ):
        found.setdefault(row.category, []).append(row.uuid)
    uuids = [uuid for group in found.values() for uuid in group[:instances]]
    if not uuids:
        raise ImoveError("no object has all that was asked for; see `imove assets list`")
    check_gl()
    columns = min(columns, len(uuids))
    strips = [
        contact_sheet([library.get(uuid) for uuid in uuids[start : start + columns]], columns=columns)
        for start in track(range(0, len(uuids), columns), description="drawing objects")
    ]
    whole = Image.new("RGB", (strips[0].width, sum(strip.height for strip in strips)))
    top = 0
    for strip in strips:
        whole.paste(strip, (0, top))
        top += strip.height
    _write_png(whole, target)
    typer.echo(f"{target}: objects: {len(uuids)}, categories: {len(found)}")


def _png(path: Path) -> Path:
    if path.suffix != ".png":
        raise ImoveError(f"out is {path}; a file that ends in .png is needed")
    return path


def _write_png(image: "Image.Image", path: Path) -> None:
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(partial, format="PNG")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ImoveError(f"{path} cannot be written: {error}") from error


def _print_record(row: "Row", asset: "Asset") -> None:
    """All words and numbers of an object, geometry summed up."""
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    along, across, tall = (f"{value * 100:.1f}" for value in row.extents_m)
    faces = sum(len(mesh.faces) for mesh in asset.visuals)
    lines = {
        "name": row.name,
        "id": row.uuid,
        "category": f"{row.category} ({row.domain} / {row.super_category})",
        "description": asset.description,
        "colour, shape, material": f"{row.color}, {row.shape}, {row.material}",
        "finishes": ", ".join(asset.finishes),
        "size": f"{row.size_bucket}, {along} x {across} x {tall} cm",
        "mass": f"{row.mass_kg * 1000:.0f} g",
        "friction": f"{asset.friction} sliding, {asset.rolling_friction * 1000:.2g} mm rolling",
        "tags": ", ".join(row.tags) or "none",
        "grips": _grips_text([grip.opening_m for grip in asset.grips]),
        "stable poses": f"{len(asset.stable_poses)}",
        "mesh": f"{faces} faces in {len(asset.visuals)} materials, {len(asset.collisions)} contact parts",
        "split": row.split,
        "content hash": row.content_hash,
        "origin": row.origin,
    }
    for name, text in lines.items():
        table.add_row(name, text)
    for partition in ("seen", "unseen"):
        texts = [expression.text for expression in asset.expressions if expression.partition == partition]
        table.add_row(f"called ({partition})", "; ".join(texts))
    Console().print(table)


def _grips_text(openings_m: list[float]) -> str:
    if not openings_m:
        return "none"
    return f"{len(openings_m)}, jaw opening {min(openings_m) * 1000:.0f} to {max(openings_m) * 1000:.0f} mm"
