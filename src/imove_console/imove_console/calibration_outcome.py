"""What follows from views of a board: where a camera is, and where the table is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imove_console.calibration_samples import Choice, Sample
from imove_core.calibration.hand_eye import HandEye, camera_beside_arm, camera_on_hand
from imove_core.calibration.result import with_arm, with_camera
from imove_core.calibration.table_plane import Plane, fit_plane
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform

FEWEST_TABLE_SAMPLES = 3
GOOD_MM, GOOD_DEG = 3.0, 0.5
"""Residuals that an arm of this class and a 640x480 camera reach; beyond the double of them something is wrong."""


@dataclass(frozen=True)
class Outcome:
    """What follows from the samples.

    Attributes:
        rig: With it.
        rms_mm: Of the residuals.
        rms_deg: Of the residuals.
        residuals_mm: Of each sample, by its number.
        moved_mm: How far the camera, or the table, is from where the rig had it.
        turned_deg: By how much it is turned.
    """

    rig: Rig
    rms_mm: float
    rms_deg: float
    residuals_mm: Mapping[int, float]
    moved_mm: float
    turned_deg: float

    @property
    def verdict(self) -> str:
        """ok, warn or error, by the size of the residuals."""
        share = max(self.rms_mm / GOOD_MM, self.rms_deg / GOOD_DEG)
        return "ok" if share <= 1 else "warn" if share <= 2 else "error"


def hand_eye_outcome(rig: Rig, choice: Choice, samples: Sequence[Sample]) -> Outcome:
    """Where a camera is; raises ImoveError where samples are too few or too alike."""
    camera = rig.camera(choice.camera)
    arm_poses = [sample.base_from_link for sample in samples if sample.base_from_link is not None]
    boards = [sample.board.camera_from_board for sample in samples]
    if camera.arm_and_link is not None:
        found = camera_on_hand(arm_poses, boards, choice.board)
        pose = found.camera
    else:
        found = camera_beside_arm(arm_poses, boards, choice.board)
        pose = rig.arm(choice.arm).world_from_base.matrix @ found.camera
    moved_m, turned_rad = _apart(camera.parent_from_optical.matrix, pose)
    return Outcome(
        rig=with_camera(rig, camera.name, pose),
        rms_mm=1e3 * found.rms_m,
        rms_deg=float(np.degrees(found.rms_rad)),
        residuals_mm=_by_number(samples, found),
        moved_mm=1e3 * moved_m,
        turned_deg=float(np.degrees(turned_rad)),
    )


def table_outcome(rig: Rig, choice: Choice, samples: Sequence[Sample]) -> Outcome:
    """Puts the world's origin onto the table: arms and fixed cameras keep their places to each other.

    Raises:
        ImoveError: The board was seen at too few places.
    """
    if len(samples) < FEWEST_TABLE_SAMPLES:
        raise ImoveError(f"the board was seen at {len(samples)} places of the table; {FEWEST_TABLE_SAMPLES} are needed")
    world_from_camera = rig.camera(choice.camera).parent_from_optical.matrix
    corners = [apply(world_from_camera @ sample.board.camera_from_board, choice.board.corners_m) for sample in samples]
    plane = fit_plane(np.concatenate(corners), np.random.default_rng(0))
    table_from_world = _onto(plane)
    corrected = rig
    for arm in rig.arms:
        corrected = with_arm(corrected, arm.name, table_from_world @ arm.world_from_base.matrix)
    for camera in rig.cameras:
        if camera.arm_and_link is None:
            corrected = with_camera(corrected, camera.name, table_from_world @ camera.parent_from_optical.matrix)
    heights = [plane.heights_m(points) for points in corners]
    rms = [float(np.sqrt(np.mean(height**2))) for height in heights]
    return Outcome(
        rig=corrected,
        rms_mm=1e3 * plane.rms_m,
        rms_deg=0.0,
        residuals_mm={sample.number: 1e3 * value for sample, value in zip(samples, rms, strict=True)},
        moved_mm=1e3 * abs(float(table_from_world[2, 3])),
        turned_deg=float(np.degrees(plane.tilt_rad)),
    )


def _by_number(samples: Sequence[Sample], found: HandEye) -> dict[int, float]:
    return {sample.number: 1e3 * float(gap) for sample, gap in zip(samples, found.residuals_m, strict=True)}


def _apart(before: Array, after: Array) -> tuple[float, float]:
    """Distance in m and angle in rad between two poses."""
    between = inverse(before) @ after
    cosine = np.clip((np.trace(between[:3, :3]) - 1) / 2, -1.0, 1.0)
    return float(np.linalg.norm(between[:3, 3])), float(np.arccos(cosine))


def _onto(plane: Plane) -> Array:
    """The smallest motion (4, 4) that brings a plane to z = 0."""
    axis = np.cross(plane.normal, [0.0, 0.0, 1.0])
    length = float(np.linalg.norm(axis))
    rotation = rotation_about_axis(axis, plane.tilt_rad) if length > 1e-9 else np.eye(3)
    return transform(rotation, (0.0, 0.0, -plane.offset_m))
