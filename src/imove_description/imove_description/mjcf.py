"""MJCF of one arm, names unprefixed, to be attached to a scene with `MjSpec.attach(..., prefix="left_")`.

Bodies are named like links, arm joints and their position actuators like joints. The actuator ``gripper``
commands the opening in m through one tendon over both fingers. Site ``tcp`` is the tool frame. Geometry that
is seen is in group 2, geometry that collides in group 3. The gains hold for 1/480 s steps and the integrator
implicitfast.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from imove_description.arm_model import GRIPPER_JOINT, TCP_LINK, ArmModel
from imove_description.facts import JointFacts, LinkFacts
from imove_description.meshes import link_meshes, mesh_file_name
from imove_description.reading import FloatArray
from imove_description.rotation import quaternion_wxyz
from imove_description.shapes import MATERIAL_RGB, CollisionBox, CollisionShape
from imove_description.xml_text import numbers, to_text

VISUAL_GROUP = 2
COLLISION_GROUP = 3

#: Pads: sliding, torsional and rolling friction; priority 1 lets the pad's parameters win over the object's.
PAD_CONTACT = {
    "condim": "4",
    "friction": "1.1 0.02 0.0001",
    "priority": "1",
    "solref": "0.005 1",
    "solimp": "0.95 0.99 0.001 0.5 2",
}


def arm_mjcf(model: ArmModel, mesh_folder: str = "") -> str:
    """The MJCF document of one arm.

    Args:
        model: the arm.
        mesh_folder: where the mesh files lie relative to the document. Leave empty when the files are given
            to `MjSpec.from_string` as `meshes.mesh_files(model)`.
    """
    root = ElementTree.Element("mujoco", model=model.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true", meshdir=mesh_folder)
    _add_defaults(root, model)
    _add_assets(root, model)
    world = ElementTree.SubElement(root, "worldbody")
    _add_bodies(world, model)
    _add_excludes(ElementTree.SubElement(root, "contact"), model)
    _add_gripper_coupling(root, model)
    _add_actuators(ElementTree.SubElement(root, "actuator"), model)
    return to_text(root)


def _add_defaults(root: ElementTree.Element, model: ArmModel) -> None:
    default = ElementTree.SubElement(root, "default")
    visual = ElementTree.SubElement(default, "default", {"class": f"{model.name}_visual"})
    ElementTree.SubElement(visual, "geom", type="mesh", contype="0", conaffinity="0", mass="0", group=str(VISUAL_GROUP))
    collision = ElementTree.SubElement(default, "default", {"class": f"{model.name}_collision"})
    ElementTree.SubElement(collision, "geom", mass="0", group=str(COLLISION_GROUP))
    pad = ElementTree.SubElement(collision, "default", {"class": f"{model.name}_pad"})
    ElementTree.SubElement(pad, "geom", PAD_CONTACT)


def _add_assets(root: ElementTree.Element, model: ArmModel) -> None:
    asset = ElementTree.SubElement(root, "asset")
    used = {material for link in model.links for material in link_meshes(model, link.name)}
    for material, rgb in MATERIAL_RGB.items():
        if material in used:
            name = f"{model.name}_{material}"
            ElementTree.SubElement(asset, "material", name=name, rgba=numbers((*rgb, 1)), specular="0.3")
    for link in model.links:
        for material in link_meshes(model, link.name):
            file = mesh_file_name(model, link.name, material)
            ElementTree.SubElement(asset, "mesh", name=f"{link.name}_{material}", file=file)


def _add_bodies(world: ElementTree.Element, model: ArmModel) -> None:
    bodies = {model.base_link: _add_body(world, model, model.base_link, np.eye(4))}
    for joint in model.joints:
        bodies[joint.child] = _add_body(bodies[joint.parent], model, joint.child, joint.parent_from_joint, joint)
    for mount in model.mounts:
        parent = bodies[mount.parent]
        if mount.child == TCP_LINK:
            pose = _pose(mount.parent_from_child)
            ElementTree.SubElement(parent, "site", pose, name=TCP_LINK, group="4", size="0.005")
        else:
            bodies[mount.child] = _add_body(parent, model, mount.child, mount.parent_from_child)
    for finger in model.gripper.fingers:
        parent = bodies[finger.parent]
        body = _add_body(parent, model, finger.child, finger.parent_from_joint, finger)
        _add_pad(body, model, finger)


def _add_body(
    parent: ElementTree.Element,
    model: ArmModel,
    link_name: str,
    parent_from_link: FloatArray,
    joint: JointFacts | None = None,
) -> ElementTree.Element:
    link = model.link(link_name)
    body = ElementTree.SubElement(parent, "body", _pose(parent_from_link), name=link_name, gravcomp="1")
    ElementTree.SubElement(
        body,
        "inertial",
        pos=numbers(link.com_m),
        mass=numbers([link.mass_kg]),
        diaginertia=numbers(link.inertia_kgm2),
    )
    if joint is not None:
        _add_joint(body, model, joint)
    _add_geoms(body, model, link)
    return body


def _add_joint(body: ElementTree.Element, model: ArmModel, joint: JointFacts) -> None:
    sliding = joint in model.gripper.fingers
    servo = model.gripper.servo if sliding else model.servos[model.joints.index(joint)]
    ElementTree.SubElement(
        body,
        "joint",
        name=joint.name,
        type="slide" if sliding else "hinge",
        axis=numbers(joint.axis),
        range=numbers([joint.lower, joint.upper]),
        armature=numbers([servo.armature]),
    )


def _add_geoms(body: ElementTree.Element, model: ArmModel, link: LinkFacts) -> None:
    for material in link_meshes(model, link.name):
        attributes = {
            "class": f"{model.name}_visual",
            "mesh": f"{link.name}_{material}",
            "material": f"{model.name}_{material}",
        }
        ElementTree.SubElement(body, "geom", attributes)
    for index, shape in enumerate(link.collision):
        attributes = {"name": f"{link.name}_collision{index}", "class": f"{model.name}_collision"}
        ElementTree.SubElement(body, "geom", attributes | _collision_attributes(shape))


def _add_pad(body: ElementTree.Element, model: ArmModel, finger: JointFacts) -> None:
    attributes = {"name": f"{finger.child}_pad", "class": f"{model.name}_pad"}
    ElementTree.SubElement(body, "geom", attributes | _collision_attributes(model.gripper.pad_box(finger)))


def _collision_attributes(shape: CollisionShape) -> dict[str, str]:
    if isinstance(shape, CollisionBox):
        return {"type": "box", "size": numbers(shape.size_m / 2), **_pose(shape.link_from_box)}
    return {
        "type": "capsule" if shape.round_ends else "cylinder",
        "size": numbers([shape.radius_m]),
        "fromto": numbers([*shape.start_m, *shape.end_m]),
    }


def _add_excludes(contact: ElementTree.Element, model: ArmModel) -> None:
    """Links that touch by construction; MuJoCo skips parent and child only where the parent can move."""
    first, second = (finger.child for finger in model.gripper.fingers)
    pairs = [(model.base_link, model.joints[0].child), (first, second), *model.touching_links]
    for body1, body2 in pairs:
        ElementTree.SubElement(contact, "exclude", body1=body1, body2=body2)


def _add_gripper_coupling(root: ElementTree.Element, model: ArmModel) -> None:
    first, second = (finger.name for finger in model.gripper.fingers)
    tendon = ElementTree.SubElement(root, "tendon")
    fixed = ElementTree.SubElement(tendon, "fixed", name="opening")
    for name in (first, second):
        ElementTree.SubElement(fixed, "joint", joint=name, coef="1")
    equality = ElementTree.SubElement(root, "equality")
    ElementTree.SubElement(equality, "joint", joint1=first, joint2=second, polycoef="0 1 0 0 0", solref="0.005 1")


def _add_actuators(actuator: ElementTree.Element, model: ArmModel) -> None:
    for joint, servo in zip(model.joints, model.servos, strict=True):
        ElementTree.SubElement(
            actuator,
            "position",
            name=joint.name,
            joint=joint.name,
            kp=numbers([servo.stiffness]),
            kv=numbers([servo.damping]),
            ctrlrange=numbers([joint.lower, joint.upper]),
            forcerange=numbers([-joint.effort, joint.effort]),
        )
    gripper = model.gripper
    ElementTree.SubElement(
        actuator,
        "position",
        name=GRIPPER_JOINT,
        tendon="opening",
        kp=numbers([gripper.servo.stiffness]),
        kv=numbers([gripper.servo.damping]),
        ctrlrange=numbers([gripper.min_opening_m, gripper.max_opening_m]),
        forcerange=numbers([-gripper.force_n, gripper.force_n]),
    )


def _pose(parent_from_child: FloatArray) -> dict[str, str]:
    quaternion = quaternion_wxyz(parent_from_child[:3, :3])
    return {"pos": numbers(parent_from_child[:3, 3]), "quat": numbers(quaternion)}
