"""Read-only arrays on a grid of 1e-7, so that values can be shared and hashed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_tasks.assets.errors import AssetError

Array = NDArray[np.float64]

DECIMALS = 7
"""Decimals kept of every stored number: 1e-7 m is far below any tolerance, and hashes then travel."""


def frozen_array(values: ArrayLike, *shape: int | None, what: str) -> Array:
    """Copies ``values`` into a read-only float64 array rounded to 1e-7.

    Args:
        values: Anything numpy can read as numbers.
        *shape: Expected length of each axis; None accepts any length.
        what: Name of the quantity, for the error message.

    Raises:
        AssetError: The shape differs or a value is not finite.
    """
    rounded = np.round(np.array(values, dtype=np.float64), DECIMALS)
    array: Array = np.asarray(rounded + 0.0, dtype=np.float64)  # + 0.0 turns -0.0 into 0.0
    matches = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    if not matches:
        raise AssetError(f"{what} has shape {array.shape}, expected {shape} (None: any length)")
    if not np.isfinite(array).all():
        raise AssetError(f"{what} holds a value that is not finite")
    array.setflags(write=False)
    return array
