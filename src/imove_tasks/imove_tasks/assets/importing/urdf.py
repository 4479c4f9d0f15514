"""Reads assets as EmbodiedGen writes them and as the InstructMove release stores them: URDF with `<extra_info>`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from imove_core.transforms import transform_from_xyz_rpy
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import part_points
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import Folder
from imove_tasks.assets.importing.foreign import Facts, Foreign, ForeignMesh, Solid
from imove_tasks.assets.importing.meshes import read_meshes
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.sidecars import read_captions, read_grasps
from imove_tasks.assets.importing.xml import number, numbers, parse_xml, plain_text, words
from imove_tasks.assets.model import CollisionPart, PartShape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PLACEHOLDER_INERTIA = 1.0  # kg m2 on the diagonal: what EmbodiedGen writes before it knows better


def read_urdf(path: Path, folder: Folder, journal: Journal) -> Foreign:
    """The asset of a URDF file.

    Args:
        path: The file, in the asset's folder.
        folder: The asset's folder.
        journal: Takes what was wrong and could be mended.

    Raises:
        AssetError: The file is broken, has moving parts, or its visual mesh cannot be read.
    """
    root = parse_xml(folder.read_text(path), path.name)
    if root.tag != "robot":
        raise AssetError(f"{path.name!r} holds <{root.tag}>, expected <robot>")
    links = [link for link in root.iter("link") if link.find("visual") is not None]
    if len(links) != 1:
        raise AssetError(f"{path.name!r} has {len(links)} links to see, expected 1: only rigid objects can be imported")
    link = links[0]
    extra = next(root.iter("extra_info"), None)
    facts = _facts(link, extra, root.get("name", ""), journal)
    _compare_ids(facts.uuid, folder.root.name, journal)
    visuals = [mesh for visual in link.findall("visual") for mesh in _visual_meshes(visual, path, folder, journal)]
    contacts, solids = _contacts(link, path, folder, journal)
    return Foreign(
        facts=facts,
        visuals=tuple(visuals),
        contacts=tuple(contacts),
        solids=tuple(solids),
        captions=read_captions(folder, plain_text(_child(extra, "caption_candidates")), facts.uuid, journal),
        grasps=read_grasps(folder, journal),
    )


def _child(extra: Element | None, name: str) -> Element | None:
    return None if extra is None else extra.find(name)


def _facts(link: Element, extra: Element | None, robot_name: str, journal: Journal) -> Facts:
    if extra is None:
        journal.noted("it has no <extra_info>: its category is taken from its name, everything else is measured")

    def text(name: str) -> str:
        return plain_text(_child(extra, name))

    low, high = number(text("min_mass")), number(text("max_mass"))
    typical = (low + high) / 2.0 if low is not None and high is not None else low if high is None else high
    masses = [_inertial_mass(link, journal), typical]
    aabb = _child(extra, "aabb")
    extents = None
    if aabb is not None:
        corners = [numbers(plain_text(aabb.find(end)), 3, f"aabb {end}", (0.0,) * 3) for end in ("min", "max")]
        sides = np.abs(corners[1] - corners[0]).tolist()
        extents = (sides[0], sides[1], sides[2]) if min(sides) > 0.0 else None
    friction = number(plain_text(next(link.iter("mu1"), None)))
    height = number(text("real_height"))
    return Facts(
        uuid=text("uuid"),
        category=text("category") or robot_name,
        colors=words(text("color")),
        shapes=words(text("shape")),
        materials=words(text("material")),
        tags=words(text("tags")),
        real_height_m=height if height is not None and height > 0.0 else None,
        extents_m=extents,
        masses_kg=tuple(mass for mass in masses if mass is not None and mass > 0.0),
        friction=friction if friction is not None and friction > 0.0 else None,
    )


def _inertial_mass(link: Element, journal: Journal) -> float | None:
    mass = link.find("inertial/mass")
    inertia = link.find("inertial/inertia")
    value = None if mass is None else number(mass.get("value", ""))
    if value is None:
        journal.repaired("it has no <inertial> mass: another one is used")
    elif inertia is None or any(
        number(inertia.get(axis, "")) == _PLACEHOLDER_INERTIA for axis in ("ixx", "iyy", "izz")
    ):
        journal.repaired("its inertia is missing or a placeholder: it is computed from the contact parts")
    return value


def _compare_ids(uuid: str, folder_name: str, journal: Journal) -> None:
    looks_like_one = len(folder_name) == 36 and folder_name.count("-") == 4
    if uuid and looks_like_one and uuid != folder_name:
        journal.mislabelled(f"its folder is named {folder_name}, its record says {uuid}: the record is used")


def _origin(element: Element) -> Array:
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    xyz = numbers(origin.get("xyz"), 3, "origin xyz", (0.0, 0.0, 0.0))
    return transform_from_xyz_rpy(xyz, numbers(origin.get("rpy"), 3, "origin rpy", (0.0, 0.0, 0.0)))


def _mesh_file(mesh: Element, urdf: Path, folder: Folder, journal: Journal) -> Path:
    """The file of a mesh; where it is missing and a .glb of its name is there, that one."""
    reference = mesh.get("filename", "")
    try:
        return folder.find(reference, urdf.parent)
    except AssetError:
        stem, _, suffix = reference.rpartition(".")
        if suffix.lower() != "glb" and stem:
            try:
                path = folder.find(f"{stem}.glb", urdf.parent)
            except AssetError:
                pass
            else:
                journal.repaired(f"its file {reference!r} is missing: {path.name} is used")
                return path
        raise


def _link_from_mesh(element: Element, mesh: Element) -> Array:
    scale = numbers(mesh.get("scale"), 3, "mesh scale", (1.0, 1.0, 1.0))
    if not scale.all():
        raise AssetError(f"its mesh scale is {mesh.get('scale')!r}, expected values other than 0")
    return _origin(element) @ np.diag([*scale, 1.0])


def _visual_meshes(visual: Element, urdf: Path, folder: Folder, journal: Journal) -> list[ForeignMesh]:
    mesh = visual.find("geometry/mesh")
    if mesh is None:
        raise AssetError("it has a visual that is no mesh, expected <geometry><mesh>")
    meshes = read_meshes(folder, _mesh_file(mesh, urdf, folder, journal))
    return [piece.at(_link_from_mesh(visual, mesh)) for piece in meshes]


def _contacts(link: Element, urdf: Path, folder: Folder, journal: Journal) -> tuple[list[ForeignMesh], list[Solid]]:
    meshes: list[ForeignMesh] = []
    solids: list[Solid] = []
    for collision in link.findall("collision"):
        geometry = collision.find("geometry")
        shape = None if geometry is None else next(iter(geometry), None)
        if shape is None:
            continue
        try:
            if shape.tag == "mesh":
                pieces = read_meshes(folder, _mesh_file(shape, urdf, folder, journal), looks=False)
                meshes.extend(piece.at(_link_from_mesh(collision, shape)) for piece in pieces)
            else:
                solids.append(_solid(shape, _origin(collision)))
        except AssetError as error:
            journal.repaired(f"a collision element cannot be used ({error}): contacts are built from what is seen")
            return [], []
    if not meshes and not solids:
        journal.repaired("it has no collision geometry: contacts are built from what is seen")
    return meshes, solids


def _solid(shape: Element, link_from_shape: Array) -> Solid:
    if shape.tag == "box":
        half = numbers(shape.get("size"), 3, "box size", ()) / 2.0
        part = CollisionPart("box", tuple(half.tolist()), link_from_shape)
    elif shape.tag in ("cylinder", "capsule"):
        radius = numbers(shape.get("radius"), 1, f"{shape.tag} radius", ())
        length = numbers(shape.get("length"), 1, f"{shape.tag} length", ())
        kind: PartShape = "cylinder" if shape.tag == "cylinder" else "capsule"
        part = CollisionPart(kind, (*radius.tolist(), *(length / 2.0).tolist()), link_from_shape)
    elif shape.tag == "sphere":
        part = CollisionPart(
            "sphere", tuple(numbers(shape.get("radius"), 1, "sphere radius", ()).tolist()), link_from_shape
        )
    else:
        raise AssetError(f"collision shape <{shape.tag}> is unknown, allowed are mesh, box, cylinder, capsule, sphere")
    return Solid(part_points(part))
