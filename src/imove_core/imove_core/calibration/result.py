"""Calibrated poses put into a rig."""

import numpy as np

from imove_core.hardware import Calibrated
from imove_core.rig import Pose, Rig
from imove_core.transforms import Array, rpy_from_rotation


def pose_from_matrix(matrix: Array) -> Pose:
    """The URDF origin (roll, pitch, yaw about fixed axes) of a (4, 4) transform."""
    roll, pitch, yaw = rpy_from_rotation(matrix[:3, :3]).tolist()
    x, y, z = np.asarray(matrix[:3, 3], dtype=np.float64).tolist()
    return Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))


def with_camera(rig: Rig, camera: str, parent_from_optical: Array) -> Rig:
    """The rig with a camera at another place in what carries it; raises ImoveError where it has no such camera."""
    moved = rig.camera(camera).model_copy(update={"parent_from_optical": pose_from_matrix(parent_from_optical)})
    return rig.model_copy(update={"cameras": tuple(moved if c.name == camera else c for c in rig.cameras)})


def with_arm(rig: Rig, arm: str, world_from_base: Array) -> Rig:
    """The rig with an arm at another place; raises ImoveError where it has no such arm."""
    moved = rig.arm(arm).model_copy(update={"world_from_base": pose_from_matrix(world_from_base)})
    return rig.model_copy(update={"arms": tuple(moved if a.name == arm else a for a in rig.arms)})


def with_calibration(rig: Rig, what: str, calibrated: Calibrated) -> Rig:
    """The rig with a note of a calibration.

    Args:
        rig: To be noted in.
        what: Name of the camera, or `hardware.TABLE`.
        calibrated: When, and how well; it takes the place of an earlier one.
    """
    notes = rig.hardware.calibration | {what: calibrated}
    return rig.model_copy(update={"hardware": rig.hardware.model_copy(update={"calibration": notes})})
