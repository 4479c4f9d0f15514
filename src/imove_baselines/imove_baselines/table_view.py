"""The workspace seen from straight above, as a fixed camera's image shows it: a picture in metres.

Whatever the camera, row 0 is farthest from the robot and column 0 farthest to its left, and a cell covers the same
length of the table everywhere; so heat maps, labels and augmentations are in one frame, and left of is left of.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from imove_core.fixed_camera import pixels_of
from imove_core.rig import Camera, Rig
from imove_core.transforms import Array

CELL_M = 0.0045
"""About a pixel of a 224 x 224 image from 0.85 m above; finer cells would show nothing more."""
MARGIN_M = 0.06
"""Beyond the workspace: an object's middle lies in it, its ends may not."""
PLANE_M = 0.02
"""Height of the plane that is rectified: half that of the median object."""
MULTIPLE = 16
"""Rows and columns are multiples of this, so that strided convolutions divide them."""


@dataclass(frozen=True)
class TableView:
    """A grid of cells on a horizontal plane.

    Attributes:
        center: (x, y) of the middle of the grid, world frame, m.
        rows: Number of cells along -x, away from the robot first.
        columns: Number of cells along -y, from the robot's left to its right.
        cell_m: Side of a cell.
        plane_m: Height of the plane.
    """

    center: tuple[float, float]
    rows: int
    columns: int
    cell_m: float = CELL_M
    plane_m: float = PLANE_M

    @classmethod
    def of(cls, rig: Rig) -> TableView:
        """The view of a rig's workspace with a margin."""
        area = rig.workspace
        sizes = [
            int(np.ceil((high - low + 2 * MARGIN_M) / CELL_M / MULTIPLE)) * MULTIPLE for low, high in (area.x, area.y)
        ]
        return cls((sum(area.x) / 2, sum(area.y) / 2), sizes[0], sizes[1])

    @cached_property
    def points(self) -> Array:
        """World x and y (rows, columns, 2) of the cells' middles, m."""
        rows, columns = np.meshgrid(np.arange(self.rows), np.arange(self.columns), indexing="ij")
        return self.points_at(np.stack([rows, columns], axis=-1))

    def points_at(self, cells: Array) -> Array:
        """World x and y (..., 2) of cells (..., 2) given as row and column, which may be fractions."""
        middle = np.array([self.rows - 1, self.columns - 1]) / 2
        points: Array = np.array(self.center) + (middle - np.asarray(cells, float)) * self.cell_m
        return points

    def cells_at(self, points: Array) -> Array:
        """Row and column (..., 2), as fractions, of world x and y (..., 2) on the plane."""
        middle = np.array([self.rows - 1, self.columns - 1]) / 2
        cells: Array = middle - (np.asarray(points, float) - np.array(self.center)) / self.cell_m
        return cells

    def shows(self, point: Array) -> bool:
        """Whether world x and y (2,) on the plane lie in the view."""
        cell = self.cells_at(point)
        return bool(np.all((cell >= 0) & (cell <= [self.rows - 1, self.columns - 1])))

    def seen_at(self, camera: Camera, points: Array) -> Array:
        """World x and y (..., 2) on the plane at which a camera sees world points (..., 3)."""
        eye = camera.parent_from_optical.matrix[:3, 3]
        points = np.asarray(points, float)
        share = (eye[2] - self.plane_m) / (eye[2] - points[..., 2:])
        seen: Array = eye[:2] + share * (points[..., :2] - eye[:2])
        return seen

    def rectified(self, image: NDArray[np.uint8], camera: Camera, points: Array | None = None) -> NDArray[np.uint8]:
        """The view of a camera's image, bilinear, black where the image does not show the plane.

        Args:
            image: (H, W, 3) RGB.
            camera: That took it; it stands still in the world.
            points: World x and y (rows, columns, 2) that the cells show instead of their own, as augmentation wants.

        Returns:
            (rows, columns, 3) uint8.
        """
        where = self.points if points is None else points
        height, width = image.shape[:2]
        pixels = pixels_of(camera, width, height, np.dstack([where, np.full(where.shape[:2], self.plane_m)]))
        return _bilinear(image, pixels)


def _bilinear(image: NDArray[np.uint8], pixels: Array) -> NDArray[np.uint8]:
    height, width = image.shape[:2]
    with np.errstate(invalid="ignore"):
        inside = np.all((pixels >= 0) & (pixels <= [width - 1, height - 1]), axis=-1)
    x, y = np.where(inside[..., None], pixels, 0.0)[..., 0], np.where(inside[..., None], pixels, 0.0)[..., 1]
    left, top = np.minimum(x.astype(int), width - 2), np.minimum(y.astype(int), height - 2)
    across, down = (x - left)[..., None], (y - top)[..., None]
    upper = image[top, left] * (1 - across) + image[top, left + 1] * across
    lower = image[top + 1, left] * (1 - across) + image[top + 1, left + 1] * across
    mixed = upper * (1 - down) + lower * down
    return np.where(inside[..., None], np.rint(mixed), 0).astype(np.uint8)
