"""Contact parts in MoveIt's kinds of shapes hold the same space."""

import numpy as np
import pytest

from imove_core.transforms import apply, rotation_about_axis, transform
from imove_ros.moveit_shapes import Primitive, Shape, Triangles, part_shapes
from imove_tasks.assets.model import CollisionPart, PartShape

POSE = transform(rotation_about_axis([1, 2, 3], 0.7), [0.1, -0.2, 0.3])
SIZES: dict[PartShape, tuple[float, ...]] = {
    "box": (0.02, 0.03, 0.04),
    "cylinder": (0.02, 0.05),
    "sphere": (0.03,),
    "capsule": (0.02, 0.05),
    "ellipsoid": (0.02, 0.03, 0.05),
}


def holds(shape: Shape, points: np.ndarray) -> np.ndarray:
    """Whether points (N, 3) of the body's frame are in a shape."""
    rotation, origin = shape.body_from_shape[:3, :3], shape.body_from_shape[:3, 3]
    local = (points - origin) @ rotation
    if isinstance(shape, Triangles):
        corners = shape.vertices[shape.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals *= np.sign(np.einsum("fi,fi->f", normals, corners[:, 0] - shape.vertices.mean(axis=0)))[:, None]
        heights = np.einsum("nfi,fi->nf", local[:, None] - corners[None, :, 0], normals)
        return (heights <= 0).all(axis=1)
    if shape.kind == "BOX":
        return np.all(np.abs(local) <= np.array(shape.dimensions) / 2, axis=1)
    if shape.kind == "SPHERE":
        return np.linalg.norm(local, axis=1) <= shape.dimensions[0]
    height_m, radius_m = shape.dimensions
    return (np.abs(local[:, 2]) <= height_m / 2) & (np.hypot(local[:, 0], local[:, 1]) <= radius_m)


def in_part(kind: PartShape, local: np.ndarray) -> np.ndarray:
    """Whether points (N, 3) of the part's frame are in it, by MuJoCo's meaning of its size."""
    size = SIZES[kind]
    if kind == "box":
        return np.all(np.abs(local) <= size, axis=1)
    if kind == "ellipsoid":
        return np.linalg.norm(local / size, axis=1) <= 1
    if kind == "sphere":
        return np.linalg.norm(local, axis=1) <= size[0]
    beyond = np.maximum(np.abs(local[:, 2]) - size[1], 0)
    across = np.hypot(local[:, 0], local[:, 1])
    if kind == "cylinder":
        return (beyond == 0) & (across <= size[0])
    return np.hypot(across, beyond) <= size[0]


@pytest.mark.parametrize("kind", SIZES)
def test_shapes_hold_the_parts_space(kind: PartShape) -> None:
    local = np.random.default_rng(1).uniform(-0.1, 0.1, (20000, 3))
    shapes = list(part_shapes(CollisionPart(kind, SIZES[kind], POSE)))
    held = np.any([holds(shape, apply(POSE, local)) for shape in shapes], axis=0)
    inside = in_part(kind, local)
    assert inside.sum() > 100
    if kind == "ellipsoid":  # a hull around it
        assert not np.any(inside & ~held)
        assert np.mean(held & ~inside) < 0.01
        assert held.sum() < 1.1 * inside.sum()
    else:
        np.testing.assert_array_equal(held, inside)


def test_a_hull_keeps_its_corners_and_is_closed() -> None:
    corners = np.random.default_rng(2).normal(size=(40, 3))
    part = CollisionPart("hull", (), POSE, vertices=np.vstack([corners, [[0, 0, 0]]]))
    (shape,) = part_shapes(part)
    assert isinstance(shape, Triangles)
    assert {tuple(row) for row in shape.vertices} < {tuple(row) for row in part.vertices}
    edges = np.sort(shape.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    assert shape.faces.max() == len(shape.vertices) - 1
    np.testing.assert_array_equal(shape.body_from_shape, part.object_from_part)


def test_dimensions_are_in_the_order_of_the_message() -> None:
    (cylinder,) = part_shapes(CollisionPart("cylinder", (0.02, 0.05), np.eye(4)))
    assert isinstance(cylinder, Primitive)
    assert cylinder.dimensions == (0.1, 0.02)  # height, radius
