"""Pictures of single assets: on a table in soft light, or unlit for measuring colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from imove_sim_bridge.object_bodies import add_visuals
from imove_sim_bridge.surfaces import VISUAL_GROUP
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.model import Asset

Pixels = NDArray[np.uint8]

TABLE_RGBA = (0.72, 0.66, 0.58, 1.0)
FIELD_OF_VIEW_DEG = 30.0
_CAPTION_PX = 16


@dataclass(frozen=True)
class View:
    """Where a camera stands about an object.

    Attributes:
        azimuth_deg: About z; 0 looks from the +x side, 90 from the +y side.
        elevation_deg: Above the horizon; 90 looks straight down, -90 straight up.
    """

    azimuth_deg: float
    elevation_deg: float


OBLIQUE = View(-25.0, 50.0)
ABOVE = View(0.0, 89.9)
CANONICAL_VIEWS: dict[str, View] = {
    "front": View(0.0, 0.0), "back": View(180.0, 0.0), "left": View(90.0, 0.0), "right": View(-90.0, 0.0),
    "top": View(0.0, 89.9), "bottom": View(0.0, -89.9),
}  # fmt: skip


class Studio:
    """One compiled asset and a renderer; close it, or use it in a `with` block."""

    def __init__(
        self, asset: Asset, *, size_px: int = 224, table: bool = True, finish: str = "", opaque: bool = False
    ) -> None:
        """Compiles the asset at rest in its made pose.

        Args:
            asset: What to look at.
            size_px: Height and width of all pictures.
            table: Puts a table below it.
            finish: Finish of its dominant material; empty for the usual one.
            opaque: Draws glass and the like as if one could not see through them.

        Raises:
            AssetError: The material has no such finish.
        """
        visuals = asset.finished(finish) if finish else asset.visuals
        self._model = _compile(asset, _opaque(visuals) if opaque else visuals, size_px, table)
        self._data = mujoco.MjData(self._model)
        mujoco.mj_forward(self._model, self._data)
        self._renderer = mujoco.Renderer(self._model, size_px, size_px)
        self._distance = 0.55 * float(np.linalg.norm(asset.extents)) / np.tan(np.radians(FIELD_OF_VIEW_DEG / 2.0))

    def close(self) -> None:
        """Frees the renderer."""
        self._renderer.close()

    def __enter__(self) -> Studio:
        """Itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes."""
        self.close()

    def picture(self, view: View) -> Pixels:
        """What a camera sees in soft light, (H, W, 3) uint8 RGB."""
        self._look(view)
        return self._renderer.render().copy()

    def turntable(self, count: int, elevation_deg: float = OBLIQUE.elevation_deg) -> list[Pixels]:
        """Pictures from `count` sides."""
        return [self.picture(View(360.0 * index / count, elevation_deg)) for index in range(count)]

    def albedo(self, view: View) -> tuple[Pixels, NDArray[np.bool_]]:
        """Colours without light or shade, (H, W, 3) uint8 RGB, and the (H, W) mask of the object's pixels."""
        with self._unlit():
            self._look(view)
            pixels = self._renderer.render().copy()
        return pixels, self.meshes(view) >= 0

    def meshes(self, view: View) -> NDArray[np.intp]:
        """(H, W) index of the asset's mesh that each pixel shows, -1 for none."""
        self._renderer.enable_segmentation_rendering()
        self._look(view)
        geoms = self._renderer.render()[..., 0].copy()
        self._renderer.disable_segmentation_rendering()
        visual = np.append(self._model.geom_group == VISUAL_GROUP, False)
        return np.where(visual, np.cumsum(visual) - 1, -1)[geoms]

    @contextmanager
    def _unlit(self) -> Iterator[None]:
        light = self._model.vis.headlight
        before = light.ambient.copy(), light.diffuse.copy()
        active = self._model.light_active.copy()
        light.ambient[:], light.diffuse[:] = 1.0, 0.0
        self._model.light_active[:] = 0
        yield
        light.ambient[:], light.diffuse[:] = before
        self._model.light_active[:] = active

    def _look(self, view: View) -> None:
        camera = mujoco.MjvCamera()
        camera.lookat[:] = 0.0
        camera.distance = self._distance
        camera.azimuth, camera.elevation = view.azimuth_deg + 180.0, -view.elevation_deg
        self._renderer.update_scene(self._data, camera)


def _opaque(visuals: Sequence[VisualMesh]) -> list[VisualMesh]:
    return [replace(mesh, material=replace(mesh.material, rgba=(*mesh.material.rgba[:3], 1.0))) for mesh in visuals]


def _compile(asset: Asset, visuals: Sequence[VisualMesh], size_px: int, table: bool) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth = spec.visual.global_.offheight = size_px
    spec.visual.global_.fovy = FIELD_OF_VIEW_DEG
    spec.visual.headlight.ambient = [0.45] * 3
    spec.visual.headlight.diffuse = [0.35] * 3
    spec.visual.headlight.specular = [0.0] * 3
    spec.visual.map.znear = 0.01
    spec.stat.extent = 1.0
    world = spec.worldbody
    world.add_light(pos=[0.3, 0.4, 1.0], dir=[-0.3, -0.4, -1.0], diffuse=[0.4] * 3, castshadow=True)
    if table:
        world.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, 1, 0.01], pos=[0, 0, asset.box_min[2] - 0.01], rgba=TABLE_RGBA
        )
    add_visuals(spec, world, "asset", visuals)
    return spec.compile()


def contact_sheet(assets: Sequence[Asset], *, columns: int, view: View = OBLIQUE, tile_px: int = 224) -> Image.Image:
    """One captioned tile for each asset."""
    rows = -(-len(assets) // columns)
    sheet = Image.new("RGB", (columns * tile_px, rows * (tile_px + _CAPTION_PX)), "white")
    pen = ImageDraw.Draw(sheet)
    for index, asset in enumerate(assets):
        x, y = index % columns * tile_px, index // columns * (tile_px + _CAPTION_PX)
        with Studio(asset, size_px=tile_px) as studio:
            sheet.paste(Image.fromarray(studio.picture(view)), (x, y))
        pen.text((x + 3, y + tile_px + 2), asset.name, fill="black")
    return sheet
