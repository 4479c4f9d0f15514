"""MJCF files: one free body with drawn meshes, exact contact parts, mass and friction, to be attached to a scene."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from imove_core.transforms import quaternion_from_rotation
from imove_tasks.assets.exporting.labels import labels_of
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.model import Asset, CollisionPart
from imove_tasks.assets.normals import corner_normals
from imove_tasks.assets.record import texture_files
from imove_tasks.assets.storage.images import png_bytes
from imove_tasks.assets.storage.numbers import number, numbers
from imove_tasks.assets.storage.obj import ObjMesh, obj_text
from imove_tasks.assets.storage.parts import part_mesh

_MESHES = "mesh"
_VISUAL, _COLLISION = "visual", "collision"
_VISUAL_GROUP, _COLLISION_GROUP = "2", "3"  # as the usual viewers show and hide them
_TORSIONAL_FRICTION_M, _LEAST_ROLLING_FRICTION_M = 0.01, 1e-4  # a small patch of contact


def write_mjcf(asset: Asset, folder: Path, name: str) -> Path:
    """Writes `<name>.xml` and its meshes and pictures into a folder.

    Args:
        asset: What to write.
        folder: Exists and is empty.
        name: Of the file, without ending.

    Returns:
        The file.
    """
    (folder / _MESHES).mkdir()
    root = ET.Element("mujoco", model=name)
    ET.SubElement(root, "compiler", meshdir=_MESHES, texturedir=_MESHES)
    _add_defaults(root, asset)
    assets = ET.SubElement(root, "asset")
    world = ET.SubElement(root, "worldbody")
    body = ET.SubElement(world, "body", name=asset.category, pos=numbers([0.0, 0.0, -asset.box_min[2]]))
    ET.SubElement(body, "freejoint", name=asset.category)
    for index, (visual, picture) in enumerate(zip(asset.visuals, texture_files(asset), strict=True)):
        _add_visual(assets, body, folder, f"{_VISUAL}_{index}", visual, picture)
    volumes = np.array([part.volume_m3 for part in asset.collisions])
    masses = asset.mass_kg * volumes / volumes.sum()
    for index, (part, mass) in enumerate(zip(asset.collisions, masses.tolist(), strict=True)):
        _add_part(assets, body, folder, f"part_{index}", part, mass)
    custom = ET.SubElement(root, "custom")
    for key, value in labels_of(asset).items():
        text = " ".join(value) if isinstance(value, list) else str(value)
        if text:  # MuJoCo takes no empty text
            ET.SubElement(custom, "text", name=key, data=text)
    ET.indent(root)
    path = folder / f"{name}.xml"
    path.write_text(ET.tostring(root, encoding="unicode") + "\n", encoding="utf-8")
    return path


def _add_defaults(root: ET.Element, asset: Asset) -> None:
    top = ET.SubElement(root, "default")
    drawn = {"type": "mesh", "group": _VISUAL_GROUP, "contype": "0", "conaffinity": "0", "mass": "0"}
    ET.SubElement(ET.SubElement(top, "default", {"class": _VISUAL}), "geom", drawn)
    rolling = max(asset.rolling_friction, _LEAST_ROLLING_FRICTION_M)
    touched = {
        "group": _COLLISION_GROUP,
        "condim": "6" if asset.rolling_friction > 0 else "4",
        "friction": numbers([asset.friction, _TORSIONAL_FRICTION_M, rolling]),
    }
    ET.SubElement(ET.SubElement(top, "default", {"class": _COLLISION}), "geom", touched)


def _add_visual(
    assets: ET.Element, body: ET.Element, folder: Path, name: str, visual: VisualMesh, picture: str | None
) -> None:
    mesh = ObjMesh(visual.vertices, visual.faces, visual.uv, corner_normals(visual))
    _add_mesh(assets, folder, name, mesh, inertia="shell")  # drawn meshes may enclose nothing
    surface, rgba = visual.material.surface, visual.material.rgba
    looks = {
        "specular": number(surface.specular), "shininess": number(surface.corner_shininess),
        "roughness": number(surface.roughness), "metallic": number(surface.metallic), "rgba": numbers(rgba),
    }  # fmt: skip
    if visual.material.texture is not None and picture is not None:
        file = Path(picture).name
        (folder / _MESHES / file).write_bytes(png_bytes(visual.material.texture))
        ET.SubElement(assets, "texture", name=name, type="2d", file=file)
        looks |= {"texture": name, "rgba": numbers([1.0, 1.0, 1.0, rgba[3]])}
    ET.SubElement(assets, "material", {"name": name, **looks})
    ET.SubElement(body, "geom", {"class": _VISUAL, "name": name, "mesh": name, "material": name})


def _add_part(
    assets: ET.Element, body: ET.Element, folder: Path, name: str, part: CollisionPart, mass_kg: float
) -> None:
    pose = part.object_from_part
    geom = {
        "class": _COLLISION,
        "name": name,
        "mass": f"{mass_kg:.9g}",
        "pos": numbers(pose[:3, 3]),
        "quat": numbers(np.roll(quaternion_from_rotation(pose[:3, :3]), 1)),
    }
    if part.vertices is None:
        geom |= {"type": part.shape, "size": numbers(part.size)}
    else:
        _add_mesh(assets, folder, name, part_mesh(part))
        geom |= {"type": "mesh", "mesh": name}
    ET.SubElement(body, "geom", geom)


def _add_mesh(assets: ET.Element, folder: Path, name: str, mesh: ObjMesh, **keys: str) -> None:
    (folder / _MESHES / f"{name}.obj").write_text(obj_text(mesh), encoding="utf-8")
    ET.SubElement(assets, "mesh", {"name": name, "file": f"{name}.obj", **keys})
