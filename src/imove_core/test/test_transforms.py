"""Transforms against scipy, and the laws that they obey."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from imove_core.transforms import (
    apply,
    inverse,
    quaternion_from_rotation,
    rotation_about_axis,
    rotation_from_quaternion,
    rotation_from_rpy,
    rpy_from_rotation,
    transform,
    transform_from_position_quaternion,
    transform_from_xyz_rpy,
)

angles = st.floats(-2 * np.pi, 2 * np.pi)
vectors = arrays(float, 3, elements=st.floats(-2, 2))
directions = vectors.filter(lambda vector: np.linalg.norm(vector) > 1e-3)
quaternions = arrays(float, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-3)
poses = st.builds(transform_from_position_quaternion, vectors, quaternions)


@given(rpy=st.tuples(angles, angles, angles))
@settings(deadline=None, derandomize=True)
def test_rpy_turns_about_fixed_axes_in_the_order_of_urdf(rpy: tuple[float, float, float]) -> None:
    np.testing.assert_allclose(rotation_from_rpy(rpy), Rotation.from_euler("xyz", rpy).as_matrix(), atol=1e-12)


@given(rpy=st.tuples(angles, angles, angles))
@example(rpy=(0.4, np.pi / 2, 1.1))
@example(rpy=(0.4, -np.pi / 2, 1.1))
@settings(deadline=None, derandomize=True)
def test_rpy_of_a_rotation_gives_the_rotation_again(rpy: tuple[float, float, float]) -> None:
    rotation = rotation_from_rpy(rpy)
    np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(rotation)), rotation, atol=1e-8)


@given(axis=directions, angle=angles)
@settings(deadline=None, derandomize=True)
def test_rotation_about_an_axis_of_any_length(axis: np.ndarray, angle: float) -> None:
    expected = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    np.testing.assert_allclose(rotation_about_axis(axis, angle), expected, atol=1e-12)


@given(quaternion=quaternions)
@settings(deadline=None, derandomize=True)
def test_quaternions_are_xyzw_and_need_not_be_normalised(quaternion: np.ndarray) -> None:
    expected = Rotation.from_quat(quaternion).as_matrix()
    np.testing.assert_allclose(rotation_from_quaternion(quaternion), expected, atol=1e-12)


@given(quaternion=quaternions)
@settings(deadline=None, derandomize=True)
def test_quaternion_of_a_rotation_is_its_unit_quaternion_with_positive_w(quaternion: np.ndarray) -> None:
    found = quaternion_from_rotation(Rotation.from_quat(quaternion).as_matrix())
    unit = quaternion / np.linalg.norm(quaternion)
    assert found[3] >= 0
    assert np.linalg.norm(found) == pytest.approx(1)
    assert min(np.abs(found - unit).max(), np.abs(found + unit).max()) < 1e-7


@pytest.mark.parametrize("axis", np.eye(3))
@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-9, -np.pi + 1e-9])
def test_quaternion_of_half_turns(axis: np.ndarray, angle: float) -> None:
    rotation = rotation_about_axis(axis, angle)
    np.testing.assert_allclose(rotation_from_quaternion(quaternion_from_rotation(rotation)), rotation, atol=1e-12)


@given(a_from_b=poses, b_from_c=poses, point=vectors)
@settings(deadline=None, derandomize=True)
def test_composition_maps_points_through_both_frames(
    a_from_b: np.ndarray, b_from_c: np.ndarray, point: np.ndarray
) -> None:
    np.testing.assert_allclose(apply(a_from_b @ b_from_c, point), apply(a_from_b, apply(b_from_c, point)), atol=1e-12)


@given(a_from_b=poses, points=arrays(float, (4, 2, 3), elements=st.floats(-2, 2)))
@settings(deadline=None, derandomize=True)
def test_inverse_leads_back(a_from_b: np.ndarray, points: np.ndarray) -> None:
    np.testing.assert_allclose(inverse(a_from_b) @ a_from_b, np.eye(4), atol=1e-12)
    back = apply(inverse(a_from_b), apply(a_from_b, points))
    assert back.shape == points.shape
    np.testing.assert_allclose(back, points, atol=1e-12)


def test_transform_places_rotation_and_translation() -> None:
    quarter_turn = rotation_about_axis([0, 0, 1], np.pi / 2)
    np.testing.assert_allclose(apply(transform(quarter_turn, [1, 2, 3]), [1, 0, 0]), [1, 3, 3])
    np.testing.assert_array_equal(transform(), np.eye(4))
    np.testing.assert_allclose(transform_from_xyz_rpy([1, 2, 3], [0, 0, np.pi / 2]), transform(quarter_turn, [1, 2, 3]))
