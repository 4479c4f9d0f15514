"""What an object would cover of a camera's image if it lay where the spec says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.rig import Camera, Intrinsics
from imove_core.spec import SceneObject
from imove_core.transforms import Array, apply, inverse
from imove_tasks.assets.model import Asset

Contours = tuple[NDArray[np.float32], ...]
"""Closed lines (K, 2) in pixels of the image."""
_SUBPIXEL_BITS = 4
_BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""Corners of the faces of a box whose corners are in the order of `_box_corners`."""


@dataclass(frozen=True)
class Lens:
    """How a camera maps directions to pixels.

    Attributes:
        intrinsics: Of the image that is shown.
        distortion: Coefficients as OpenCV orders them (k1, k2, p1, p2, k3, ...), empty for none.
    """

    intrinsics: Intrinsics
    distortion: tuple[float, ...] = ()


class Silhouettes:
    """Outlines of objects in the image of a camera that stands still."""

    def __init__(self, camera: Camera, lens: Lens, asset: Callable[[str], Asset]) -> None:
        """Looks through a camera.

        Args:
            camera: Fixed in the world.
            lens: Of the image that is shown.
            asset: Gives the asset of an id; of one that is not known the box is shown.
        """
        self._optical_from_world = inverse(camera.parent_from_optical.matrix)
        self._lens, self._asset = lens, asset

    def of(self, item: SceneObject) -> Contours:
        """The outline of an object at its place; empty where the camera does not see that."""
        shape = self._lens.intrinsics.height, self._lens.intrinsics.width
        mask = np.zeros(shape, np.uint8)
        for vertices, faces in self._meshes(item):
            pixels = self.pixels(apply(item.world_from_object, vertices))
            if pixels is None:
                return ()
            corners = np.round(pixels[faces] * 2**_SUBPIXEL_BITS).astype(np.int32)
            for corner in corners:
                cv2.fillConvexPoly(mask, corner, 255, shift=_SUBPIXEL_BITS)
        found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        return tuple(line[:, 0].astype(np.float32) for line in found)

    def pixels(self, points: Array) -> Array | None:
        """Pixels (N, 2) of world points (N, 3), None where one of them is not in front of the camera."""
        seen = apply(self._optical_from_world, points)
        if seen[:, 2].min() <= 0.0:
            return None
        distortion = np.array(self._lens.distortion) if self._lens.distortion else None
        still = np.zeros(3)
        found, _ = cv2.projectPoints(seen, still, still, self._lens.intrinsics.matrix, distortion)
        return np.asarray(found, dtype=np.float64)[:, 0]

    def _meshes(self, item: SceneObject) -> Sequence[tuple[Array, NDArray[np.integer]]]:
        try:
            return [(mesh.vertices, mesh.faces) for mesh in self._asset(item.asset).visuals]
        except ImoveError:
            return [(_box_corners(item), _BOX_FACES)]


def _box_corners(item: SceneObject) -> Array:
    low, high = np.array(item.box_min), np.array(item.box_max)
    picks = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return np.where(picks == 0, low, high)
