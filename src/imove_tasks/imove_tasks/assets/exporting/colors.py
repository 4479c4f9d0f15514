"""Colours in linear light, as physically based materials want them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def linear_rgb(srgb: Sequence[float]) -> tuple[float, float, float]:
    """Red, green, blue in linear light of an sRGB colour, each 0 to 1 (IEC 61966-2-1)."""
    values = np.asarray(srgb[:3], dtype=np.float64)
    red, green, blue = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4).tolist()
    return red, green, blue
