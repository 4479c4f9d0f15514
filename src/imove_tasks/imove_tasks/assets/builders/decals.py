"""Flat prints that builders stick on their objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.palette import INK, PAPER, Rgb
from imove_tasks.assets.primitives import Mesh, box, revolve

_HALF_THICKNESS_M = 0.0003


def decal(half_x: float, half_y: float) -> Mesh:
    """A thin sheet about the origin that shows a whole picture upward, its words along x."""
    return laid(box(half_x, half_y, _HALF_THICKNESS_M))


def sleeve(radius: float, start: float, stop: float, sectors: int) -> Mesh:
    """A thin label round the z axis that shows a picture on two opposite sides, see `mapping.wrapped`."""
    profile = [(radius + _HALF_THICKNESS_M, start), (radius + _HALF_THICKNESS_M, stop)]
    return wrapped(revolve(profile, sectors), around=2.0)


def turned(texture: Texture) -> Texture:
    """The picture turned by a quarter, so that words go up instead of to the right."""
    return Texture(np.rot90(texture.pixels).copy())


def print_on(base: Rgb, words: Sequence[str], *, size: tuple[int, int] = (32, 64), frame: bool = True) -> Texture:
    """Words on a ground of some colour, in dark ink on pale and pale ink on dark."""
    return textures.label(base, contrast(base), words, size=size, frame=frame)


def contrast(base: Rgb) -> Rgb:
    """Ink that can be read on a colour."""
    return INK if luminance(base) > 0.45 else PAPER


def luminance(rgb: Sequence[float]) -> float:
    """How bright a colour looks, 0 to 1 (weights of ITU-R BT.709 on sRGB values)."""
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def rgb_of(material: Material) -> Rgb:
    """The plain colour of a material."""
    red, green, blue, _ = material.rgba
    return red, green, blue
