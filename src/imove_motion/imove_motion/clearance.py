"""How far points stay from the boxes of objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imove_core.state import ObjectState
from imove_core.transforms import Array


@dataclass(frozen=True)
class Boxes:
    """Oriented boxes of K objects: rotations (K, 3, 3), origins (K, 3), corners low and high (K, 3), m."""

    rotations: Array
    origins: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, objects: Sequence[ObjectState]) -> "Boxes":
        """The boxes of objects in their present poses."""
        poses = np.array([item.world_from_object for item in objects]).reshape(-1, 4, 4)
        low = np.array([item.box_min for item in objects]).reshape(-1, 3)
        high = np.array([item.box_max for item in objects]).reshape(-1, 3)
        return cls(poses[:, :3, :3], poses[:, :3, 3], low, high)

    def distance(self, points: Array) -> float:
        """Smallest distance of world points (N, 3) from the boxes, m; infinite without boxes, negative inside one."""
        if not len(self.origins):
            return float("inf")
        local = (points - self.origins[:, None]) @ self.rotations
        # Beyond each face, positive outside; the largest of the six is the depth of a point inside, below 0.
        beyond = np.maximum(self.low[:, None] - local, local - self.high[:, None])
        depth = beyond.max(axis=-1).min()
        if depth <= 0:
            return float(depth)
        outside = np.maximum(beyond, 0.0)
        return float(np.sqrt(np.einsum("kni,kni->kn", outside, outside).min()))

    def closer_than(self, points: Array, distance_m: float) -> bool:
        """Whether world points (N, 3) are nearer to the boxes than a distance; cheaper than `distance`.

        Boxes are left out whose ball is that far from the points' ball.
        """
        if not len(self.origins):
            return False
        centre = (points.min(axis=0) + points.max(axis=0)) / 2
        reach_m = np.linalg.norm(points - centre, axis=1).max()
        middles, radii_m = self._balls
        # A little more than the distance: rounding must not leave out a box that decides.
        near = np.linalg.norm(middles - centre, axis=1) - radii_m - reach_m < distance_m + 1e-6
        if not near.any():
            return False
        boxes = Boxes(self.rotations[near], self.origins[near], self.low[near], self.high[near])
        return boxes.distance(points) < distance_m

    @cached_property
    def _balls(self) -> tuple[Array, Array]:
        """Middles (K, 3) and radii (K,) of balls about the boxes, m."""
        middles = self.origins + np.einsum("kij,kj->ki", self.rotations, (self.low + self.high) / 2)
        return middles, np.linalg.norm(self.high - self.low, axis=1) / 2

    def with_others(self, others: "Boxes") -> "Boxes":
        """These boxes and others."""
        return Boxes(
            np.concatenate([self.rotations, others.rotations]),
            np.concatenate([self.origins, others.origins]),
            np.concatenate([self.low, others.low]),
            np.concatenate([self.high, others.high]),
        )
