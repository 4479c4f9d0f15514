"""The camera that looks at the whole table: which it is, and where in its image a point of the world is seen."""

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import WORLD_FRAME, Camera, Rig
from imove_core.transforms import Array, apply, inverse


def fixed_camera(rig: Rig, name: str = "") -> Camera:
    """The camera that the table is seen through: the named one, else the first that stands still.

    Raises:
        ImoveError: There is none, or the named one moves with an arm.
    """
    fixed = [camera for camera in rig.cameras if camera.parent == WORLD_FRAME]
    if name:
        camera = rig.camera(name)
        if camera not in fixed:
            raise ImoveError(f"camera {name} of rig {rig.name} moves with an arm; a fixed one is needed")
        return camera
    if not fixed:
        raise ImoveError(f"rig {rig.name} has no camera that stands still; one is needed")
    return fixed[0]


def pixels_of(camera: Camera, width: int, height: int, points: Array) -> Array:
    """Column and row (..., 2), as fractions, of world points (..., 3) in an image; NaN behind the camera."""
    intrinsics = camera.intrinsics.resized(width, height)
    local = apply(inverse(camera.parent_from_optical.matrix), points)
    depth = np.where(local[..., 2] > 0, local[..., 2], np.nan)
    focal, centre = np.array([intrinsics.fx, intrinsics.fy]), np.array([intrinsics.cx, intrinsics.cy])
    pixels: Array = local[..., :2] / depth[..., None] * focal + centre
    return pixels
