"""Forward kinematics of one arm; the inverse is in `imove_core.inverse_kinematics`."""

import numpy as np

from imove_core.transforms import Array, rotation_about_axis, transform
from imove_description.arm_model import ArmModel


def link_poses(model: ArmModel, joints_rad: Array) -> dict[str, Array]:
    """Returns `base_from_link` (4, 4) of base, moved links and rigid mounts, by link name.

    Args:
        model: The arm.
        joints_rad: (n,) joint positions.
    """
    poses = {model.base_link: np.eye(4)}
    for joint, angle in zip(model.joints, joints_rad, strict=True):
        turn = transform(rotation_about_axis(joint.axis, angle))
        poses[joint.child] = poses[joint.parent] @ joint.parent_from_joint @ turn
    for mount in model.mounts:
        poses[mount.child] = poses[mount.parent] @ mount.parent_from_child
    return poses


def finger_poses(model: ArmModel, base_from_gripper: Array, opening_m: float) -> dict[str, Array]:
    """Returns `base_from_finger` (4, 4) of both fingers at an opening, by link name."""
    poses = {}
    for joint, position in zip(model.gripper.fingers, model.gripper.finger_positions(opening_m), strict=True):
        poses[joint.child] = base_from_gripper @ joint.parent_from_joint @ transform(translation=joint.axis * position)
    return poses


def tool_pose(model: ArmModel, joints_rad: Array) -> Array:
    """Returns `base_from_tcp` (4, 4): z is the approach direction, y the closing direction."""
    return flange_pose(model, joints_rad) @ model.flange_from_tcp


def flange_pose(model: ArmModel, joints_rad: Array) -> Array:
    """Returns `base_from_flange` (4, 4) of the end-effector link."""
    pose = np.eye(4)
    for index, angle in enumerate(joints_rad):
        pose = pose @ joint_transform(model, index, angle)
    return pose


def joint_transform(model: ArmModel, index: int, angle_rad: float) -> Array:
    """`parent_from_child` (4, 4) of an actuated joint at an angle."""
    turn = transform(rotation_about_axis(model.joint_axes[index], angle_rad))
    parent_from_child: Array = model.parent_from_joint[index] @ turn
    return parent_from_child
