"""Heights about a thing on a fine grid, and the same grid turned: what grasps are searched in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from imove_baselines.grounded_pick.things import Thing
from imove_core.clouds import Cloud
from imove_core.transforms import Array

CELL_M = 0.0025
"""Half a pixel of a 224 x 224 image from 0.85 m: widths are read to about this."""
BORDER_M = 0.04
"""About the thing: room for both fingers beside it."""


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Heights on a grid that is turned about the vertical.

    Attributes:
        heights: (V, U) m above the table; columns go along the closing direction, rows across it.
        center: (2,) of the grid, world frame, m.
        yaw_rad: Of the closing direction from the world's x.
        own: (V, U) which cells are of the thing itself.
    """

    heights: Array
    center: Array
    yaw_rad: float
    own: Array

    @property
    def closing(self) -> Array:
        """Closing direction (2,), world frame."""
        return np.array([np.cos(self.yaw_rad), np.sin(self.yaw_rad)])

    def place(self, row: float, column: float) -> Array:
        """World x and y (2,) of a cell, m."""
        rows, columns = self.heights.shape
        along, across = self.closing, np.array([-self.closing[1], self.closing[0]])
        place: Array = self.center + ((column - (columns - 1) / 2) * along + (row - (rows - 1) / 2) * across) * CELL_M
        return place


class Surroundings:
    """The surface about one thing, to be looked up anywhere."""

    def __init__(self, cloud: Cloud, thing: Thing) -> None:
        """Keeps the points within reach of a hand about the thing."""
        ground = thing.points[:, :2]
        self._center = (ground.min(axis=0) + ground.max(axis=0)) / 2
        self._radius_m = float(np.linalg.norm(ground - self._center, axis=1).max()) + BORDER_M
        points = cloud.points.reshape(-1, 3)
        points = points[np.isfinite(points[:, 2])]
        near = np.linalg.norm(points[:, :2] - self._center, axis=1) < self._radius_m * 1.5 + BORDER_M
        self._points = points[near]
        self._tree = cKDTree(self._points[:, :2])
        self._own = cKDTree(ground)
        self._pixel_m = cloud.pixel_m

    def turned(self, yaw_rad: float) -> HeightMap:
        """Heights on a grid whose columns go along a direction, of the nearest point each."""
        steps = int(np.ceil(self._radius_m / CELL_M))
        offsets = np.arange(-steps, steps + 1) * CELL_M
        across, along = np.meshgrid(offsets, offsets, indexing="ij")
        cos, sin = np.cos(yaw_rad), np.sin(yaw_rad)
        where = self._center + np.stack([along * cos - across * sin, along * sin + across * cos], axis=-1)
        _, nearest = self._tree.query(where.reshape(-1, 2), workers=1)
        heights = np.maximum(self._points[nearest, 2], 0.0).reshape(across.shape)
        own, _ = self._own.query(where.reshape(-1, 2), distance_upper_bound=self._pixel_m * 0.75, workers=1)
        return HeightMap(heights, self._center, yaw_rad, np.isfinite(own).reshape(across.shape))
