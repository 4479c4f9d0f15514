"""Transforms of a rig for TF: arms by forward kinematics, cameras from their mounts, objects from their poses."""

from imove_core.kinematics import finger_poses, link_poses
from imove_core.rig import WORLD_FRAME, Arm, Rig
from imove_core.state import StepState
from imove_core.transforms import Array, inverse

Frame = tuple[str, str, Array]
"""Parent frame, child frame, `parent_from_child` (4, 4)."""


def static_frames(rig: Rig) -> list[Frame]:
    """Frames that do not move during an episode: arm bases, and every camera in what carries it."""
    frames: list[Frame] = [
        (WORLD_FRAME, f"{arm.joint_prefix}{arm.arm_model.base_link}", arm.world_from_base.matrix) for arm in rig.arms
    ]
    for camera in rig.cameras:
        parent = WORLD_FRAME
        if camera.arm_and_link is not None:
            arm_name, link = camera.arm_and_link
            parent = f"{rig.arm(arm_name).joint_prefix}{link}"
        frames.append((parent, camera.optical_frame, camera.parent_from_optical.matrix))
    return frames


def arm_frames(arm: Arm, positions: Array) -> list[Frame]:
    """Links, fingers and tool of an arm.

    Args:
        arm: The arm.
        positions: (size,) of its joints, rad, and of its gripper's opening, m.
    """
    model, prefix = arm.arm_model, arm.joint_prefix
    base_from = link_poses(model, positions[:-1])
    base_from |= finger_poses(model, base_from[model.gripper.base_link], float(positions[-1]))
    edges = [(joint.parent, joint.child) for joint in model.joints]
    edges += [(mount.parent, mount.child) for mount in model.mounts]
    edges += [(finger.parent, finger.child) for finger in model.gripper.fingers]
    return [
        (
            f"{prefix}{parent}",
            arm.tool_frame if child == "tcp" else f"{prefix}{child}",
            inverse(base_from[parent]) @ base_from[child],
        )
        for parent, child in edges
    ]


def moving_frames(rig: Rig, state: StepState) -> list[Frame]:
    """Links, fingers and tool of every arm, and objects by their ids."""
    joints = rig.split(state.robot.positions)
    return [
        *(frame for arm in rig.arms for frame in arm_frames(arm, joints[arm.name])),
        *((WORLD_FRAME, item.id, item.world_from_object) for item in state.objects),
    ]
