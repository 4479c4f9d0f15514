"""URDF of one arm or of a rig of several, for rviz, robot_state_publisher and other readers.

The gripper is driven by one joint ``<prefix>gripper`` whose position is the opening in m; both finger joints
mimic it at half. Meshes are referred to as ``package://`` URIs.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np

from imove_description.arm_model import GRIPPER_JOINT, TCP_LINK, ArmModel
from imove_description.facts import JointFacts, LinkFacts
from imove_description.meshes import link_meshes, mesh_file_name
from imove_description.reading import DescriptionError, FloatArray
from imove_description.rotation import roll_pitch_yaw, rotation_z_to
from imove_description.shapes import MATERIAL_RGB, CollisionBox, CollisionRod, CollisionShape
from imove_description.xml_text import numbers, to_text

MESH_URI = "package://imove_description/meshes"
WORLD_LINK = "world"
#: Massless link that the gripper joint moves; it exists because a URDF joint needs a child of its own.
OPENING_LINK = "gripper_opening"

RigArm = tuple[str, ArmModel, FloatArray]


def arm_urdf(model: ArmModel, prefix: str = "", mesh_uri: str = MESH_URI) -> str:
    """The URDF document of one arm, rooted at its base link.

    Args:
        model: the arm.
        prefix: put before every link and joint name, e.g. ``left_``.
        mesh_uri: folder of the mesh files as the reader is to find it.
    """
    root = ElementTree.Element("robot", name=f"{prefix}{model.name}")
    _add_materials(root)
    _add_arm(root, model, prefix, mesh_uri)
    return to_text(root)


def rig_urdf(name: str, arms: Sequence[RigArm], mesh_uri: str = MESH_URI) -> str:
    """The URDF document of several arms, rooted at the link ``world``.

    Args:
        name: name of the robot.
        arms: for each arm its name prefix, its model and world_from_base, (4, 4), m.
        mesh_uri: folder of the mesh files as the reader is to find it.

    Raises:
        DescriptionError: two arms have the same prefix.
    """
    prefixes = [prefix for prefix, _, _ in arms]
    if len(set(prefixes)) < len(prefixes):
        raise DescriptionError(f"arms of rig {name!r} must have different prefixes, got {prefixes}")
    root = ElementTree.Element("robot", name=name)
    _add_materials(root)
    ElementTree.SubElement(root, "link", name=WORLD_LINK)
    for prefix, model, world_from_base in arms:
        _add_arm(root, model, prefix, mesh_uri)
        base = f"{prefix}{model.base_link}"
        _add_fixed(root, f"{base}_mount", WORLD_LINK, base, world_from_base)
    return to_text(root)


def _add_materials(root: ElementTree.Element) -> None:
    for material, rgb in MATERIAL_RGB.items():
        element = ElementTree.SubElement(root, "material", name=material)
        ElementTree.SubElement(element, "color", rgba=numbers((*rgb, 1)))


def _add_arm(root: ElementTree.Element, model: ArmModel, prefix: str, mesh_uri: str) -> None:
    for link in model.links:
        _add_link(root, model, link, prefix, mesh_uri)
    for name in (TCP_LINK, OPENING_LINK):
        ElementTree.SubElement(root, "link", name=f"{prefix}{name}")
    for joint in model.joints:
        _add_joint(root, joint, prefix, "revolute")
    for mount in model.mounts:
        child = f"{prefix}{mount.child}"
        _add_fixed(root, f"{child}_mount", f"{prefix}{mount.parent}", child, mount.parent_from_child)
    gripper = model.gripper
    opening = JointFacts(
        name=GRIPPER_JOINT,
        parent=gripper.base_link,
        child=OPENING_LINK,
        parent_from_joint=np.eye(4),
        axis=gripper.fingers[0].axis,
        lower=gripper.min_opening_m,
        upper=gripper.max_opening_m,
        velocity=gripper.velocity_m_s,
        effort=gripper.force_n,
    )
    _add_joint(root, opening, prefix, "prismatic")
    for finger in gripper.fingers:
        element = _add_joint(root, finger, prefix, "prismatic")
        ElementTree.SubElement(element, "mimic", joint=f"{prefix}{GRIPPER_JOINT}", multiplier="0.5")


def _add_link(root: ElementTree.Element, model: ArmModel, link: LinkFacts, prefix: str, mesh_uri: str) -> None:
    element = ElementTree.SubElement(root, "link", name=f"{prefix}{link.name}")
    inertial = ElementTree.SubElement(element, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=numbers(link.com_m), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=numbers([link.mass_kg]))
    ixx, iyy, izz = (numbers([value]) for value in link.inertia_kgm2)
    ElementTree.SubElement(inertial, "inertia", ixx=ixx, ixy="0", ixz="0", iyy=iyy, iyz="0", izz=izz)
    for material in link_meshes(model, link.name):
        visual = ElementTree.SubElement(element, "visual")
        geometry = ElementTree.SubElement(visual, "geometry")
        file = mesh_file_name(model, link.name, material)
        ElementTree.SubElement(geometry, "mesh", filename=f"{mesh_uri}/{file}")
        ElementTree.SubElement(visual, "material", name=material)
    shapes = list(link.collision)
    shapes += [model.gripper.pad_box(f) for f in model.gripper.fingers if f.child == link.name]
    for shape in shapes:
        _add_collision(element, shape)


def _add_collision(link: ElementTree.Element, shape: CollisionShape) -> None:
    if isinstance(shape, CollisionBox):
        geometry = _collision_geometry(link, shape.link_from_box)
        ElementTree.SubElement(geometry, "box", size=numbers(shape.size_m))
        return
    radius = numbers([shape.radius_m])
    length_m = float(np.linalg.norm(shape.end_m - shape.start_m))
    geometry = _collision_geometry(link, _rod_pose(shape))
    ElementTree.SubElement(geometry, "cylinder", radius=radius, length=numbers([length_m]))
    if shape.round_ends:  # URDF has no capsule
        for centre in (shape.start_m, shape.end_m):
            pose = np.eye(4)
            pose[:3, 3] = centre
            ElementTree.SubElement(_collision_geometry(link, pose), "sphere", radius=radius)


def _collision_geometry(link: ElementTree.Element, link_from_shape: FloatArray) -> ElementTree.Element:
    collision = ElementTree.SubElement(link, "collision")
    _add_origin(collision, link_from_shape)
    return ElementTree.SubElement(collision, "geometry")


def _rod_pose(rod: CollisionRod) -> FloatArray:
    pose = np.eye(4)
    pose[:3, :3] = rotation_z_to(rod.end_m - rod.start_m)
    pose[:3, 3] = (rod.start_m + rod.end_m) / 2
    return pose


def _add_joint(root: ElementTree.Element, joint: JointFacts, prefix: str, kind: str) -> ElementTree.Element:
    element = ElementTree.SubElement(root, "joint", name=f"{prefix}{joint.name}", type=kind)
    _add_edge(element, f"{prefix}{joint.parent}", f"{prefix}{joint.child}", joint.parent_from_joint)
    ElementTree.SubElement(element, "axis", xyz=numbers(joint.axis))
    limits = {
        "lower": joint.lower,
        "upper": joint.upper,
        "effort": joint.effort,
        "velocity": joint.velocity,
    }
    ElementTree.SubElement(element, "limit", {key: numbers([value]) for key, value in limits.items()})
    return element


def _add_fixed(root: ElementTree.Element, name: str, parent: str, child: str, parent_from_child: FloatArray) -> None:
    element = ElementTree.SubElement(root, "joint", name=name, type="fixed")
    _add_edge(element, parent, child, parent_from_child)


def _add_edge(joint: ElementTree.Element, parent: str, child: str, parent_from_child: FloatArray) -> None:
    _add_origin(joint, parent_from_child)
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)


def _add_origin(element: ElementTree.Element, parent_from_child: FloatArray) -> None:
    rpy = roll_pitch_yaw(parent_from_child[:3, :3])
    ElementTree.SubElement(element, "origin", xyz=numbers(parent_from_child[:3, 3]), rpy=numbers(rpy))
