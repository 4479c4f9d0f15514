"""The table in the image: a plane that must be where the rig says it is, else the camera has moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array, rotation_about_axis, transform
from imove_tracker.cloud import TableImage

SEARCH_M = 0.04
"""Points farther from where the table should be are no part of it."""
INLIER_M = 0.006
MOST_POINTS = 4000
LEAST_SHARE = 0.2
MOST_OFFSET_M = 0.015
MOST_TILT_RAD = 0.035
"""Beyond these the camera has been moved, and is not merely a little off."""


@dataclass(frozen=True, eq=False)
class TableFit:
    """The plane of the table top.

    Attributes:
        normal: (3,) upward unit vector, world frame.
        offset_m: Height of the plane above the world's origin level, at the middle of the workspace.
        middle: (2,) of the workspace, world frame, m.
        roughness_m: Mean distance of the table's points from it.
        share: Of the points near the table that lie on it.
    """

    normal: Array
    offset_m: float
    middle: Array
    roughness_m: float
    share: float

    @property
    def tilt_rad(self) -> float:
        """Angle of its normal to the vertical."""
        return float(np.arccos(np.clip(self.normal[2], -1.0, 1.0)))

    def fault(self, camera: str) -> str:
        """What is wrong with the place of the camera, "" for nothing; one sentence for the operator."""
        if self.share < LEAST_SHARE:
            return f"camera {camera} does not see the table where the rig has it; calibrate the camera"
        if abs(self.offset_m) > MOST_OFFSET_M or self.tilt_rad > MOST_TILT_RAD:
            return (
                f"camera {camera} sees the table {1e3 * self.offset_m:+.0f} mm off and tilted by "
                f"{np.degrees(self.tilt_rad):.1f} degrees; {1e3 * MOST_OFFSET_M:.0f} mm and "
                f"{np.degrees(MOST_TILT_RAD):.0f} degrees are allowed: calibrate the camera"
            )
        return ""

    def levelled(self, world_from_camera: Array) -> Array:
        """The camera pose (4, 4) that puts the plane at height 0, with the middle of the workspace where it was."""
        axis = np.cross(self.normal, [0.0, 0.0, 1.0])
        pivot = np.array([*self.middle, self.offset_m])
        turn = rotation_about_axis(axis, self.tilt_rad) if self.tilt_rad > 1e-9 else np.eye(3)
        correction = transform(turn, -turn @ pivot + [*self.middle, 0.0])
        pose: Array = correction @ world_from_camera
        return pose


def fit_table(image: TableImage) -> TableFit | None:
    """Fits the table top, None where no point is near it; robust against objects and arms on and over it."""
    points = image.points.reshape(-1, 3)
    with np.errstate(invalid="ignore"):
        points = points[np.abs(points[:, 2]) < SEARCH_M]
    points = points[:: max(1, len(points) // MOST_POINTS)]
    middle = np.array([sum(image.workspace.x), sum(image.workspace.y)]) / 2
    if len(points) < 3:
        return None
    local = points - [*middle, 0.0]
    # The lower half of the points first: things stand on the table, nothing lies below it.
    kept = local[local[:, 2] <= np.median(local[:, 2]) + INLIER_M]
    for _ in range(4):
        basis = np.column_stack([kept[:, :2], np.ones(len(kept))])
        slopes, *_ = np.linalg.lstsq(basis, kept[:, 2], rcond=None)
        off = local[:, 2] - np.column_stack([local[:, :2], np.ones(len(local))]) @ slopes
        near = np.abs(off) < INLIER_M
        if near.sum() < 3:
            return None
        kept = local[near]
    normal = np.array([-slopes[0], -slopes[1], 1.0])
    normal /= np.linalg.norm(normal)
    return TableFit(normal, float(slopes[2]), middle, float(np.abs(off[near]).mean()), float(near.mean()))
