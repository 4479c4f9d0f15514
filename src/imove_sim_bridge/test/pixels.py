"""What the pixels of a rendered frame show, from depth and camera pose alone."""

import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Camera
from imove_core.transforms import Array, apply
from imove_sim_bridge.backend import CameraFrame

Mask = NDArray[np.bool_]


def world_points(camera: Camera, frame: CameraFrame) -> Array:
    """(H, W, 3) world point behind each pixel of a fixed camera; NaN where there is no depth."""
    rows, columns = np.mgrid[0 : frame.rgb.shape[0], 0 : frame.rgb.shape[1]]
    lens = frame.intrinsics
    rays = np.stack([(columns - lens.cx) / lens.fx, (rows - lens.cy) / lens.fy, np.ones(rows.shape)], axis=-1)
    depth_m = np.where(frame.depth_mm > 0, frame.depth_mm / 1e3, np.nan)
    return apply(camera.parent_from_optical.matrix, rays * depth_m[..., None])


def inside_box(points: Array, low: Array, high: Array) -> Mask:
    """Which points (..., 3) lie in a box of the world."""
    return np.all((points >= low) & (points <= high), axis=-1)


def differing(first: CameraFrame, second: CameraFrame) -> Mask:
    """Which pixels differ in colour."""
    return np.any(first.rgb != second.rgb, axis=-1)
