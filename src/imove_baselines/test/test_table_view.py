"""The workspace from above."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_baselines.table_view import TableView
from imove_core.fixed_camera import fixed_camera, pixels_of
from imove_core.rig import load_rig


@pytest.mark.parametrize("name", ["piperx_dual", "franka_single"])
def test_the_view_shows_the_whole_workspace_left_on_the_left_and_far_on_top(name: str) -> None:
    rig = load_rig(name)
    view = TableView.of(rig)
    far_left = view.cells_at(np.array([rig.workspace.x[1], rig.workspace.y[1]]))
    near_right = view.cells_at(np.array([rig.workspace.x[0], rig.workspace.y[0]]))
    assert np.all(far_left > 8)
    assert np.all(near_right < [view.rows - 9, view.columns - 9])
    assert np.all(far_left < near_right)
    assert view.rows % 16 == view.columns % 16 == 0


@given(x=st.floats(0.2, 0.45), y=st.floats(-0.4, 0.4))
def test_cells_and_points_are_inverse(x: float, y: float) -> None:
    view = TableView.of(load_rig("piperx_dual"))
    np.testing.assert_allclose(view.points_at(view.cells_at(np.array([x, y]))), [x, y], atol=1e-12)


@pytest.mark.parametrize("name", ["piperx_dual", "franka_single"])
def test_what_a_camera_sees_at_a_point_lies_in_that_cell(name: str) -> None:
    rig = load_rig(name)
    view, camera = TableView.of(rig), fixed_camera(rig)
    point = np.array([np.mean(rig.workspace.x) + 0.03, 0.05, view.plane_m])
    column, row = np.rint(pixels_of(camera, 640, 480, point)).astype(int)
    image = np.zeros((480, 640, 3), np.uint8)
    image[row - 2 : row + 3, column - 2 : column + 3] = (255, 128, 0)
    seen = view.rectified(image, camera)
    brightest = np.argwhere(seen[..., 0] > 200).mean(axis=0)
    np.testing.assert_allclose(brightest, view.cells_at(point[:2]), atol=1.0)
    assert np.all(seen[seen[..., 0] > 200] == (255, 128, 0))


def test_a_high_point_is_seen_farther_from_the_camera() -> None:
    rig = load_rig("piperx_dual")
    view, camera = TableView.of(rig), fixed_camera(rig)
    eye = camera.parent_from_optical.matrix[:3, 3]
    point = np.array([0.40, 0.30, 0.12])
    seen = view.seen_at(camera, point)
    # On the plane, on the ray from the eye through the point.
    expected = eye + (point - eye) * (eye[2] - view.plane_m) / (eye[2] - point[2])
    np.testing.assert_allclose([*seen, view.plane_m], expected, atol=1e-12)
    assert np.linalg.norm(seen - eye[:2]) > np.linalg.norm(point[:2] - eye[:2])
