"""The connected things on the table, of the points that a depth image shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import ndimage

from imove_core.clouds import ALL_NEIGHBOURS, Cloud, over_table
from imove_core.rig import Workspace
from imove_core.state import ObjectState
from imove_core.transforms import Array, quaternion_from_rotation

LEAST_PIXELS = 3


@dataclass(frozen=True, eq=False)
class Thing:
    """One connected thing above the table.

    Attributes:
        points: (N, 3) world points of its visible surface, m.
    """

    points: Array

    @cached_property
    def middle(self) -> Array:
        """Middle (2,) of the upright rectangle about it, world frame, m; a mean would follow the side that is seen."""
        low, high = self.points[:, :2].min(axis=0), self.points[:, :2].max(axis=0)
        centre: Array = (low + high) / 2
        return centre

    @property
    def height_m(self) -> float:
        """Of its highest point above the table."""
        return float(self.points[:, 2].max())

    def as_neighbour(self, name: str, pixel_m: float) -> ObjectState:
        """An upright box about it, for planners that keep clear of objects; it reaches down to the table.

        Args:
            name: Id of the box.
            pixel_m: The surface may go on by half of this beyond the outermost points.
        """
        ground = self.points[:, :2]
        _, axes = np.linalg.eigh(np.cov(ground.T)) if len(ground) > 2 else (None, np.eye(2))
        first = axes[:, 1]
        rotation = np.column_stack([[*first, 0.0], [-first[1], first[0], 0.0], [0.0, 0.0, 1.0]])
        along = ground @ rotation[:2, :2]
        low, high = along.min(axis=0) - pixel_m / 2, along.max(axis=0) + pixel_m / 2
        centre = rotation[:2, :2] @ (low + high) / 2
        half = (high - low) / 2
        return ObjectState(
            id=name,
            position=np.array([*centre, 0.0]),
            quaternion_xyzw=quaternion_from_rotation(rotation),
            box_min=np.array([*-half, 0.0]),
            box_max=np.array([*half, self.height_m]),
            linear_velocity=np.zeros(3),
            angular_velocity=np.zeros(3),
            contacts_known=False,
        )


def things_on(cloud: Cloud, workspace: Workspace) -> list[Thing]:
    """Connected things on and about the workspace, largest first; take the robot's points out before."""
    labels, count = ndimage.label(over_table(cloud.points, workspace), structure=ALL_NEIGHBOURS)
    found = [Thing(cloud.points[labels == label]) for label in range(1, count + 1)]
    return sorted((thing for thing in found if len(thing.points) >= LEAST_PIXELS), key=lambda thing: -len(thing.points))
