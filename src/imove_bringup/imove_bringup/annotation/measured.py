"""What pictures and geometry say of an object, for comparison with what a model says."""

from __future__ import annotations

import io
from collections import defaultdict
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from pydantic import Field

from imove_core.values import FrozenValue
from imove_sim_bridge.studio import ABOVE, CANONICAL_VIEWS, Studio, View
from imove_tasks.assets.model import Asset, SizeBucket
from imove_tasks.assets.vocabulary import color_word

TILE_PX = 320
_CAPTION_PX = 24
_COLUMNS = 3
_BACKGROUND = (208, 212, 216)
# As a camera above the table sees it: from straight above and from four sides; `assets.measure` labels likewise.
_MEASURING_VIEWS = (ABOVE, *(View(azimuth_deg, 45.0) for azimuth_deg in (0.0, 90.0, 180.0, 270.0)))
_SHADE_BITS = 3  # colours are told apart to 8 of 256 steps, which keeps the count of different ones small


class Measured(FrozenValue):
    """Facts about an object that no model was asked for.

    Attributes:
        color_shares: Colour words by share of the visible pixels, largest first.
        extents_m: Size of its box along x, y, z as it stands.
        size_bucket: By its longest side.
        mass_kg: Mass.
        is_graspable: Whether a grip was found.
        is_container: Whether a free floor was found.
    """

    color_shares: Annotated[tuple[tuple[str, float], ...], Field(min_length=1)]
    extents_m: tuple[float, float, float]
    size_bucket: SizeBucket
    mass_kg: float
    is_graspable: bool
    is_container: bool

    @property
    def color(self) -> str:
        """The colour word of most pixels."""
        return self.color_shares[0][0]


def look_at(asset: Asset) -> tuple[Measured, bytes]:
    """Measures an asset and composes its six canonical views.

    Returns:
        The measurements, and one PNG with captioned views in two rows on a plain ground.
    """
    with Studio(asset, size_px=TILE_PX, table=False) as studio:
        shares = color_shares([studio.albedo(view) for view in _MEASURING_VIEWS])
        sheet = _compose({name: _on_ground(studio, view) for name, view in CANONICAL_VIEWS.items()})
    along, across, tall = (float(value) for value in asset.extents)
    measured = Measured(
        color_shares=shares,
        extents_m=(along, across, tall),
        size_bucket=asset.size_bucket,
        mass_kg=asset.mass_kg,
        is_graspable=bool(asset.grips),
        is_container=asset.region is not None,
    )
    return measured, sheet


def color_shares(views: list[tuple[NDArray[np.uint8], NDArray[np.bool_]]]) -> tuple[tuple[str, float], ...]:
    """Colour words by share of an object's pixels, averaged over views that show it; largest first.

    Args:
        views: (H, W, 3) uint8 RGB without light or shade, and the (H, W) mask of the object, for each view.
    """
    totals: dict[str, float] = defaultdict(float)
    shown = [pixels[mask] for pixels, mask in views if mask.any()]
    for pixels in shown:
        colors, counts = np.unique(pixels >> _SHADE_BITS, axis=0, return_counts=True)
        middles = ((colors.astype(np.float64) + 0.5) * 2**_SHADE_BITS) / 256.0
        for color, count in zip(middles, counts, strict=True):
            totals[color_word(color.tolist())] += float(count) / len(pixels) / len(shown)
    ranked = sorted(totals.items(), key=lambda item: (-round(item[1], 4), item[0]))
    return tuple((word, round(share, 4)) for word, share in ranked)


def _on_ground(studio: Studio, view: View) -> Image.Image:
    """The lit object on a plain ground, so that a black one shows too."""
    _, mask = studio.albedo(view)
    return Image.fromarray(np.where(mask[..., None], studio.picture(view), np.array(_BACKGROUND, dtype=np.uint8)))


def _compose(tiles: dict[str, Image.Image]) -> bytes:
    rows = -(-len(tiles) // _COLUMNS)
    sheet = Image.new("RGB", (_COLUMNS * TILE_PX, rows * (TILE_PX + _CAPTION_PX)), "white")
    pen = ImageDraw.Draw(sheet)
    for index, (name, tile) in enumerate(tiles.items()):
        x, y = index % _COLUMNS * TILE_PX, index // _COLUMNS * (TILE_PX + _CAPTION_PX)
        pen.text((x + 8, y + 2), name, fill="black", font_size=_CAPTION_PX - 6)
        sheet.paste(tile, (x, y + _CAPTION_PX))
    file = io.BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()
