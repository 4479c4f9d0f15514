"""Small pictures made by code: patterns for bodies, print for labels, keys and pages.

Sizes are powers of two where a picture repeats. Colours are red, green, blue in 0 to 1, as in `palette`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.palette import Rgb

Mask = NDArray[np.bool_]

# Capitals 5 pixels high and 3 to 5 wide, rows from top to bottom, one letter of the alphabet a row of the table.
_GLYPHS: dict[str, str] = {
    "A": ".#. #.# ### #.# #.#", "B": "##. #.# ##. #.# ##.", "C": ".## #.. #.. #.. .##", "D": "##. #.# #.# #.# ##.",
    "E": "### #.. ##. #.. ###", "F": "### #.. ##. #.. #..", "G": ".## #.. #.# #.# .##", "H": "#.# #.# ### #.# #.#",
    "I": "### .#. .#. .#. ###", "J": "..# ..# ..# #.# .#.", "K": "#.# #.# ##. #.# #.#", "L": "#.. #.. #.. #.. ###",
    "M": "#...# ##.## #.#.# #...# #...#", "N": "#..# ##.# #.## #..# #..#", "O": ".#. #.# #.# #.# .#.",
    "P": "##. #.# ##. #.. #..", "Q": ".##. #..# #..# #.#. .#.#", "R": "##. #.# ##. #.# #.#",
    "S": ".## #.. .#. ..# ##.", "T": "### .#. .#. .#. .#.", "U": "#.# #.# #.# #.# ###", "V": "#.# #.# #.# #.# .#.",
    "W": "#...# #...# #.#.# ##.## #...#", "X": "#.# #.# .#. #.# #.#", "Y": "#.# #.# .#. .#. .#.",
    "Z": "### ..# .#. #.. ###", " ": ".. .. .. .. ..",
}  # fmt: skip


def painted(texture: Texture, material: str) -> Material:
    """A material with a picture on it; its plain colour is the picture's mean."""
    red, green, blue = (round(float(value), 4) for value in texture.pixels.reshape(-1, 3).mean(0) / 255.0)
    return Material(material, (red, green, blue, 1.0), texture)


def two_tone(mask: Mask, base: Rgb, ink: Rgb) -> Texture:
    """A picture in ``ink`` where the (H, W) mask is true and ``base`` elsewhere."""
    colors = np.round(np.array([base, ink]) * 255.0).astype(np.uint8)
    return Texture(colors[mask.astype(np.intp)])


def stripes(base: Rgb, ink: Rgb, *, share: float = 0.35, upright: bool = False, size: int = 32) -> Texture:
    """One stripe and one gap; ``share`` of it is ink. Repeat it over a mesh for more."""
    line = np.arange(size) < round(size * share)
    mask = np.tile(line, (size, 1))
    return two_tone(mask if upright else mask.T, base, ink)


def checks(base: Rgb, ink: Rgb, *, size: int = 32) -> Texture:
    """Two by two squares of even area: mind that neither colour dominates."""
    half = np.arange(size) < size // 2
    return two_tone(half[:, None] ^ half[None, :], base, ink)


def dots(base: Rgb, ink: Rgb, *, radius: float = 0.26, size: int = 32) -> Texture:
    """One round dot in the middle; ``radius`` is a share of the side."""
    axis = (np.arange(size) + 0.5) / size - 0.5
    return two_tone(np.hypot(axis[:, None], axis[None, :]) < radius, base, ink)


def speckles(base: Rgb, ink: Rgb, rng: np.random.Generator, *, share: float = 0.12, size: int = 64) -> Texture:
    """Random blots two pixels wide: stone, seeds, terrazzo."""
    coarse = rng.random((size // 2, size // 2)) < share
    return two_tone(np.kron(coarse, np.ones((2, 2), dtype=bool)), base, ink)


def grain(base: Rgb, ink: Rgb, rng: np.random.Generator, *, size: int = 64) -> Texture:
    """Wavy lines along u: wood, bread crust, brushed cloth."""
    v, u = np.mgrid[0:size, 0:size] / size
    wave = v + 0.04 * np.sin(2.0 * np.pi * (u + rng.random())) + 0.02 * np.sin(4.0 * np.pi * (u + rng.random()))
    return two_tone(np.mod(wave * int(rng.integers(6, 9)), 1.0) < 0.3, base, ink)


def text_mask(text: str) -> Mask:
    """(5, W) mask of a word in capitals.

    Raises:
        AssetError: A letter is not in the alphabet.
    """
    unknown = sorted(set(text) - set(_GLYPHS))
    if unknown:
        raise AssetError(f"text {text!r} has {unknown}, allowed are capitals and blanks")
    columns: list[Mask] = []
    for letter in text:
        rows = _GLYPHS[letter].split(" ")
        columns += [np.array([[pixel == "#" for pixel in row] for row in rows]), np.zeros((5, 1), dtype=bool)]
    return np.concatenate(columns[:-1], axis=1)


def label(
    base: Rgb, ink: Rgb, words: Sequence[str], *, size: tuple[int, int] = (64, 64), frame: bool = True
) -> Texture:
    """A printed label: words one below the other, as large as they fit, inside a frame.

    Args:
        base: Colour of the paper.
        ink: Colour of print and frame.
        words: Capitals.
        size: Height and width, pixels.
        frame: Draws a line round it.

    Raises:
        AssetError: The words do not fit.
    """
    height, width = size
    mask = np.zeros(size, dtype=bool)
    if frame:
        mask[[2, -3], 2:-2] = True
        mask[2:-2, [2, -3]] = True
    glyphs = [text_mask(word) for word in words]
    longest = max(glyph.shape[1] for glyph in glyphs)
    scale = min((width - 12) // longest, (height - 12) // (7 * len(glyphs) - 2))
    if scale < 1:
        raise AssetError(f"words {list(words)} do not fit a label of {height} by {width} pixels")
    top = (height - scale * (7 * len(glyphs) - 2)) // 2
    for number, glyph in enumerate(glyphs):
        large = np.kron(glyph, np.ones((scale, scale), dtype=bool))
        row, column = top + number * 7 * scale, (width - large.shape[1]) // 2
        mask[row : row + large.shape[0], column : column + large.shape[1]] |= large
    return two_tone(mask, base, ink)


def keypad(base: Rgb, ink: Rgb, rows: int, columns: int, *, size: tuple[int, int] = (64, 32)) -> Texture:
    """Rows and columns of small keys."""
    height, width = size
    v, u = np.mgrid[0:height, 0:width].astype(np.float64)
    in_row, in_column = np.mod(v / height * rows, 1.0), np.mod(u / width * columns, 1.0)
    return two_tone((np.abs(in_row - 0.5) < 0.3) & (np.abs(in_column - 0.5) < 0.3), base, ink)


def ruled(base: Rgb, ink: Rgb, lines: int, *, size: int = 64) -> Texture:
    """Thin lines across, as on a page or a ruler."""
    step = size // (lines + 1)
    mask = np.zeros((size, size), dtype=bool)
    mask[step : size - 1 : step, size // 10 : size - size // 10] = True
    return two_tone(mask, base, ink)
