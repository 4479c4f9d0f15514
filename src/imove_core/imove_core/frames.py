"""Transforms of a rig for TF: arms by forward kinematics, cameras from their mounts, objects from their poses."""

from imove_core.kinematics import finger_poses, link_poses
from imove_core.rig import WORLD_FRAME, Rig
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


def moving_frames(rig: Rig, state: StepState) -> list[Frame]:
    """Links, fingers and tool of every arm, and objects by their ids."""
    frames: list[Frame] = []
    joints = rig.split(state.robot.positions)
    for arm in rig.arms:
        model, prefix = arm.arm_model, arm.joint_prefix
        values = joints[arm.name]
        base_from = link_poses(model, values[:-1])
        base_from |= finger_poses(model, base_from[model.gripper.base_link], float(values[-1]))
        edges = [(joint.parent, joint.child) for joint in (*model.joints, *model.mounts, *model.gripper.fingers)]
        for parent, child in edges:
            name = arm.tool_frame if child == "tcp" else f"{prefix}{child}"
            frames.append((f"{prefix}{parent}", name, inverse(base_from[parent]) @ base_from[child]))
    frames += [(WORLD_FRAME, item.id, item.world_from_object) for item in state.objects]
    return frames
