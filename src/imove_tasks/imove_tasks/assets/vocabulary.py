"""The controlled words for colour, shape and material, and the one rule that turns a colour into its word."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

COLORS = (
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "beige", "white", "gray", "black",
)  # fmt: skip

SHAPES = (
    "round", "oval", "cylindrical", "tapered", "rectangular", "square", "curved", "ring-shaped", "irregular",
)  # fmt: skip


@dataclass(frozen=True)
class Finish:
    """How the surface of a material can be worked; it changes highlights, not colour.

    Attributes:
        specular: Strength of highlights, 0 to 1 (Phong, as MuJoCo draws).
        shininess: Sharpness of highlights, 0 to 1.
        roughness: 0 mirror to 1 chalk (metallic-roughness, as glTF and UsdPreviewSurface draw).
        metallic: 1 for bare metal, else 0.
    """

    specular: float
    shininess: float
    roughness: float
    metallic: float = 0.0

    @property
    def corner_shininess(self) -> float:
        """Sharpness for renderers that light only the corners of triangles, as MuJoCo does.

        Sharper highlights would fall between the corners of meshes with few triangles and be seen by chance.
        """
        return 0.35 * self.shininess


@dataclass(frozen=True)
class MaterialKind:
    """Physical and optical constants of a kind of surface.

    Attributes:
        friction: Sliding friction coefficient against a rubber pad or a table; round textbook figures.
        finishes: Ways its surface comes, by name; the first one is the usual one.
        speakable: True when people name the kind when they ask for an object ("metal mug", not "food apple").
    """

    friction: float
    finishes: Mapping[str, Finish]
    speakable: bool = True


_MATTE, _SATIN, _GLOSSY = Finish(0.05, 0.1, 0.9), Finish(0.25, 0.3, 0.5), Finish(0.6, 0.8, 0.15)

MATERIALS: dict[str, MaterialKind] = {
    "plastic": MaterialKind(0.7, {"satin": _SATIN, "glossy": _GLOSSY, "matte": _MATTE}),
    "metal": MaterialKind(
        0.6,
        {
            "brushed": Finish(0.5, 0.4, 0.45, 1.0),
            "polished": Finish(0.9, 0.9, 0.12, 1.0),
            "enamelled": Finish(0.5, 0.7, 0.25),
        },
    ),
    "ceramic": MaterialKind(0.7, {"glazed": _GLOSSY, "unglazed": _MATTE}),
    "glass": MaterialKind(0.6, {"clear": Finish(0.9, 0.9, 0.05), "frosted": Finish(0.3, 0.3, 0.6)}),
    "wood": MaterialKind(0.7, {"oiled": Finish(0.1, 0.15, 0.7), "varnished": Finish(0.4, 0.6, 0.3)}),
    "paper": MaterialKind(0.7, {"uncoated": _MATTE, "coated": Finish(0.3, 0.5, 0.4)}),
    "rubber": MaterialKind(1.0, {"matte": Finish(0.1, 0.2, 0.85)}),
    "fabric": MaterialKind(0.9, {"woven": Finish(0.0, 0.0, 1.0)}),
    "foam": MaterialKind(0.9, {"open": Finish(0.0, 0.0, 1.0)}),
    "wax": MaterialKind(0.8, {"smooth": Finish(0.2, 0.3, 0.6)}),
    "leather": MaterialKind(0.8, {"smooth": Finish(0.2, 0.3, 0.6), "suede": Finish(0.0, 0.0, 1.0)}),
    "plant": MaterialKind(0.8, {"natural": Finish(0.1, 0.2, 0.8)}, speakable=False),
    "food": MaterialKind(0.8, {"natural": Finish(0.15, 0.3, 0.6), "moist": Finish(0.5, 0.6, 0.3)}, speakable=False),
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
