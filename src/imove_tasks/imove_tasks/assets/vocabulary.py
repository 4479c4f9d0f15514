"""The controlled words for colour, shape and material, and the one rule that turns a colour into its word."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass

COLORS = (
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "beige", "white", "gray", "black",
)  # fmt: skip

SHAPES = (
    "round", "oval", "cylindrical", "tapered", "rectangular", "square", "curved", "ring-shaped", "irregular",
)  # fmt: skip


@dataclass(frozen=True)
class MaterialKind:
    """Physical and optical constants of a kind of surface.

    Attributes:
        friction: Sliding friction coefficient against a rubber pad or a table; round textbook figures.
        specular: Strength of highlights, 0 to 1.
        shininess: Sharpness of highlights, 0 to 1.
        speakable: True when people name the kind when they ask for an object ("metal mug", not "food apple").
    """

    friction: float
    specular: float
    shininess: float
    speakable: bool = True


MATERIALS: dict[str, MaterialKind] = {
    "plastic": MaterialKind(friction=0.7, specular=0.35, shininess=0.5),
    "metal": MaterialKind(friction=0.6, specular=0.8, shininess=0.7),
    "ceramic": MaterialKind(friction=0.7, specular=0.6, shininess=0.8),
    "glass": MaterialKind(friction=0.6, specular=0.9, shininess=0.9),
    "wood": MaterialKind(friction=0.7, specular=0.1, shininess=0.1),
    "paper": MaterialKind(friction=0.7, specular=0.05, shininess=0.1),
    "rubber": MaterialKind(friction=1.0, specular=0.1, shininess=0.2),
    "fabric": MaterialKind(friction=0.9, specular=0.0, shininess=0.0),
    "foam": MaterialKind(friction=0.9, specular=0.0, shininess=0.0),
    "wax": MaterialKind(friction=0.8, specular=0.2, shininess=0.3),
    "leather": MaterialKind(friction=0.8, specular=0.2, shininess=0.3),
    "plant": MaterialKind(friction=0.8, specular=0.1, shininess=0.2, speakable=False),
    "food": MaterialKind(friction=0.8, specular=0.15, shininess=0.3, speakable=False),
}

# Upper hue limits in degrees; hues beyond the last are red again.
_HUES = (
    (14.0, "red"), (42.0, "orange"), (68.0, "yellow"), (168.0, "green"), (255.0, "blue"), (292.0, "purple"),
    (345.0, "pink"), (360.0, "red"),
)  # fmt: skip


def color_word(rgb: Sequence[float]) -> str:
    """The basic colour word of a colour.

    Grey tones are told by saturation and lightness; brown is dark orange, beige pale orange, pink pale red.

    Args:
        rgb: Red, green, blue (and, ignored, opacity), each 0 to 1.

    Returns:
        A word of ``COLORS``.
    """
    hue, saturation, value = colorsys.rgb_to_hsv(*rgb[:3])
    degrees = hue * 360.0
    if value < 0.2:
        return "black"
    if saturation < 0.14:
        return "white" if value > 0.82 else "gray"
    word = next(name for limit, name in _HUES if degrees <= limit)
    if word in ("red", "pink") and saturation < 0.62 and value > 0.6:
        return "pink"
    if word in ("orange", "yellow") and saturation < 0.5 and value > 0.66:
        return "beige"
    if word in ("orange", "red") and value < 0.66 and degrees > 8.0 and degrees < 60.0:
        return "brown"
    return word
