"""Depth images as points in the world."""

import numpy as np
import pytest

from imove_core.clouds import ABOVE_TABLE_M, HIGHEST_M, MARGIN_M, Cloud, over_table
from imove_core.errors import ImoveError
from imove_core.fixed_camera import fixed_camera, pixels_of
from imove_core.rig import load_rig
from imove_core.transforms import apply, inverse

RIG = load_rig("piperx_dual")
CAMERA = fixed_camera(RIG)


@pytest.mark.parametrize("size", [(640, 480), (224, 224)])
def test_every_point_of_a_cloud_is_seen_in_its_own_pixel(size: tuple[int, int]) -> None:
    width, height = size
    rng = np.random.default_rng(3)
    depth_mm = rng.integers(600, 1200, (height, width)).astype(np.uint16)
    depth_mm[5, 7] = 0
    cloud = Cloud.of(depth_mm, CAMERA)
    assert np.isnan(cloud.points[5, 7]).all() and np.isnan(cloud.points).any(axis=-1).sum() == 1
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    seen = np.isfinite(cloud.points[..., 2])
    pixels = pixels_of(CAMERA, width, height, cloud.points[seen])
    np.testing.assert_allclose(pixels, np.stack([columns, rows], axis=-1)[seen], atol=1e-6)
    local = apply(inverse(CAMERA.parent_from_optical.matrix), cloud.points[seen])
    np.testing.assert_allclose(local[:, 2], depth_mm[seen] / 1e3, atol=1e-9)


def test_points_of_a_flat_wall_are_a_pixel_apart() -> None:
    cloud = Cloud.of(np.full((48, 64), 900, np.uint16), CAMERA)
    apart = np.linalg.norm(np.diff(cloud.points, axis=1), axis=-1)
    np.testing.assert_allclose(apart, cloud.pixel_m)


def test_an_image_without_returns_has_no_points_and_a_pixel_all_the_same() -> None:
    cloud = Cloud.of(np.zeros((48, 64), np.uint16), CAMERA)
    assert np.isnan(cloud.points).all() and 0 < cloud.pixel_m < 1
    assert not over_table(cloud.points, RIG.workspace).any()


def test_what_stands_over_the_workspace_and_its_margin_is_wanted() -> None:
    (near, far), (right, left) = RIG.workspace.x, RIG.workspace.y
    low, high, edge = ABOVE_TABLE_M, HIGHEST_M, MARGIN_M
    inside = [(far, left, 0.1), (far + 0.9 * edge, right - 0.9 * edge, 1.1 * low), (near, right, 0.99 * high)]
    outside = [
        (far, left, 0.9 * low),
        (far, left, 1.1 * high),
        (far + 1.1 * edge, left, 0.1),
        (near, right - 1.1 * edge, 0.1),
        (np.nan, np.nan, np.nan),
    ]
    assert over_table(np.array([inside]), RIG.workspace).tolist() == [[True] * 3]
    assert over_table(np.array(outside), RIG.workspace).tolist() == [False] * 5


def test_what_is_behind_a_camera_is_in_no_pixel() -> None:
    pose = CAMERA.parent_from_optical.matrix
    ahead, behind = apply(pose, np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    assert np.isfinite(pixels_of(CAMERA, 640, 480, ahead)).all()
    assert np.isnan(pixels_of(CAMERA, 640, 480, behind)).all()


def test_a_camera_on_an_arm_is_not_fixed() -> None:
    assert fixed_camera(RIG, "static_camera") == CAMERA
    with pytest.raises(ImoveError, match="left_hand_camera of rig piperx_dual moves with an arm"):
        fixed_camera(RIG, "left_hand_camera")
    others = tuple(camera for camera in RIG.cameras if camera != CAMERA)
    bare = RIG.model_copy(update={"cameras": others, "required_cameras": ()})
    with pytest.raises(ImoveError, match="has no camera that stands still"):
        fixed_camera(bare)
