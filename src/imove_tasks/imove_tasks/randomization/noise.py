"""Seamless random fields that textures are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float64]


def grid(size: int) -> tuple[Field, Field]:
    """Texture coordinates u (to the right) and v (down) of a square picture, each (size, size) in 0 to 1."""
    axis = (np.arange(size) + 0.5) / size
    u, v = np.meshgrid(axis, axis)
    return u, v


def fractal(
    rng: np.random.Generator, size: int, exponent: float, stretch: tuple[float, float] = (1.0, 1.0), least: float = 0.0
) -> Field:
    """White noise whose amplitude falls with frequency to the power of `exponent`; it repeats without a seam.

    Args:
        rng: Source of the noise.
        size: Width and height in pixels.
        exponent: 0 is white, 1 is cloudy, 2 is smooth.
        stretch: How much longer its features are along u and along v.
        least: Frequencies below this one, in waves a picture, are left out.

    Returns:
        (size, size), mean 0, standard deviation 1.
    """
    spectrum = np.fft.rfft2(rng.standard_normal((size, size)))
    along_v = np.fft.fftfreq(size, 1.0 / size)[:, None] * stretch[1]
    along_u = np.fft.rfftfreq(size, 1.0 / size)[None, :] * stretch[0]
    frequency = np.hypot(along_u, along_v)
    frequency[0, 0] = np.inf
    gain = np.where(frequency >= least, frequency, np.inf) ** -exponent
    gain[0, 0] = 0.0
    field: Field = np.fft.irfft2(spectrum * gain, s=(size, size))
    field /= field.std()
    return field


def cells(rng: np.random.Generator, rows: int, columns: int, size: int, amount: float) -> Field:
    """One random level in 1 - amount to 1 + amount for each cell of an even grid, (size, size)."""
    levels = rng.uniform(1.0 - amount, 1.0 + amount, (rows, columns))
    row = np.arange(size) * rows // size
    column = np.arange(size) * columns // size
    field: Field = levels[row[:, None], column[None, :]]
    return field
