"""What the static RGB-D camera shows of the workspace: colours, and points in the world, pixel by pixel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from imove_core.clouds import HIGHEST_M, MARGIN_M, Cloud, over_table
from imove_core.errors import ImoveError
from imove_core.rig import Camera, Intrinsics, Pose, Workspace
from imove_core.transforms import Array, apply, inverse, rpy_from_rotation

Mask = NDArray[np.bool_]
LEAST_SIDE = 16
"""A workspace that covers fewer pixels a side than this is not in the picture."""


@dataclass(frozen=True, eq=False)
class TableImage:
    """The part of an image in which the workspace and what is on it can be seen.

    Attributes:
        rgb: (H, W, 3) uint8.
        depth_m: (H, W) along the optical axis, NaN without a return.
        points: (H, W, 3) in the world, m, NaN without a return.
        pixel_m: Distance of neighbouring points on the table, about.
        world_from_camera: (4, 4) pose of the optical frame.
        intrinsics: Of this part.
        workspace: Where objects may lie.
    """

    rgb: NDArray[np.uint8]
    depth_m: Array
    points: Array
    pixel_m: float
    world_from_camera: Array
    intrinsics: Intrinsics
    workspace: Workspace

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        height, width = self.depth_m.shape
        return height, width

    def pixels_of(self, points: Array) -> tuple[Array, Array]:
        """Column and row (N, 2), as fractions, and depth (N,), m, of world points (N, 3) in front of the camera."""
        local = apply(inverse(self.world_from_camera), points)
        depth = np.maximum(local[:, 2], 1e-6)
        k = self.intrinsics
        return local[:, :2] / depth[:, None] * [k.fx, k.fy] + [k.cx, k.cy], depth

    def on_plane(self, pixels: Array, height_m: float) -> Array:
        """World x and y (N, 2) where the rays of pixels (N, 2) meet the horizontal plane at a height."""
        k = self.intrinsics
        rays = np.column_stack([(pixels - [k.cx, k.cy]) / [k.fx, k.fy], np.ones(len(pixels))])
        rays = rays @ self.world_from_camera[:3, :3].T
        eye = self.world_from_camera[:3, 3]
        away = (height_m - eye[2]) / np.minimum(rays[:, 2], -1e-6)
        found: Array = eye[:2] + away[:, None] * rays[:, :2]
        return found

    def seen_from(self, world_from_camera: Array) -> TableImage:
        """The same image of a camera that stands a little elsewhere."""
        correction = world_from_camera @ inverse(self.world_from_camera)
        return replace(self, points=apply(correction, self.points), world_from_camera=world_from_camera)

    def above_table(self) -> Mask:
        """Pixels (H, W) of what stands or hangs over the workspace, the robot included."""
        return over_table(self.points, self.workspace)


def table_image(
    rgb: NDArray[np.uint8],
    depth_mm: NDArray[np.uint16],
    camera: Camera,
    intrinsics: Intrinsics,
    world_from_camera: Array,
    workspace: Workspace,
) -> TableImage:
    """Cuts the workspace out of an image and turns its depth into points.

    Args:
        rgb: (H, W, 3) colour.
        depth_mm: (H, W) aligned to it, 0 without a return.
        camera: The fixed camera that took both.
        intrinsics: Of the image as it came.
        world_from_camera: (4, 4) pose of the optical frame.
        workspace: Of the rig.

    Raises:
        ImoveError: Colour and depth differ in size, or the camera does not see the workspace.
    """
    height, width = depth_mm.shape
    if rgb.shape[:2] != (height, width):
        raise ImoveError(
            f"camera {camera.name} has colour of {rgb.shape[1]}x{rgb.shape[0]} and depth of {width}x{height} pixels; "
            "depth must be aligned to colour"
        )
    if (intrinsics.width, intrinsics.height) != (width, height):
        raise ImoveError(
            f"camera {camera.name} has images of {width}x{height} pixels and intrinsics for "
            f"{intrinsics.width}x{intrinsics.height}; both must be of one size"
        )
    rows, columns = _region(intrinsics, world_from_camera, workspace)
    if rows.stop - rows.start < LEAST_SIDE or columns.stop - columns.start < LEAST_SIDE:
        raise ImoveError(
            f"camera {camera.name} does not see the workspace from where the rig says it stands; calibrate it anew"
        )
    cut = intrinsics.model_copy(
        update={
            "width": columns.stop - columns.start,
            "height": rows.stop - rows.start,
            "cx": intrinsics.cx - columns.start,
            "cy": intrinsics.cy - rows.start,
        }
    )
    xyz, rpy = world_from_camera[:3, 3].tolist(), rpy_from_rotation(world_from_camera[:3, :3]).tolist()
    seen_from = camera.model_copy(
        update={"intrinsics": cut, "parent_from_optical": Pose(xyz=tuple(xyz), rpy=tuple(rpy))}
    )
    # A stereo camera's depth is speckled; what is wider than two pixels keeps its shape.
    depth = np.asarray(cv2.medianBlur(np.ascontiguousarray(depth_mm[rows, columns]), 3), np.uint16)
    cloud = Cloud.of(depth, seen_from)
    depth_m = np.where(depth > 0, depth / 1e3, np.nan)
    return TableImage(
        rgb[rows, columns], depth_m, cloud.points, cloud.pixel_m, np.asarray(world_from_camera), cut, workspace
    )


def _region(intrinsics: Intrinsics, world_from_camera: Array, workspace: Workspace) -> tuple[slice, slice]:
    """Rows and columns in which anything over the workspace can be seen."""
    corners = np.array(
        [
            (x, y, z)
            for x in (workspace.x[0] - MARGIN_M, workspace.x[1] + MARGIN_M)
            for y in (workspace.y[0] - MARGIN_M, workspace.y[1] + MARGIN_M)
            for z in (0.0, HIGHEST_M)
        ]
    )
    local = apply(inverse(world_from_camera), corners)
    if local[:, 2].min() <= 0.0:
        return slice(0, intrinsics.height), slice(0, intrinsics.width)
    pixels = local[:, :2] / local[:, 2:] * [intrinsics.fx, intrinsics.fy] + [intrinsics.cx, intrinsics.cy]
    low, high = np.floor(pixels.min(axis=0)).astype(int), np.ceil(pixels.max(axis=0)).astype(int) + 1
    columns = slice(max(0, int(low[0])), max(0, min(intrinsics.width, int(high[0]))))
    rows = slice(max(0, int(low[1])), max(0, min(intrinsics.height, int(high[1]))))
    return rows, columns
