"""Convex solids of links, pads and objects, as the collision library takes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import coal
import numpy as np

from imove_core.transforms import Array, transform
from imove_description.arm_model import ArmModel
from imove_description.shapes import CollisionRod, CollisionShape
from imove_tasks.assets.model import Asset, CollisionPart


@dataclass(frozen=True, eq=False)
class Solid:
    """One convex solid of a body.

    Attributes:
        shape: For the collision library, about its own origin.
        body_from_solid: (4, 4) pose in the body's frame, m.
        middle: (3,) middle of the solid's box, in the solid's frame, m.
        half_m: (3,) half extents of that box.
    """

    shape: coal.CollisionGeometry
    body_from_solid: Array
    middle: Array
    half_m: Array


def link_solids(model: ArmModel, link: str) -> Iterator[Solid]:
    """What a link collides with, in the link's frame; a finger has its pad besides."""
    for shape in model.link(link).collision:
        yield _link_solid(shape)
    for finger in model.gripper.fingers:
        if finger.child == link:
            yield _link_solid(model.gripper.pad_box(finger))


def asset_solids(asset: Asset) -> Iterator[Solid]:
    """The contact parts of an object, in the object's frame."""
    for part in asset.collisions:
        yield _part_solid(part)


def box_solid(size_m: Array, body_from_box: Array) -> Solid:
    """A box of full extents (3,) at a pose (4, 4), m."""
    return Solid(coal.Box(*size_m), body_from_box, np.zeros(3), np.asarray(size_m) / 2)


def _link_solid(shape: CollisionShape) -> Solid:
    if isinstance(shape, CollisionRod):
        return _rod_solid(shape)
    return box_solid(shape.size_m, shape.link_from_box)


def _rod_solid(rod: CollisionRod) -> Solid:
    along = rod.end_m - rod.start_m
    length_m = float(np.linalg.norm(along))
    axis = along / length_m
    across = np.linalg.svd(axis[None])[2][1]
    rotation = np.column_stack([across, np.cross(axis, across), axis])
    pose = transform(rotation, (rod.start_m + rod.end_m) / 2)
    return _round(coal.Capsule if rod.round_ends else coal.Cylinder, rod.radius_m, length_m, pose)


def _round(kind: type[coal.Capsule] | type[coal.Cylinder], radius_m: float, length_m: float, pose: Array) -> Solid:
    half_length_m = length_m / 2 + (radius_m if kind is coal.Capsule else 0.0)
    return Solid(kind(radius_m, length_m), pose, np.zeros(3), np.array([radius_m, radius_m, half_length_m]))


def _part_solid(part: CollisionPart) -> Solid:
    pose, size = part.object_from_part, part.size
    if part.vertices is not None:
        points = coal.StdVec_Vec3s()
        for vertex in part.vertices:
            points.append(vertex)
        low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
        return Solid(coal.Convex.convexHull(points, False, "Qt"), pose, (low + high) / 2, (high - low) / 2)
    match part.shape:
        case "box":
            return box_solid(2 * np.array(size), pose)
        case "sphere":
            return Solid(coal.Sphere(*size), pose, np.zeros(3), np.repeat(size, 3))
        case "ellipsoid":
            return Solid(coal.Ellipsoid(*size), pose, np.zeros(3), np.array(size))
        case "capsule":
            return _round(coal.Capsule, size[0], 2 * size[1], pose)
        case _:
            return _round(coal.Cylinder, size[0], 2 * size[1], pose)
