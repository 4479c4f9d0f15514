"""SRDF of a rig: planning groups, end effectors, named states and the pairs of links that are not checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree

from imove_description.moveit.values import ALL_ARMS_GROUP, DisabledPair, MoveItArm, MoveItRig
from imove_description.urdf import WORLD_LINK
from imove_description.xml_text import numbers, to_text

HOME_STATE = "home"
OPEN_STATE = "open"
CLOSED_STATE = "closed"

WORLD_JOINT = "world_joint"
"""Virtual joint that fixes the URDF's root in the planning frame; both are called world."""


def rig_srdf(rig: MoveItRig, disabled: Iterable[DisabledPair]) -> str:
    """The SRDF document that goes with `imove_description.urdf.rig_urdf`.

    Args:
        rig: the rig.
        disabled: pairs of links that are not checked, see `imove_description.moveit.pairs`.
    """
    root = ElementTree.Element("robot", name=rig.name)
    for arm in rig.arms:
        group = ElementTree.SubElement(root, "group", name=arm.group)
        ElementTree.SubElement(group, "chain", base_link=arm.base_link, tip_link=arm.tip_link)
    for arm in rig.arms:
        group = ElementTree.SubElement(root, "group", name=arm.hand_group)
        for joint in (arm.gripper_joint, *arm.finger_joints):
            ElementTree.SubElement(group, "joint", name=joint)
    if ALL_ARMS_GROUP in rig.group_names:
        group = ElementTree.SubElement(root, "group", name=ALL_ARMS_GROUP)
        for arm in rig.arms:
            ElementTree.SubElement(group, "group", name=arm.group)
    _add_states(root, rig)
    for arm in rig.arms:
        _add_end_effector(root, arm)
    ElementTree.SubElement(
        root, "virtual_joint", name=WORLD_JOINT, type="fixed", parent_frame=WORLD_LINK, child_link=WORLD_LINK
    )
    for pair in disabled:
        ElementTree.SubElement(root, "disable_collisions", link1=pair.link1, link2=pair.link2, reason=pair.reason)
    return to_text(root)


def _add_states(root: ElementTree.Element, rig: MoveItRig) -> None:
    homes = {arm.group: dict(zip(arm.joint_names, arm.home.tolist(), strict=True)) for arm in rig.arms}
    if ALL_ARMS_GROUP in rig.group_names:
        homes[ALL_ARMS_GROUP] = {joint: value for home in homes.values() for joint, value in home.items()}
    for group, values in homes.items():
        _add_state(root, HOME_STATE, group, values)
    for arm in rig.arms:
        gripper = arm.model.gripper
        openings = {
            HOME_STATE: arm.home_opening_m,
            OPEN_STATE: gripper.max_opening_m,
            CLOSED_STATE: gripper.min_opening_m,
        }
        for state, opening_m in openings.items():
            _add_state(root, state, arm.hand_group, {arm.gripper_joint: opening_m})


def _add_state(root: ElementTree.Element, name: str, group: str, values: Mapping[str, float]) -> None:
    state = ElementTree.SubElement(root, "group_state", name=name, group=group)
    for joint, value in values.items():
        ElementTree.SubElement(state, "joint", name=joint, value=numbers([value]))


def _add_end_effector(root: ElementTree.Element, arm: MoveItArm) -> None:
    ElementTree.SubElement(
        root,
        "end_effector",
        name=arm.hand_group,
        parent_link=arm.hand_link,
        group=arm.hand_group,
        parent_group=arm.group,
    )
