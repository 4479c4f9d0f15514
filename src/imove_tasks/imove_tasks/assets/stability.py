"""The ways a rigid object can rest on a level table, from its contact parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from imove_core.transforms import rotation_about_axis
from imove_tasks.assets.affordances import StablePose
from imove_tasks.assets.convex import part_points
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import CollisionPart

Array = NDArray[np.float64]

MIN_TIP_ANGLE_RAD = np.radians(8.0)
"""Poses that a smaller slope upsets are left out, except the pose in which the object is made."""

MAX_POSES = 8

_SAME_PLANE = 0.9998  # cosine of 1.1 degrees
_FLAT_M = 0.0002  # corners this close to the table carry


def center_of_mass(parts: Sequence[CollisionPart]) -> Array:
    """(3,) m, object frame; the mass is spread evenly over the parts, as in the simulation."""
    volumes = np.array([part.volume_m3 for part in parts])
    centers = np.array([_centroid(part) for part in parts])
    center: Array = volumes @ centers / volumes.sum()
    return center


def stable_poses(parts: Sequence[CollisionPart]) -> tuple[StablePose, ...]:
    """Resting poses: the one the object is made in, then the others, hardest to tip first.

    A face of the convex hull carries the object when the centre of mass is above it; the slope that tips it is
    the angle between the vertical and the line from the centre of mass to the nearest edge of the face. Of poses
    alike in height and angle, such as the facets of a can that lies, one is kept, and ``MAX_POSES`` in all.
    """
    points = np.concatenate([part_points(part) for part in parts])
    center = center_of_mass(parts)
    hull = convex_hull(points)
    corners = points[hull.vertices]
    made = _resting(corners, center, np.eye(3))
    below = _faces_below(points, hull, center)
    others = [_resting(corners, center, _turned_down(normal)) for normal in below if normal[2] > -_SAME_PLANE]
    steady = [pose for pose in others if pose.tip_angle_rad >= MIN_TIP_ANGLE_RAD]
    steady.sort(key=lambda pose: (-round(pose.tip_angle_rad, 4), *np.round(pose.rotation, 4).ravel()))
    distinct: dict[tuple[float, float], _Resting] = {}
    for pose in steady:
        distinct.setdefault((round(pose.height_m, 4), round(pose.tip_angle_rad, 2)), pose)
    return tuple(StablePose(*pose) for pose in (made, *tuple(distinct.values())[: MAX_POSES - 1]))


class _Resting(NamedTuple):
    """The values of a `StablePose` that may yet be dropped, which is most of them: checked only when it is kept."""

    rotation: Array
    height_m: float
    support: Array
    tip_angle_rad: float


def _resting(corners: Array, center: Array, rotation: Array) -> _Resting:
    turned = corners @ rotation.T
    bottom = float(turned[:, 2].min())
    feet = turned[turned[:, 2] < bottom + _FLAT_M][:, :2]
    center_turned = rotation @ center
    support = feet[convex_hull(feet).vertices] if _spans_an_area(feet) else feet
    inside = _distance_inside(support, center_turned[:2]) if len(support) > 2 else 0.0
    angle = float(np.arctan2(max(0.0, inside), center_turned[2] - bottom))
    return _Resting(rotation, -bottom, support, round(angle, 6))


def _spans_an_area(feet: Array) -> bool:
    return len(feet) > 2 and np.linalg.matrix_rank(feet - feet[0], tol=1e-6) == 2


def _distance_inside(polygon: Array, point: Array) -> float:
    """Distance of a point to the nearest edge of a counter-clockwise polygon, negative outside, m."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    away = point - polygon
    cross = edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0]
    return float((cross / np.linalg.norm(edges, axis=1)).min())


def _faces_below(points: Array, hull: ConvexHull, center: Array) -> list[Array]:
    """Outward normals of the hull's flat faces on which a point, seen along the normal, comes to lie."""
    normals = hull.equations[:, :3]
    heights = normals @ center + hull.equations[:, 3]
    feet = center - heights[:, None] * normals
    corners = points[hull.simplices]
    inside = np.ones(len(normals), dtype=bool)
    turn = np.sign(
        np.einsum("ij,ij->i", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), normals)
    )
    for k in range(3):
        edge = corners[:, (k + 1) % 3] - corners[:, k]
        side = np.einsum("ij,ij->i", np.cross(edge, feet - corners[:, k]), normals) * turn
        inside &= side >= -1e-10
    distinct: list[Array] = []
    for normal in normals[inside]:
        if not any(float(normal @ other) > _SAME_PLANE for other in distinct):
            distinct.append(normal)
    return distinct


def _turned_down(normal: Array) -> Array:
    """The smallest rotation that turns a direction straight down."""
    down = np.array([0.0, 0.0, -1.0])
    axis = np.cross(normal, down)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.diag([1.0, -1.0, -1.0]) if normal[2] > 0 else np.eye(3)
    turn: Array = rotation_about_axis(axis / length, float(np.arctan2(length, normal @ down)))
    return turn


def _centroid(part: CollisionPart) -> Array:
    """(3,) centre of a part's volume in the object frame, m."""
    if part.vertices is None:
        origin: Array = part.object_from_part[:3, 3]
        return origin
    inner = part.vertices.mean(0)
    corners = part.vertices[part.hull.simplices] - inner
    volumes = np.abs(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))
    local = inner + (volumes[:, None] * corners.sum(1) / 4.0).sum(0) / volumes.sum()
    centroid: Array = part.object_from_part[:3, :3] @ local + part.object_from_part[:3, 3]
    return centroid
