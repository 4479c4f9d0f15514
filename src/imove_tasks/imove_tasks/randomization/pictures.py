"""Pictures that fill one face of a piece of furniture: windows, books, cupboard fronts, tools on a wall."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import unknown_name
from imove_tasks.randomization.noise import Field, fractal, grid

SIZE_PX = 128
_SPINES = np.array(
    [
        [0.45, 0.16, 0.14],
        [0.16, 0.25, 0.40],
        [0.20, 0.34, 0.24],
        [0.74, 0.68, 0.56],
        [0.55, 0.45, 0.25],
        [0.22, 0.20, 0.22],
    ]
)


def _frame(picture: Field, width: float, rgb: tuple[float, float, float]) -> None:
    """Paints a border of a share of the side."""
    u, v = grid(SIZE_PX)
    picture[np.minimum.reduce([u, v, 1.0 - u, 1.0 - v]) < width] = rgb


def _window(rng: np.random.Generator) -> Field:
    """Sky, trees and grass behind two panes."""
    u, v = grid(SIZE_PX)
    sky = np.array([0.62, 0.76, 0.92]) + (v * 0.3)[..., None] * np.array([1.0, 0.7, 0.2])
    tops = 0.58 + 0.06 * fractal(rng, SIZE_PX, 1.6)[0]
    leaves = np.array([0.26, 0.40, 0.22]) * (1.0 + 0.18 * fractal(rng, SIZE_PX, 0.8))[..., None]
    picture = np.where((v > tops[None, :])[..., None], leaves, np.clip(sky, 0.0, 1.0))
    picture[v > 0.84] = (0.50, 0.60, 0.34)
    picture[np.abs(u - 0.5) < 0.02] = (0.92, 0.92, 0.90)
    _frame(picture, 0.04, (0.92, 0.92, 0.90))
    return picture


def _books(rng: np.random.Generator) -> Field:
    """Four boards full of books."""
    picture = np.empty((SIZE_PX, SIZE_PX, 3))
    picture[:] = (0.20, 0.15, 0.11)
    height = SIZE_PX // 4
    for board in range(4):
        bottom, column = (board + 1) * height - 3, 3
        while column < SIZE_PX - 6:
            width, tall = int(rng.integers(3, 8)), int(rng.integers(18, 27))
            shade = _SPINES[rng.integers(len(_SPINES))] * rng.uniform(0.8, 1.2)
            if rng.random() < 0.93:
                picture[bottom - tall : bottom, column : column + width - 1] = shade
            column += width
        picture[bottom : bottom + 3] = (0.52, 0.38, 0.25)
    _frame(picture, 0.02, (0.52, 0.38, 0.25))
    return np.clip(picture, 0.0, 1.0)


def _fronts(rng: np.random.Generator) -> Field:
    """Two drawers over two doors, in white; the colour of the surface tints it."""
    del rng
    u, v = grid(SIZE_PX)
    picture = np.ones((SIZE_PX, SIZE_PX, 3))
    picture[(np.abs(u - 0.5) < 0.008) | (np.abs(v - 0.27) < 0.008)] = 0.55
    drawer_pull = (np.abs(v - 0.13) < 0.012) & (np.abs(np.mod(u, 0.5) - 0.25) < 0.09)
    door_pull = (np.abs(np.abs(u - 0.5) - 0.05) < 0.012) & (np.abs(v - 0.42) < 0.07)
    picture[drawer_pull | door_pull] = 0.4
    _frame(picture, 0.012, (0.6, 0.6, 0.6))
    return picture


def _tools(rng: np.random.Generator) -> Field:
    """A perforated board with the outlines of tools."""
    u, v = grid(SIZE_PX)
    picture = np.empty((SIZE_PX, SIZE_PX, 3))
    picture[:] = (0.78, 0.68, 0.52)
    picture[(np.mod(u * 32, 1.0) < 0.3) & (np.mod(v * 32, 1.0) < 0.3)] = (0.5, 0.42, 0.3)
    for row in range(2):
        for place in range(5):
            x, y = 0.1 + 0.2 * place + rng.uniform(-0.02, 0.02), 0.08 + 0.47 * row
            length = rng.uniform(0.22, 0.34)
            handle = (np.abs(u - x) < 0.018) & (v > y + 0.07) & (v < y + length)
            head = (np.abs(u - x) < rng.uniform(0.02, 0.065)) & (v > y) & (v < y + 0.08)
            picture[handle] = _SPINES[rng.integers(len(_SPINES))]
            picture[head] = (0.32, 0.33, 0.35)
    return picture


def _painting(rng: np.random.Generator) -> Field:
    """Soft fields of colour in a dark frame."""
    picture = np.empty((SIZE_PX, SIZE_PX, 3))
    picture[:] = (0.72, 0.62, 0.50)
    for rgb in ((0.40, 0.48, 0.52), (0.78, 0.70, 0.60), (0.52, 0.36, 0.30)):
        picture[fractal(rng, SIZE_PX, 2.2) > 0.5] = rgb
    _frame(picture, 0.06, (0.18, 0.14, 0.11))
    return picture


def _bottles(rng: np.random.Generator) -> Field:
    """Three glass boards with bottles and boxes."""
    u, v = grid(SIZE_PX)
    picture = np.empty((SIZE_PX, SIZE_PX, 3))
    picture[:] = (0.80, 0.84, 0.86)
    for board in range(3):
        bottom = (board + 1) / 3 - 0.03
        for place in range(7):
            x, tall, half = 0.1 + place * 0.133, rng.uniform(0.12, 0.24), rng.uniform(0.025, 0.05)
            body = (np.abs(u - x) < half) & (v < bottom) & (v > bottom - tall)
            cap = (np.abs(u - x) < 0.4 * half) & (v <= bottom - tall) & (v > bottom - tall - 0.03)
            picture[body] = np.array([0.55, 0.45, 0.32]) if rng.random() < 0.4 else np.array([0.70, 0.76, 0.80])
            picture[cap] = (0.30, 0.34, 0.42)
        picture[np.abs(v - bottom - 0.01) < 0.01] = (0.55, 0.60, 0.63)
    _frame(picture, 0.025, (0.62, 0.66, 0.68))
    return picture


def _notes(rng: np.random.Generator) -> Field:
    """A white board with lines of writing and a sketch."""
    u, v = grid(SIZE_PX)
    picture = np.empty((SIZE_PX, SIZE_PX, 3))
    picture[:] = (0.94, 0.95, 0.95)
    for line in range(6):
        length = rng.uniform(0.2, 0.42)
        written = (np.abs(v - 0.16 - 0.1 * line) < 0.012) & (u > 0.08) & (u < 0.08 + length)
        picture[written & (fractal(rng, SIZE_PX, 0.3, (1.0, 40.0)) > -0.6)] = (0.22, 0.28, 0.46)
    picture[np.abs(np.hypot(u - 0.75, v - 0.4) - 0.14) < 0.008] = (0.50, 0.22, 0.22)
    _frame(picture, 0.03, (0.60, 0.62, 0.64))
    return picture


PICTURES: dict[str, Callable[[np.random.Generator], Field]] = {
    "window": _window,
    "books": _books,
    "fronts": _fronts,
    "tools": _tools,
    "painting": _painting,
    "bottles": _bottles,
    "notes": _notes,
}


@lru_cache(maxsize=32)
def picture_pixels(name: str, seed: int) -> NDArray[np.uint8]:
    """A picture by name.

    Returns:
        (128, 128, 3) read-only sRGB pixels, first row at the top.

    Raises:
        ImoveError: No such picture.
    """
    if name not in PICTURES:
        raise unknown_name("picture", name, PICTURES)
    picture = PICTURES[name](np.random.default_rng(seed))
    pixels = np.round(np.clip(picture, 0.0, 1.0) * 255.0).astype(np.uint8)
    pixels.setflags(write=False)
    return pixels
