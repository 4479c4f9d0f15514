"""Draws a contact sheet of the library: `python -m imove_tasks.assets.sheet OUT.png [--per-category N]`.

Needs mujoco and Pillow, which the package itself does not.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.assets.vocabulary import MATERIALS

_TILE_PX = 200
_CAPTION_PX = 16


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line and writes the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="picture to write")
    parser.add_argument("--per-category", type=int, default=1, help="instances of each category to show")
    parser.add_argument("--columns", type=int, default=8, help="tiles in a row")
    parser.add_argument("--elevation", type=float, default=-50.0, help="camera elevation, degrees below the horizon")
    parser.add_argument("--categories", nargs="*", help="only these categories")
    options = parser.parse_args(arguments)
    library = AssetLibrary.generate()
    names = options.categories or library.categories()
    assets = [asset for name in names for asset in library.in_category(name)[: options.per_category]]
    contact_sheet(assets, columns=options.columns, elevation_deg=options.elevation).save(options.out)


def contact_sheet(assets: list[Asset], *, columns: int, elevation_deg: float) -> Any:
    """One captioned tile for each asset, as a Pillow image."""
    from PIL import Image, ImageDraw

    rows = -(-len(assets) // columns)
    sheet = Image.new("RGB", (columns * _TILE_PX, rows * (_TILE_PX + _CAPTION_PX)), "white")
    pen = ImageDraw.Draw(sheet)
    for index, asset in enumerate(assets):
        x, y = index % columns * _TILE_PX, index // columns * (_TILE_PX + _CAPTION_PX)
        sheet.paste(Image.fromarray(picture(asset, elevation_deg=elevation_deg)), (x, y))
        pen.text((x + 3, y + _TILE_PX + 2), asset.name, fill="black")
    return sheet


def picture(asset: Asset, *, elevation_deg: float) -> NDArray[np.uint8]:
    """The asset on a table, seen from the +x side; (H, W, 3) uint8 RGB."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.headlight.diffuse = [0.35, 0.35, 0.35]
    world = spec.worldbody
    world.add_light(pos=[0.3, 0.4, 1.0], dir=[-0.3, -0.4, -1.0], diffuse=[0.4, 0.4, 0.4], castshadow=True)
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, 1, 0.01], pos=[0, 0, asset.box_min[2] - 0.01],
        rgba=[0.72, 0.66, 0.58, 1],
    )  # fmt: skip
    for index, mesh in enumerate(asset.visuals):
        kind = MATERIALS[mesh.material.name]
        name = f"visual{index}"
        spec.add_mesh(
            name=name, uservert=mesh.vertices.ravel(), userface=mesh.faces.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )  # fmt: skip
        spec.add_material(name=name, rgba=mesh.material.rgba, specular=kind.specular, shininess=kind.shininess)
        world.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = 0.0
    camera.distance = 2.0 * max(0.1, float(np.linalg.norm(asset.extents)))
    camera.azimuth, camera.elevation = 180.0 - 25.0, elevation_deg
    with mujoco.Renderer(model, _TILE_PX, _TILE_PX) as renderer:
        renderer.update_scene(data, camera)
        pixels: NDArray[np.uint8] = renderer.render().copy()
        return pixels


if __name__ == "__main__":
    main()
