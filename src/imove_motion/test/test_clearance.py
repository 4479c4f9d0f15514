"""Distances of points from boxes, and the hand as points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import lsq_linear

from imove_core.kinematics import finger_poses, link_poses
from imove_core.state import ObjectState
from imove_core.transforms import apply, inverse
from imove_description.arm_model import load_arm_model
from imove_description.shapes import CollisionBox
from imove_motion.clearance import Boxes
from imove_motion.hand import SPACING_M, Hand

MODEL = load_arm_model("piper_x")
ZERO = np.zeros(3)
quaternions = arrays(float, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 0.1)
vectors = arrays(float, 3, elements=st.floats(-0.3, 0.3))
sizes = arrays(float, 3, elements=st.floats(0.01, 0.2))
boxes = st.builds(
    lambda position, quaternion, low, size: ObjectState(
        "box", position, quaternion / np.linalg.norm(quaternion), low, low + size, ZERO, ZERO
    ),
    vectors,
    quaternions,
    vectors,
    sizes,
)


def brute_force_distance(item: ObjectState, point: np.ndarray) -> float:
    """Outside by least squares over the box, inside as the way to the nearest of the six faces in the world."""
    rotation, origin = item.world_from_object[:3, :3], item.world_from_object[:3, 3]
    nearest = lsq_linear(rotation, point - origin, bounds=(item.box_min, item.box_max), tol=1e-14)
    outside = float(np.linalg.norm(rotation @ nearest.x + origin - point))
    if outside > 1e-7:
        return outside
    faces = []
    for axis in range(3):
        normal = rotation[:, axis]
        faces += [
            normal @ (point - origin) - item.box_min[axis],
            item.box_max[axis] - normal @ (point - origin),
        ]
    return -min(faces)


@given(items=st.lists(boxes, min_size=1, max_size=3), points=arrays(float, (4, 3), elements=st.floats(-0.5, 0.5)))
@settings(deadline=None, derandomize=True)
def test_distance_is_the_smallest_signed_one(items: list[ObjectState], points: np.ndarray) -> None:
    expected = min(brute_force_distance(item, point) for item in items for point in points)
    assert Boxes.of(items).distance(points) == pytest.approx(expected, abs=2e-6)


@given(item=boxes, share=arrays(float, 3, elements=st.floats(0.05, 0.95)))
@settings(deadline=None, derandomize=True)
def test_distance_inside_is_the_depth_below_the_nearest_face(item: ObjectState, share: np.ndarray) -> None:
    size = item.box_max - item.box_min
    point = apply(item.world_from_object, item.box_min + share * size)
    depth = np.minimum(share * size, (1 - share) * size).min()
    assert Boxes.of([item]).distance(point[None]) == pytest.approx(-depth, abs=1e-9)


def test_without_boxes_everything_is_far() -> None:
    assert Boxes.of([]).distance(np.zeros((1, 3))) == np.inf


@pytest.mark.parametrize("opening_m", [0.0, 0.03, 0.07])
def test_hand_points_cover_the_corners_of_every_collision_box_of_the_gripper(opening_m: float) -> None:
    links = link_poses(MODEL, MODEL.home)
    links |= finger_poses(MODEL, links["gripper_base"], opening_m)
    points = Hand(MODEL).points(opening_m)
    owners = {"gripper_base": [], "finger1": [], "finger2": []}
    for name, shapes in owners.items():
        shapes += [shape for shape in MODEL.link(name).collision if isinstance(shape, CollisionBox)]
        shapes += [MODEL.gripper.pad_box(finger) for finger in MODEL.gripper.fingers if finger.child == name]
        for box in shapes:
            corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T * box.size_m
            corners = apply(inverse(links["tcp"]) @ links[name] @ box.link_from_box, corners)
            nearest = np.linalg.norm(points[None] - corners[:, None], axis=-1).min(axis=1)
            assert nearest.max() < 1e-9


def test_hand_points_leave_no_hole_larger_than_their_spacing() -> None:
    points = Hand(MODEL).points(0.05)
    rng = np.random.default_rng(0)
    for box in (shape for shape in MODEL.link("gripper_base").collision if isinstance(shape, CollisionBox)):
        faces = rng.uniform(-1, 1, (200, 3))
        faces[np.arange(200), rng.integers(3, size=200)] = rng.choice([-1, 1], 200)
        tool_from_box = inverse(MODEL.flange_from_tcp) @ MODEL.flange_from_gripper @ box.link_from_box
        probes = apply(tool_from_box, faces * box.size_m / 2)
        assert np.linalg.norm(points[None] - probes[:, None], axis=-1).min(axis=1).max() < SPACING_M * np.sqrt(0.5)


def test_fingers_are_apart_by_the_opening_and_their_tips_are_the_farthest_points() -> None:
    points = Hand(MODEL).points(0.05)
    near_tips = points[points[:, 2] > -0.015]
    assert near_tips[near_tips[:, 1] > 0, 1].min() == pytest.approx(0.025)
    assert near_tips[near_tips[:, 1] < 0, 1].max() == pytest.approx(-0.025)
    assert points[:, 2].max() == pytest.approx(0.010)
    # The rail on which the fingers run is the widest part.
    assert np.abs(points[:, 1]).max() == pytest.approx(0.082)


@given(objects=st.lists(boxes, max_size=4), points=arrays(float, (6, 3), elements=st.floats(-0.6, 0.6)))
@settings(deadline=None, derandomize=True)
def test_closeness_is_what_the_distance_says(objects: list[ObjectState], points: np.ndarray) -> None:
    found = Boxes.of(objects)
    for distance_m in (-0.01, 0.0, 0.006, 0.1):
        assert found.closer_than(points, distance_m) == (found.distance(points) < distance_m)
