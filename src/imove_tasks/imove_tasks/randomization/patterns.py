"""Procedural surfaces by name: pictures that repeat without a seam and have a given mean colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import unknown_name
from imove_tasks.randomization.noise import Field, cells, fractal, grid

SIZE_PX = 256
Rgb = tuple[float, float, float]
Paint = Callable[[np.random.Generator, Field], Field]
"""Takes a generator and a mean colour (3,), returns (size, size, 3) colours."""
_KEPT = 64


@dataclass(frozen=True)
class Pattern:
    """A kind of surface.

    Attributes:
        paint: Draws it; None for a surface of one colour.
        tile_m: Side of the piece of surface that the picture shows.
        colors: Mean colours that it comes in.
        specular: Strength of highlights, 0 to 1.
        shininess: Sharpness of highlights, 0 to 1.
    """

    paint: Paint | None
    tile_m: float
    colors: tuple[Rgb, ...]
    specular: float = 0.1
    shininess: float = 0.2


def _shaded(rgb: Field, shade: Field) -> Field:
    return rgb * shade[..., None]


def _wood(rng: np.random.Generator, rgb: Field) -> Field:
    _, v = grid(SIZE_PX)
    warp = fractal(rng, SIZE_PX, 2.0, (5.0, 1.0))
    rings = 0.5 + 0.5 * np.sin(2.0 * np.pi * (8.0 * v + 0.7 * warp))
    pores = fractal(rng, SIZE_PX, 0.6, (24.0, 1.0))
    return _shaded(rgb, 0.92 + 0.14 * rings**2 + 0.035 * pores)


def _planks(rng: np.random.Generator, rgb: Field) -> Field:
    boards = 6
    u, v = grid(SIZE_PX)
    board = np.minimum((v * boards).astype(int), boards - 1)
    joint = rng.random(boards)[board]
    within_u, within_v = np.mod(u + joint, 1.0), np.mod(v * boards, 1.0)
    half = (within_u > 0.5).astype(int)
    tone = rng.uniform(0.84, 1.12, (boards, 2))[board, half]
    grain = fractal(rng, SIZE_PX, 0.8, (20.0, 1.0))
    seam = (within_v < 0.05) | (np.mod(within_u, 0.5) < 0.008)
    return _shaded(rgb, np.where(seam, 0.55, tone + 0.05 * grain))


def _marble(rng: np.random.Generator, rgb: Field) -> Field:
    cloud = fractal(rng, SIZE_PX, 1.8)
    ridge = np.abs(fractal(rng, SIZE_PX, 1.7) + 0.35 * cloud)
    vein = np.exp(-((ridge / 0.07) ** 2)) + 0.4 * np.exp(-((ridge / 0.3) ** 2))
    ink = np.array([0.42, 0.43, 0.45])
    share = np.clip(0.45 * vein * (0.6 + 0.3 * cloud), 0.0, 0.7)[..., None]
    picture: Field = (1.0 - share) * _shaded(rgb, 1.0 + 0.025 * cloud) + share * ink
    return picture


def _linen(rng: np.random.Generator, rgb: Field) -> Field:
    warp = fractal(rng, SIZE_PX, 0.5, (1.0, 24.0))
    weft = fractal(rng, SIZE_PX, 0.5, (24.0, 1.0))
    return _shaded(rgb, 1.0 + 0.055 * warp + 0.055 * weft)


def _gingham(rng: np.random.Generator, rgb: Field) -> Field:
    u, v = grid(SIZE_PX)
    stripes = 8
    dyed = ((np.mod(u * stripes, 1.0) < 0.5).astype(float) + (np.mod(v * stripes, 1.0) < 0.5)) / 2.0
    thread = 1.0 + 0.03 * fractal(rng, SIZE_PX, 0.3, (6.0, 1.0)) + 0.03 * fractal(rng, SIZE_PX, 0.3, (1.0, 6.0))
    white = np.array([0.95, 0.94, 0.92])
    # Half white on average, so that dyed squares are as far below the mean as white ones are above it.
    dye = np.clip(2.0 * rgb - white, 0.05, 0.95)
    picture: Field = thread[..., None] * (dyed[..., None] * dye + (1.0 - dyed[..., None]) * white)
    return picture


def _concrete(rng: np.random.Generator, rgb: Field) -> Field:
    blotches = fractal(rng, SIZE_PX, 1.4)
    sand = fractal(rng, SIZE_PX, 0.1)
    holes = fractal(rng, SIZE_PX, 0.7, least=12.0) > 3.0
    return _shaded(rgb, np.where(holes, 0.72, 1.0 + 0.06 * blotches + 0.03 * sand))


def _terrazzo(rng: np.random.Generator, rgb: Field) -> Field:
    picture = _shaded(rgb, 1.0 + 0.02 * fractal(rng, SIZE_PX, 0.2))
    for shade in ((0.66, 0.62, 0.58), (1.16, 1.15, 1.12), (0.86, 0.72, 0.62)):
        chips = fractal(rng, SIZE_PX, 0.9, least=9.0) > 1.7
        picture[chips] = rgb * shade
    return picture


def _tiles(rng: np.random.Generator, rgb: Field) -> Field:
    count = 4
    u, v = grid(SIZE_PX)
    grout = (np.mod(u * count, 1.0) < 0.035) | (np.mod(v * count, 1.0) < 0.035)
    glaze = cells(rng, count, count, SIZE_PX, 0.05) + 0.015 * fractal(rng, SIZE_PX, 1.5)
    return np.where(grout[..., None], 0.35 * rgb + 0.4, _shaded(rgb, glaze))


def _brick(rng: np.random.Generator, rgb: Field) -> Field:
    rows, columns = 12, 4
    u, v = grid(SIZE_PX)
    row = np.minimum((v * rows).astype(int), rows - 1)
    along = np.mod(u * columns + 0.5 * (row % 2), columns)
    mortar = (np.mod(v * rows, 1.0) < 0.12) | (np.mod(along, 1.0) < 0.045)
    tone = rng.uniform(0.8, 1.15, (rows, columns))[row, along.astype(int)]
    rough = 0.05 * fractal(rng, SIZE_PX, 0.4)
    return np.where(mortar[..., None], 0.2 * rgb + 0.5, _shaded(rgb, tone + rough))


def _plaster(rng: np.random.Generator, rgb: Field) -> Field:
    return _shaded(rgb, 1.0 + 0.018 * fractal(rng, SIZE_PX, 1.3) + 0.008 * fractal(rng, SIZE_PX, 0.0))


def _carpet(rng: np.random.Generator, rgb: Field) -> Field:
    return _shaded(rgb, 1.0 + 0.08 * fractal(rng, SIZE_PX, 0.25) + 0.03 * fractal(rng, SIZE_PX, 1.5))


_TIMBER = ((0.60, 0.43, 0.27), (0.72, 0.57, 0.40), (0.42, 0.29, 0.19), (0.66, 0.52, 0.38))
_STONE = ((0.62, 0.61, 0.58), (0.52, 0.53, 0.54), (0.70, 0.67, 0.61))
_GREYS = ((0.60, 0.60, 0.60), (0.72, 0.71, 0.69), (0.46, 0.47, 0.49), (0.66, 0.62, 0.56))

TABLE_PATTERNS = {
    "plain": Pattern(None, 1.0, _GREYS),
    "wood": Pattern(_wood, 0.9, _TIMBER, 0.2, 0.4),
    "planks": Pattern(_planks, 0.9, _TIMBER, 0.1, 0.2),
    "marble": Pattern(_marble, 0.9, ((0.84, 0.83, 0.81), (0.76, 0.76, 0.77), (0.78, 0.73, 0.66)), 0.5, 0.8),
    "linen": Pattern(_linen, 0.5, ((0.74, 0.70, 0.62), (0.55, 0.60, 0.64), (0.64, 0.57, 0.55)), 0.0, 0.0),
    "gingham": Pattern(_gingham, 0.5, ((0.70, 0.62, 0.60), (0.62, 0.67, 0.74), (0.66, 0.71, 0.64)), 0.0, 0.0),
    "concrete": Pattern(_concrete, 0.9, _STONE, 0.05, 0.1),
    "terrazzo": Pattern(_terrazzo, 0.6, ((0.74, 0.72, 0.69), (0.60, 0.61, 0.62)), 0.4, 0.6),
    "tiles": Pattern(_tiles, 0.6, ((0.76, 0.76, 0.74), (0.62, 0.66, 0.68), (0.70, 0.63, 0.54)), 0.4, 0.7),
}
"""Surfaces that a table top can have."""

ROOM_PATTERNS = TABLE_PATTERNS | {
    "brick": Pattern(_brick, 1.0, ((0.58, 0.36, 0.29),)),
    "plaster": Pattern(_plaster, 1.5, ((0.86, 0.84, 0.80),)),
    "carpet": Pattern(_carpet, 1.0, ((0.42, 0.45, 0.50),), 0.0, 0.0),
}
"""Surfaces that floors and walls can have beside."""


def table_pattern(name: str) -> Pattern:
    """The pattern of a table top by name; raises ImoveError for an unknown one."""
    if name not in TABLE_PATTERNS:
        raise unknown_name("table pattern", name, TABLE_PATTERNS)
    return TABLE_PATTERNS[name]


@lru_cache(maxsize=_KEPT)
def pattern_pixels(name: str, seed: int, rgb: Rgb) -> NDArray[np.uint8] | None:
    """The picture of a surface.

    Args:
        name: Of a pattern for tables or rooms.
        seed: Of its random draws.
        rgb: Mean colour, sRGB in 0 to 1.

    Returns:
        (256, 256, 3) read-only sRGB pixels, first row at the top; None for a pattern of one colour.

    Raises:
        ImoveError: No such pattern.
    """
    if name not in ROOM_PATTERNS:
        raise unknown_name("surface pattern", name, ROOM_PATTERNS)
    paint = ROOM_PATTERNS[name].paint
    if paint is None:
        return None
    mean = np.array(rgb)
    picture = paint(np.random.default_rng(seed), mean)
    picture += mean - picture.mean(axis=(0, 1))
    pixels = np.round(np.clip(picture, 0.0, 1.0) * 255.0).astype(np.uint8)
    pixels.setflags(write=False)
    return pixels
