"""Convex solids in the kinds that MoveIt has: boxes, balls, cylinders, and triangles for all else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array, transform
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import CollisionPart

ELLIPSOID_POINTS = 200
"""Corners of the hull that stands for an ellipsoid."""

ELLIPSOID_GROWTH = 1.02
"""By so much its corners lie outside, so that no face cuts into the ellipsoid."""


@dataclass(frozen=True, eq=False)
class Primitive:
    """A box, ball or cylinder.

    Attributes:
        kind: Which; a cylinder stands along its z axis.
        dimensions: As `shape_msgs/SolidPrimitive` has them, m: box x, y, z; sphere radius; cylinder height, radius.
        body_from_shape: (4, 4), m.
    """

    kind: Literal["BOX", "SPHERE", "CYLINDER"]
    dimensions: tuple[float, ...]
    body_from_shape: Array


@dataclass(frozen=True, eq=False)
class Triangles:
    """A closed surface.

    Attributes:
        vertices: (V, 3) in its own frame, m.
        faces: (F, 3) rows of vertices.
        body_from_shape: (4, 4), m.
    """

    vertices: Array
    faces: NDArray[np.int64]
    body_from_shape: Array


Shape = Primitive | Triangles


def part_shapes(part: CollisionPart) -> Iterator[Shape]:
    """A contact part of an object, in the object's frame."""
    pose, size = part.object_from_part, part.size
    match part.shape:
        case "box":
            yield Primitive("BOX", tuple(2 * value for value in size), pose)
        case "sphere":
            yield Primitive("SPHERE", size, pose)
        case "cylinder":
            yield Primitive("CYLINDER", (2 * size[1], size[0]), pose)
        case "capsule":
            radius_m, half_m = size
            yield Primitive("CYLINDER", (2 * half_m, radius_m), pose)
            for z in (half_m, -half_m):
                yield Primitive("SPHERE", (radius_m,), pose @ transform(translation=[0, 0, z]))
        case "ellipsoid":
            yield _hull(_ball_points(ELLIPSOID_POINTS) * np.array(size) * ELLIPSOID_GROWTH, pose)
        case "hull":
            yield _hull(np.asarray(part.vertices), pose)


def _hull(points: Array, pose: Array) -> Triangles:
    hull = convex_hull(points)
    corners = np.unique(hull.simplices)
    return Triangles(points[corners], np.searchsorted(corners, hull.simplices), pose)


def _ball_points(count: int) -> Array:
    """Points (count, 3) spread evenly over the unit sphere, on a spiral with the golden angle."""
    heights = 1 - (2 * np.arange(count) + 1) / count
    angles = np.arange(count) * np.pi * (3 - np.sqrt(5))
    radii = np.sqrt(1 - heights**2)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles), heights])
