"""What a depth image shows, as points in the world, and which of them are over the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Camera, Workspace
from imove_core.transforms import Array, apply

ABOVE_TABLE_M = 0.004
"""Lower points belong to the table: above the rounding of a depth image, below the flattest object of the corpus."""
HIGHEST_M = 0.25
"""Higher points belong to no object of the corpus."""
MARGIN_M = 0.08
"""Beyond the workspace; farther out lies nothing that can be asked for."""
ALL_NEIGHBOURS = np.ones((3, 3), bool)
"""Pixels that touch at a corner belong together."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """A depth image as world points.

    Attributes:
        points: (H, W, 3) m; NaN where the image has no return.
        pixel_m: Distance between neighbouring points on the table, about.
    """

    points: Array
    pixel_m: float

    @classmethod
    def of(cls, depth_mm: NDArray[np.uint16], camera: Camera) -> Cloud:
        """The points that a fixed camera's depth image (H, W) shows."""
        height, width = depth_mm.shape
        intrinsics = camera.intrinsics.resized(width, height)
        columns, rows = np.meshgrid(np.arange(width), np.arange(height))
        depth = np.where(depth_mm > 0, depth_mm / 1e3, np.nan)
        local = np.stack(
            [
                (columns - intrinsics.cx) / intrinsics.fx * depth,
                (rows - intrinsics.cy) / intrinsics.fy * depth,
                depth,
            ],
            axis=-1,
        )
        farthest = float(np.nanmedian(depth)) if np.isfinite(depth).any() else 1.0
        return cls(apply(camera.parent_from_optical.matrix, local), farthest / intrinsics.fx)


def over_table(points: Array, workspace: Workspace) -> NDArray[np.bool_]:
    """Which world points (..., 3), m, stand or hang over the workspace and its margin, as a mask (...)."""
    with np.errstate(invalid="ignore"):
        wanted: NDArray[np.bool_] = (points[..., 2] > ABOVE_TABLE_M) & (points[..., 2] < HIGHEST_M)
        for axis, (low, high) in enumerate((workspace.x, workspace.y)):
            wanted &= (points[..., axis] > low - MARGIN_M) & (points[..., axis] < high + MARGIN_M)
    return wanted
