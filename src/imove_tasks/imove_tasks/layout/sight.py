"""What the fixed cameras see: their fields of view, outlines in their images, and what hides what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from shapely import MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from imove_core.rig import WORLD_FRAME, Camera, Rig
from imove_core.transforms import Array, apply, inverse
from imove_tasks.assets.model import Asset
from imove_tasks.layout.solids import Placed, Solid

EDGE_MARGIN_PX = 4.0
"""Least distance of an object from the edge of an image, in pixels of that image."""
VIEW_SIZES = ((640, 480), (224, 224))
"""Image sizes in which every object must be wholly in view: the device's, and a square crop."""
_NEAREST_M = 0.01
"""Depth below which a point has no image."""
_FAR_M = 10.0
"""Half side of the square of table in which grounds are cut out."""


@dataclass(frozen=True, eq=False)
class FixedView:
    """A camera that stands still, in normalised image coordinates: x/z and y/z of its optical frame.

    Attributes:
        camera: The camera.
        low: (2,) least coordinates of a pixel centre that all of `VIEW_SIZES` have.
        high: (2,) greatest ones.
        pixel: (2,) size of the coarsest pixel.
    """

    camera: Camera
    low: Array
    high: Array
    pixel: Array

    @classmethod
    def of(cls, camera: Camera) -> FixedView:
        """The view of a camera with parent `world`."""
        sizes = [camera.intrinsics.resized(*size) for size in VIEW_SIZES]
        focal = np.array([[k.fx, k.fy] for k in sizes])
        center = np.array([[k.cx, k.cy] for k in sizes])
        last = np.array([[k.width - 1, k.height - 1] for k in sizes])
        return cls(
            camera, (-center / focal).max(axis=0), ((last - center) / focal).min(axis=0), (1.0 / focal).max(axis=0)
        )

    @cached_property
    def optical_from_world(self) -> Array:
        """(4, 4)."""
        return inverse(self.camera.parent_from_optical.matrix)

    @property
    def position(self) -> Array:
        """(3,) of the optical centre, world frame, m."""
        center: Array = self.camera.parent_from_optical.matrix[:3, 3]
        return center

    @cached_property
    def field(self) -> Polygon:
        """The image that all sizes share."""
        return shapely.box(*self.low, *self.high)

    def sees(self, points: Array, margin_px: float, slack_m: float = 0.0) -> bool:
        """Whether all world points (N, 3) are inside of every image by a margin, even when they move by a slack."""
        seen = apply(self.optical_from_world, points)
        depth = seen[:, 2]
        if depth.min() < _NEAREST_M + slack_m:
            return False
        image = seen[:, :2] / depth[:, None]
        # A point that moves by s has moved by at most s (1 + |image|) / depth in the image.
        inset = margin_px * self.pixel + slack_m * (1.0 + np.abs(image).max(axis=0)) / (depth.min() - slack_m)
        return bool(np.all(image >= self.low + inset) and np.all(image <= self.high - inset))

    def silhouette(self, points: Array) -> Polygon:
        """Convex outline of world points (N, 3) in the image; empty when some of them are behind the camera."""
        seen = apply(self.optical_from_world, points)
        if seen[:, 2].min() < _NEAREST_M:
            return Polygon()
        return MultiPoint(seen[:, :2] / seen[:, 2:]).convex_hull

    def ground(self, height_m: float) -> Polygon:
        """The world x, y at a height above the table that lie in the image, as a convex polygon, m."""
        corners = np.array([[-_FAR_M, -_FAR_M], [_FAR_M, -_FAR_M], [_FAR_M, _FAR_M], [-_FAR_M, _FAR_M]])
        rotation, shift = self.optical_from_world[:3, :3], self.optical_from_world[:3, 3]
        right, down, forward = (np.append(rotation[k, :2], rotation[k, 2] * height_m + shift[k]) for k in range(3))
        # Each edge of the image is a half-plane of the table: n . (x, y, 1) >= 0.
        edges = [right - self.low[0] * forward, self.high[0] * forward - right]
        edges += [down - self.low[1] * forward, self.high[1] * forward - down, forward - [0, 0, _NEAREST_M]]
        for edge in edges:
            corners = _cut(corners, edge)
        return Polygon(corners) if len(corners) >= 3 else Polygon()


def _cut(corners: Array, edge: Array) -> Array:
    """The part of a convex polygon (N, 2) where edge . (x, y, 1) >= 0."""
    kept = []
    values = corners @ edge[:2] + edge[2]
    for index, value in enumerate(values):
        before = index - 1
        if (value >= 0) != (values[before] >= 0):
            share = values[before] / (values[before] - value)
            kept.append(corners[before] + share * (corners[index] - corners[before]))
        if value >= 0:
            kept.append(corners[index])
    return np.array(kept).reshape(-1, 2)


def fixed_views(rig: Rig) -> tuple[FixedView, ...]:
    """The views of all cameras of a rig that stand still."""
    return tuple(FixedView.of(camera) for camera in rig.cameras if camera.parent == WORLD_FRAME)


def in_view(rig: Rig, asset: Asset, world_from_object: Array) -> bool:
    """Whether every fixed camera sees the whole object, in any pose, at all of `VIEW_SIZES`."""
    points = Solid.of(asset, world_from_object[:3, :3]).at(world_from_object[:3, 3]).corners
    return all(view.sees(points, EDGE_MARGIN_PX) for view in fixed_views(rig))


def visible_share(view: FixedView, silhouette: Polygon, hiders: list[Polygon]) -> float:
    """Share of an outline that is inside the image and not behind the outlines of hiders, 0 to 1."""
    if silhouette.area == 0:
        return 0.0
    seen: BaseGeometry = silhouette.intersection(view.field)
    near = [hider for hider in hiders if hider.intersects(seen)]
    if near:
        seen = seen.difference(shapely.union_all(near))
    return float(seen.area / silhouette.area)


def may_hide(view: FixedView, front: Placed, back: Placed) -> bool:
    """Whether `front` might stand between the camera and `back`.

    Two convex outlines that are apart lie on both sides of an upright strip; no line of sight passes first through the
    object on the far side of that strip. Outlines that touch are held to hide one another.
    """
    nearest_front, nearest_back = nearest_points(front.outline, back.outline)
    towards_front = np.array([nearest_front.x - nearest_back.x, nearest_front.y - nearest_back.y])
    beyond = view.position[:2] - [nearest_front.x, nearest_front.y]
    return bool(not towards_front.any() or towards_front @ beyond > 0)
