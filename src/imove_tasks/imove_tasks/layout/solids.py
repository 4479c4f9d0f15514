"""The convex hull of an object as it rests, and that hull at a place on the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from shapely import Point, Polygon

from imove_core.transforms import Array, rotation_about_axis, transform
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import Asset

if TYPE_CHECKING:
    from imove_tasks.layout.sight import FixedView


@lru_cache(maxsize=512)
def _hull_corners(asset: Asset) -> Array:
    """(N, 3) corners of the convex hull of the visuals, object frame, m."""
    points = np.concatenate([mesh.vertices for mesh in asset.visuals])
    corners: Array = points[convex_hull(points).vertices]
    corners.setflags(write=False)
    return corners


@dataclass(frozen=True, eq=False)
class Solid:
    """The convex hull of an object with a given rotation, before it is turned about the vertical and moved.

    Attributes:
        asset: The object.
        rotation: (3, 3) resting_from_object.
        corners: (N, 3) of the hull about the object's origin, axes of the world, m.
        rim: (K,) indices of the corners that span the outline from above, counter-clockwise.
    """

    asset: Asset
    rotation: Array
    corners: Array
    rim: Array

    @classmethod
    def of(cls, asset: Asset, rotation: Array) -> Solid:
        """The hull of an asset that is turned by `rotation` (3, 3)."""
        corners = _hull_corners(asset) @ np.asarray(rotation, dtype=float).T
        return cls(asset, np.asarray(rotation, dtype=float), corners, convex_hull(corners[:, :2]).vertices)

    @cached_property
    def reach_m(self) -> float:
        """Radius of the circle about the origin that holds the whole outline."""
        return float(np.linalg.norm(self.corners[self.rim, :2], axis=1).max())

    @cached_property
    def core_m(self) -> float:
        """Radius of the circle about the origin that the outline holds, 0 when the origin is outside of it."""
        outline = Polygon(self.corners[self.rim, :2])
        origin = Point(0.0, 0.0)
        return float(outline.exterior.distance(origin)) if outline.contains(origin) else 0.0

    @cached_property
    def area_m2(self) -> float:
        """Area of the outline."""
        return float(Polygon(self.corners[self.rim, :2]).area)

    def at(self, position: Array, yaw_rad: float = 0.0, views: tuple[FixedView, ...] = ()) -> Placed:
        """The solid turned about the vertical, with its origin at `position` (3,), world frame, m."""
        return Placed(self, np.asarray(position, dtype=float), rotation_about_axis([0, 0, 1], yaw_rad), views)


@dataclass(frozen=True, eq=False)
class Placed:
    """A solid at a place.

    Attributes:
        solid: What was placed.
        position: (3,) of the object's origin, world frame, m.
        turn: (3, 3) rotation about the vertical.
        views: Fixed cameras that look at it.
    """

    solid: Solid
    position: Array
    turn: Array
    views: tuple[FixedView, ...]

    @property
    def place(self) -> Array:
        """(2,) x, y of the object's origin, world frame, m."""
        return self.position[:2]

    @cached_property
    def world_from_object(self) -> Array:
        """(4, 4) pose."""
        return transform(self.turn @ self.solid.rotation, self.position)

    @cached_property
    def corners(self) -> Array:
        """(N, 3) corners of the hull, world frame, m."""
        corners: Array = self.solid.corners @ self.turn.T + self.position
        return corners

    @cached_property
    def outline(self) -> Polygon:
        """What it covers seen from above, world frame, m."""
        return Polygon(self.corners[self.solid.rim, :2])

    @cached_property
    def top_m(self) -> float:
        """Height of its highest point above the table."""
        return float(self.corners[:, 2].max())

    @cached_property
    def silhouettes(self) -> tuple[Polygon, ...]:
        """Its outline in each of `views`; see `FixedView.silhouette`."""
        return tuple(view.silhouette(self.corners) for view in self.views)
