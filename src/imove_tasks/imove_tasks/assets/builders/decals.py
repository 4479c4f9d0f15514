"""Flat prints that builders stick on their objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import SIGN_M, luminance, rgb_of
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.palette import INK, PAPER, Rgb
from imove_tasks.assets.primitives import Mesh, box, revolve


def decal(half_x: float, half_y: float) -> Mesh:
    """A thin sheet about the origin that shows a whole picture upward, its words along x."""
    return laid(box(half_x, half_y, SIGN_M))


def sleeve(radius: float, start: float, stop: float, sectors: int) -> Mesh:
    """A thin label round the z axis that shows a picture on two opposite sides, see `mapping.wrapped`."""
    profile = [(radius + SIGN_M, start), (radius + SIGN_M, stop)]
    return wrapped(revolve(profile, sectors), around=2.0)


def turned(texture: Texture) -> Texture:
    """The picture turned by a quarter, so that words go up instead of to the right."""
    return Texture(np.rot90(texture.pixels).copy())


def print_on(base: Rgb, words: Sequence[str], *, size: tuple[int, int] = (32, 64), frame: bool = True) -> Texture:
    """Words on a ground of some colour, in dark ink on pale and pale ink on dark."""
    return textures.label(base, contrast(base), words, size=size, frame=frame)


def lettered(paint: Material, word: str, *, size: tuple[int, int] | None = None) -> Material:
    """A word on a ground of a paint's own colour and kind; ``size`` is the picture's, pixels, None for a usual one."""
    fitting = size or (24, 64 if len(word) > 3 else 40)
    return textures.painted(print_on(rgb_of(paint), [word], size=fitting, frame=False), paint.name)


def contrast(base: Rgb) -> Rgb:
    """Ink that can be read on a colour."""
    return INK if luminance(base) > 0.45 else PAPER
