"""The MTL file of an asset: one material a mesh, in the metallic-roughness extension and in the older terms."""

from __future__ import annotations

from imove_tasks.assets.looks import Material
from imove_tasks.assets.storage.numbers import number, numbers

_SHININESS_MAX = 128.0  # MuJoCo's shininess is a share of OpenGL's exponent


def mtl_text(materials: dict[str, tuple[Material, str | None]]) -> str:
    """The file as text.

    Args:
        materials: By name: a material, and the name of its picture beside the file.
    """
    blocks = []
    for name, (material, picture) in materials.items():
        surface = material.surface
        color = (1.0, 1.0, 1.0) if picture else material.rgba[:3]
        lines = [
            f"newmtl {name}",
            f"Kd {numbers(color)}",
            f"Ks {numbers([surface.specular] * 3)}",
            f"Ns {number(surface.shininess * _SHININESS_MAX)}",
            f"d {number(material.rgba[3])}",
            f"Pr {number(surface.roughness)}",
            f"Pm {number(surface.metallic)}",
            *([f"map_Kd {picture}"] if picture else []),
        ]
        blocks.append("\n".join([*lines, ""]))
    return "\n".join(blocks)
