"""Resting poses against cases with known answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.transforms import transform
from imove_tasks.assets import AssetError, CollisionPart
from imove_tasks.assets.affordances import StablePose
from imove_tasks.assets.convex import box_part, hull_part
from imove_tasks.assets.stability import MAX_POSES, center_of_mass, stable_poses


@settings(max_examples=40)
@given(st.tuples(st.floats(0.01, 0.1), st.floats(0.01, 0.1), st.floats(0.01, 0.1)))
def test_a_box_rests_on_each_kind_of_face_that_is_not_too_narrow(half):
    poses = stable_poses([box_part(half)])
    np.testing.assert_array_equal(poses[0].rotation, np.eye(3))
    assert poses[0].height_m == pytest.approx(half[2], abs=1e-6)
    assert poses[0].tip_angle_rad == pytest.approx(np.arctan2(min(half[:2]), half[2]), abs=1e-4)
    assert poses[0].support[:, 0].max() == pytest.approx(half[0], abs=1e-6)
    for pose in poses:
        up = int(np.argmax(np.abs(pose.rotation[2])))
        assert pose.height_m == pytest.approx(half[up], abs=1e-6)
        others = [half[k] for k in range(3) if k != up]
        assert pose.tip_angle_rad == pytest.approx(np.arctan2(min(others), half[up]), abs=1e-4)


def test_a_can_stands_on_both_ends_and_lies():
    poses = stable_poses([CollisionPart("cylinder", (0.03, 0.05), np.eye(4))])
    upright = [pose for pose in poses if abs(pose.rotation[2, 2]) > 0.99]
    assert len(upright) >= 1
    assert poses[0].tip_angle_rad == pytest.approx(np.arctan2(0.03, 0.05), abs=0.01)


def test_the_centre_of_mass_weighs_parts_by_volume_and_hulls_by_their_shape():
    light, heavy = box_part((0.01, 0.01, 0.01)), box_part((0.01, 0.01, 0.03), transform(translation=(0.1, 0, 0)))
    np.testing.assert_allclose(center_of_mass([light, heavy]), [0.075, 0, 0], atol=1e-9)
    pyramid = hull_part([(1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0), (0, 0, 1)])
    np.testing.assert_allclose(center_of_mass([pyramid]), [0, 0, 0.25], atol=1e-9)


def test_a_pose_that_a_breath_upsets_is_no_pose():
    needle = stable_poses([box_part((0.002, 0.002, 0.05), transform(translation=(0, 0, 0)))])
    assert needle[0].tip_angle_rad < np.radians(8)  # made standing: kept, and honest about it
    assert all(pose.tip_angle_rad >= np.radians(8) for pose in needle[1:])
    assert all(abs(pose.rotation[2, 2]) < 0.01 for pose in needle[1:])


def test_no_more_poses_than_anyone_wants():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3))
    pebble = 0.03 * points / np.linalg.norm(points, axis=1, keepdims=True) * [1.0, 0.8, 0.5]
    assert 1 <= len(stable_poses([hull_part(pebble)])) <= MAX_POSES


@pytest.mark.parametrize(
    ("rotation", "height_m", "message"),
    [(2 * np.eye(3), 0.1, "orthonormal"), (np.eye(3), 0.0, "height 0.0 m")],
)
def test_wrong_poses_are_refused(rotation, height_m, message):
    with pytest.raises(AssetError, match=message):
        StablePose(rotation, height_m, [(0.0, 0.0)], 0.1)
