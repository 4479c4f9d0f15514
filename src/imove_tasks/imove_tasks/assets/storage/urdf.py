"""The URDF of an asset: one link, and in `extra_info` its labels in plain elements and its typed record."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.looks import Material
from imove_tasks.assets.model import Asset, CollisionPart
from imove_tasks.assets.record import AssetRecord, PartRecord, VisualRecord
from imove_tasks.assets.storage.companions import CAPTIONS_NAME, WIDEST_OPENING_M
from imove_tasks.assets.storage.inertia import mass_properties
from imove_tasks.assets.storage.numbers import number, numbers, significant

RECORD_ELEMENT = "imove_record"
FORMAT_VERSION = "imove-1"


def urdf_text(asset: Asset, record: AssetRecord) -> str:
    """The file as text, with the meshes and pictures that the record names."""
    robot = ET.Element("robot", name=asset.category)
    # MuJoCo would otherwise look for meshes without their folder, drop the visuals and weld the link to the world.
    compiler = {"strippath": "false", "discardvisual": "false", "fusestatic": "false"}
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", compiler)
    link = ET.SubElement(robot, "link", name=asset.category)
    _add_inertial(link, asset)
    for visual, written in zip(asset.visuals, record.visuals, strict=True):
        _add_visual(link, visual.material, written)
    for part, described in zip(asset.collisions, record.collisions, strict=True):
        _add_collision(link, part, described, asset.friction)
    _add_extra_info(link, asset, record)
    ET.indent(robot)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(robot, encoding="unicode")}\n'


def _add_inertial(link: ET.Element, asset: Asset) -> None:
    properties = mass_properties(asset.collisions, asset.mass_kg)
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "origin", xyz=numbers(properties.center), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=number(asset.mass_kg))
    moments = {
        f"i{'xyz'[row]}{'xyz'[column]}": significant(properties.inertia[row, column])
        for row in range(3)
        for column in range(row, 3)
    }
    ET.SubElement(inertial, "inertia", moments)


def _add_visual(link: ET.Element, material: Material, written: VisualRecord) -> None:
    name = written.mesh.removeprefix("mesh/").removesuffix(".obj")
    visual = ET.SubElement(link, "visual", name=name)
    ET.SubElement(visual, "origin", xyz="0 0 0", rpy="0 0 0")
    ET.SubElement(ET.SubElement(visual, "geometry"), "mesh", filename=written.mesh, scale="1 1 1")
    element = ET.SubElement(visual, "material", name=name)
    ET.SubElement(element, "color", rgba=numbers(material.rgba))
    if written.texture is not None:
        ET.SubElement(element, "texture", filename=written.texture)


def _add_collision(link: ET.Element, part: CollisionPart, described: PartRecord, friction: float) -> None:
    collision = ET.SubElement(link, "collision")
    pose = part.object_from_part
    ET.SubElement(collision, "origin", xyz=numbers(pose[:3, 3]), rpy=numbers(rpy_of(pose[:3, :3])))
    geometry = ET.SubElement(collision, "geometry")
    size = part.size
    if described.mesh is not None:
        ET.SubElement(geometry, "mesh", filename=described.mesh, scale="1 1 1")
    elif part.shape == "box":
        ET.SubElement(geometry, "box", size=numbers(2.0 * half for half in size))
    elif part.shape == "cylinder":
        ET.SubElement(geometry, "cylinder", radius=number(size[0]), length=number(2.0 * size[1]))
    else:
        ET.SubElement(geometry, "sphere", radius=number(size[0]))
    gazebo = ET.SubElement(collision, "gazebo")
    for key in ("mu1", "mu2"):
        ET.SubElement(gazebo, key).text = number(friction)


def _add_extra_info(link: ET.Element, asset: Asset, record: AssetRecord) -> None:
    """Labels under the names that EmbodiedGen and RoboOrchardSim read, then the record."""
    height, mass = number(asset.height_m), number(asset.mass_kg)
    held = any(grip.opening_m <= WIDEST_OPENING_M for grip in asset.grips)
    tags = sorted({*asset.tags, *(["has_interactive_poses"] if held or asset.region is not None else [])})
    labels = {
        "uuid": asset.uuid, "domain": asset.domain, "super_category": asset.super_category,
        "category": asset.category, "name": asset.name, "description": asset.description, "color": asset.color,
        "shape": asset.shape, "material": asset.material, "tags": ",".join(tags), "scale": "1.0",
        "real_height": height, "min_height": height, "max_height": height, "min_mass": mass, "max_mass": mass,
        "version": FORMAT_VERSION, "caption_candidates": CAPTIONS_NAME,
    }  # fmt: skip
    extra = ET.SubElement(link, "extra_info")
    for key, text in labels.items():
        ET.SubElement(extra, key).text = text
    box = ET.SubElement(extra, "aabb")
    ET.SubElement(box, "min").text = numbers(asset.box_min)
    ET.SubElement(box, "max").text = numbers(asset.box_max)
    ET.SubElement(extra, RECORD_ELEMENT).text = record.to_json()


def rpy_of(rotation: Array) -> Array:
    """(3,) roll, pitch, yaw in rad of a (3, 3) rotation, the inverse of `transforms.rotation_from_rpy`."""
    across = float(np.hypot(rotation[0, 0], rotation[1, 0]))
    pitch = np.arctan2(-rotation[2, 0], across)
    if across < 1e-6:  # at the poles roll and yaw turn about one axis; yaw is left at 0
        return np.array([np.arctan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0])
    roll, yaw = np.arctan2(rotation[2, 1], rotation[2, 2]), np.arctan2(rotation[1, 0], rotation[0, 0])
    return np.array([roll, pitch, yaw])
