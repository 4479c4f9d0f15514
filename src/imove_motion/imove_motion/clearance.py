"""How far the hand stays from the other objects and the table, with the hand as a cloud of points."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from imove_core.state import ObjectState
from imove_core.transforms import Array

FINGER_THICKNESS_M = 0.014
FINGER_HALF_WIDTH_M = 0.012
FINGER_LENGTH_M = 0.050
TIP_BEYOND_TCP_M = 0.010
PALM_HALF_WIDTH_M = 0.050
PALM_HALF_DEPTH_M = 0.035
PALM_ABOVE_TCP_M = 0.055
PALM_HEIGHT_M = 0.070


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
        local = np.einsum("kji,knj->kni", self.rotations, points[None] - self.origins[:, None])
        outside = local - np.clip(local, self.low[:, None], self.high[:, None])
        distance = np.linalg.norm(outside, axis=-1)
        depth = np.minimum(local - self.low[:, None], self.high[:, None] - local).min(axis=-1)
        return float(np.where(distance > 0, distance, -depth).min())


def hand_points(opening_m: float) -> Array:
    """Points on fingers and palm (N, 3) in the tool frame, m, at a gripper opening."""
    fingers = [
        (x, side * y, z)
        for side in (-1, 1)
        for x in (-FINGER_HALF_WIDTH_M, 0.0, FINGER_HALF_WIDTH_M)
        for y in (opening_m / 2, opening_m / 2 + FINGER_THICKNESS_M)
        for z in np.linspace(TIP_BEYOND_TCP_M, TIP_BEYOND_TCP_M - FINGER_LENGTH_M, 4)
    ]
    palm = [
        (x, y, z)
        for x in (-PALM_HALF_DEPTH_M, 0.0, PALM_HALF_DEPTH_M)
        for y in np.linspace(-PALM_HALF_WIDTH_M, PALM_HALF_WIDTH_M, 5)
        for z in (-PALM_ABOVE_TCP_M, -PALM_ABOVE_TCP_M - PALM_HEIGHT_M)
    ]
    return np.array([*fingers, *palm])
