"""How alike two colours are when the light is not known: hue and saturation count, brightness hardly."""

from __future__ import annotations

import numpy as np

from imove_core.transforms import Array

BRIGHTNESS_SHARE = 0.25
"""Weight of brightness beside that of chromaticity: lamps and shadows change it most."""
_DARK = 0.06
"""Black has no hue: chromaticity fades below this level."""
LUMA = np.array([0.2126, 0.7152, 0.0722])
"""Shares of red, green and blue in brightness, as of sRGB (IEC 61966-2-1)."""


def color_distance(one: Array, other: Array) -> float:
    """Distance of two mean colours (3,), sRGB 0 to 1; 0 for the same, about 0.1 for neighbouring names of colours."""
    first, second = _features(one), _features(other)
    return float(np.linalg.norm(first - second))


def _features(color: Array) -> Array:
    color = np.clip(np.asarray(color, float), 0.0, 1.0)
    total = float(color.sum())
    chroma = (color + _DARK) / (total + 3 * _DARK) - 1.0 / 3.0
    return np.array([*(2.0 * chroma), BRIGHTNESS_SHARE * float(color @ LUMA)])


def light_gain(seen: Array, expected: Array) -> Array:
    """Factors (3,) by which the light changes colours, from K pairs of mean colours (K, 3); their product is 1."""
    ratios = np.log(np.maximum(seen, 0.02)) - np.log(np.maximum(expected, 0.02))
    gain = np.median(ratios, axis=0) if len(ratios) else np.zeros(3)
    factors: Array = np.exp(gain - gain.mean())
    return factors
