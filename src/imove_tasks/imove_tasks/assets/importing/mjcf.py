"""Reads single objects written as MuJoCo XML, such as those of LIBERO and robosuite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from imove_core.transforms import rotation_about_axis, rotation_from_quaternion, rotation_from_rpy, transform
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import part_points
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import Folder
from imove_tasks.assets.importing.foreign import Facts, Foreign, ForeignMesh, Picture, Rgba, Solid
from imove_tasks.assets.importing.meshes import read_meshes
from imove_tasks.assets.importing.pictures import read_picture
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.xml import number, numbers, parse_xml
from imove_tasks.assets.model import CollisionPart, PartShape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SIZES: dict[str, int] = {"box": 3, "cylinder": 2, "capsule": 2, "sphere": 1, "ellipsoid": 3}
_SHAPES: dict[str, PartShape] = {
    "box": "box", "cylinder": "cylinder", "capsule": "capsule", "sphere": "sphere", "ellipsoid": "ellipsoid",
}  # fmt: skip


def read_mjcf(path: Path, folder: Folder, journal: Journal) -> Foreign:
    """The object of an MJCF file; its category is the name of the file.

    Args:
        path: The file, in the asset's folder.
        folder: The asset's folder.
        journal: Takes what was wrong and could be mended.

    Raises:
        AssetError: The file is broken, has moving parts, or a mesh or picture cannot be read.
    """
    root = parse_xml(folder.read_text(path), path.name)
    if root.tag != "mujoco":
        raise AssetError(f"{path.name!r} holds <{root.tag}>, expected <mujoco>")
    moving = [joint.get("type", "hinge") for joint in root.iter("joint") if joint.get("type", "hinge") != "free"]
    if moving:
        raise AssetError(f"{path.name!r} has {len(moving)} joints, expected none: only rigid objects can be imported")
    scene = _Scene(root, path, folder)
    world = root.find("worldbody")
    for body in [] if world is None else world.findall("body"):
        scene.add(body, np.eye(4))
    if not scene.contacts and not scene.solids:
        journal.repaired("it has no collision geometry: contacts are built from what is seen")
    masses = [number(element.get("mass", "")) for element in root.iter("inertial")]
    friction = number(next((geom.get("friction", "") for geom in root.iter("geom")), "").split(" ")[0])
    facts = Facts(
        category=path.stem,
        masses_kg=tuple(mass for mass in masses if mass is not None and mass > 0.0),
        friction=friction if friction is not None and friction > 0.0 else None,
    )
    # Where nothing is marked as for the eye alone, what touches is what is seen.
    visuals = scene.visuals or scene.contacts
    return Foreign(facts, tuple(visuals), tuple(scene.contacts), tuple(scene.solids))


@dataclass(frozen=True)
class _Look:
    name: str
    rgba: Rgba
    picture: Picture | None


class _Scene:
    """Collects the geoms of a model in the model's frame."""

    def __init__(self, root: Element, path: Path, folder: Folder) -> None:
        compiler = root.find("compiler")
        settings = {} if compiler is None else dict(compiler.items())
        self._degrees = settings.get("angle", "degree") == "degree"
        self._mesh_dir = settings.get("meshdir", "")
        self._texture_dir = settings.get("texturedir", "")
        self._base, self._folder = path.parent, folder
        assets = [element for asset in root.iter("asset") for element in asset]
        self._meshes = {_name(element): element for element in assets if element.tag == "mesh"}
        self._textures = {_name(element): element for element in assets if element.tag == "texture"}
        self._materials = {_name(element): element for element in assets if element.tag == "material"}
        self.visuals: list[ForeignMesh] = []
        self.contacts: list[ForeignMesh] = []
        self.solids: list[Solid] = []

    def add(self, body: Element, model_from_parent: Array) -> None:
        model_from_body = model_from_parent @ self._pose(body)
        for geom in body.findall("geom"):
            self._add_geom(geom, model_from_body @ self._pose(geom))
        for child in body.findall("body"):
            self.add(child, model_from_body)

    def _add_geom(self, geom: Element, model_from_geom: Array) -> None:
        seen_only = geom.get("contype") == "0" and geom.get("conaffinity") == "0"
        if "mesh" in geom.attrib:
            look = self._look(geom)
            meshes = [mesh.at(model_from_geom) for mesh in self._mesh(geom.get("mesh", ""), look=seen_only)]
            self.visuals += [_painted(mesh, look) for mesh in meshes] if seen_only else []
            self.contacts += [] if seen_only else meshes
        elif not seen_only:
            kind = geom.get("type", "sphere")
            if kind not in _SIZES:
                raise AssetError(f"it has a geom of type {kind!r}, allowed are mesh, {', '.join(_SIZES)}")
            size = (geom.get("size") or "").split()[: _SIZES[kind]]
            values = numbers(" ".join(size), _SIZES[kind], f"size of a {kind}", ())
            self.solids.append(
                Solid(part_points(CollisionPart(_SHAPES[kind], tuple(values.tolist()), model_from_geom)))
            )

    def _mesh(self, name: str, *, look: bool) -> list[ForeignMesh]:
        if name not in self._meshes:
            raise AssetError(
                f"it has a geom of the mesh {name!r}, defined are {', '.join(sorted(self._meshes)) or 'none'}"
            )
        element = self._meshes[name]
        scale = numbers(element.get("scale"), 3, f"scale of mesh {name}", (1.0, 1.0, 1.0))
        file = self._find(self._mesh_dir, element)
        meshes = read_meshes(self._folder, file, looks=look, materials=False)
        return [mesh.at(np.diag([*scale, 1.0])) for mesh in meshes]

    def _find(self, directory: str, element: Element) -> Path:
        file = element.get("file", "")
        return self._folder.find(f"{directory}/{file}" if directory else file, self._base)

    def _look(self, geom: Element) -> _Look:
        material = self._materials.get(geom.get("material", ""))
        gray = (0.5, 0.5, 0.5, 1.0)
        if material is None:
            return _Look("", _rgba(geom.get("rgba"), gray), None)
        texture = self._textures.get(material.get("texture", ""))
        color = _rgba(material.get("rgba"), (1.0, 1.0, 1.0, 1.0))
        if texture is None or not texture.get("file"):
            return _Look(_name(material), color, None)
        file = self._find(self._texture_dir, texture)
        return _Look(_name(material), color, read_picture(self._folder.read(file), file.name))

    def _pose(self, element: Element) -> Array:
        position = numbers(element.get("pos"), 3, "pos", (0.0, 0.0, 0.0))
        unit = np.pi / 180.0 if self._degrees else 1.0
        if "quat" in element.attrib:
            w, x, y, z = numbers(element.get("quat"), 4, "quat", ()).tolist()
            if w == x == y == z == 0.0:
                raise AssetError("it has a quaternion of zeros, expected a rotation")
            return transform(rotation_from_quaternion((x, y, z, w)), position)
        if "axisangle" in element.attrib:
            *axis, angle = numbers(element.get("axisangle"), 4, "axisangle", ()).tolist()
            return transform(rotation_about_axis(axis, angle * unit), position)
        # MuJoCo's default order "xyz" turns about the moving axes: Rx Ry Rz, the transpose of rpy of the negatives.
        euler = numbers(element.get("euler"), 3, "euler", (0.0, 0.0, 0.0)) * unit
        return transform(rotation_from_rpy(-euler).T, position)


def _painted(mesh: ForeignMesh, look: _Look) -> ForeignMesh:
    if look.picture is not None and mesh.uv is not None:
        picture = np.round(look.picture * np.array(look.rgba[:3])).astype(np.uint8)
        return replace(mesh, rgba=look.rgba, picture=picture, label=look.name, colored=True)
    if look.picture is not None:
        mean = look.picture.reshape(-1, 3).mean(0) / 255.0
        rgba = (float(mean[0]), float(mean[1]), float(mean[2]), 1.0)
        return replace(mesh, rgba=rgba, picture=None, uv=None, label=look.name, colored=True)
    return replace(mesh, rgba=look.rgba, picture=None, uv=None, label=look.name, colored=True)


def _name(element: Element) -> str:
    return element.get("name") or Path(element.get("file", "")).stem


def _rgba(text: str | None, default: Rgba) -> Rgba:
    red, green, blue, alpha = np.clip(numbers(text, 4, "rgba", default), 0.0, 1.0).tolist()
    return (red, green, blue, alpha)
