"""Where cameras and arms stand, found again from views of a board and from points of a table."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from imove_core.calibration.board import CharucoBoard
from imove_core.calibration.hand_eye import HandEye, camera_beside_arm, camera_on_hand
from imove_core.calibration.result import pose_from_matrix, with_arm, with_calibration, with_camera
from imove_core.calibration.table_plane import fit_plane
from imove_core.errors import ImoveError
from imove_core.hardware import TABLE, Calibrated
from imove_core.rig import Rig
from imove_core.transforms import Array, inverse

BOARD = CharucoBoard()


def pose(turn_rad: Array, at_m: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = Rotation.from_rotvec(turn_rad).as_matrix(), at_m
    return matrix


def draw(rng: np.random.Generator, turn_rad: float, reach_m: float) -> Array:
    return pose(rng.uniform(-turn_rad, turn_rad, 3), rng.uniform(-reach_m, reach_m, 3))


def samples(
    rng: np.random.Generator, count: int, noise_rad: float = 0.0, noise_m: float = 0.0
) -> tuple[list[Array], list[Array], Array, Array]:
    """Poses of a hand, views of the board, and the two poses that explain them."""
    tool_from_camera, base_from_board = draw(rng, 2.0, 0.1), draw(rng, 2.0, 0.5)
    hands = [draw(rng, 0.6, 0.3) for _ in range(count)]
    views = [
        inverse(hand @ tool_from_camera)
        @ base_from_board
        @ pose(rng.normal(0, noise_rad, 3), rng.normal(0, noise_m, 3))
        for hand in hands
    ]
    return hands, views, tool_from_camera, base_from_board


def apart(one: Array, other: Array) -> tuple[float, float]:
    """Distance in m and angle in rad."""
    between = inverse(one) @ other
    return float(np.linalg.norm(between[:3, 3])), float(Rotation.from_matrix(between[:3, :3]).magnitude())


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(5, 12))
def test_both_poses_are_found_exactly_where_there_is_no_noise(seed: int, count: int) -> None:
    hands, views, tool_from_camera, base_from_board = samples(np.random.default_rng(seed), count)
    found = camera_on_hand(hands, views, BOARD)
    for one, other in ((found.camera, tool_from_camera), (found.board, base_from_board)):
        distance_m, angle_rad = apart(one, other)
        assert distance_m < 1e-6 and angle_rad < 1e-6
    assert found.rms_m < 1e-7 and found.rms_rad < 1e-6


def test_camera_beside_an_arm_that_carries_the_board() -> None:
    rng = np.random.default_rng(3)
    base_from_camera, tool_from_board = draw(rng, 2.0, 0.8), draw(rng, 2.0, 0.1)
    hands = [draw(rng, 0.6, 0.3) for _ in range(8)]
    views = [inverse(base_from_camera) @ hand @ tool_from_board for hand in hands]
    found = camera_beside_arm(hands, views, BOARD)
    assert max(apart(found.camera, base_from_camera)) < 1e-6
    assert apart(found.board, tool_from_board)[0] < 1e-6


def test_noise_of_a_view_is_told_and_averaged_out() -> None:
    hands, views, tool_from_camera, _ = samples(np.random.default_rng(4), 20, noise_rad=0.002, noise_m=0.0005)
    found = camera_on_hand(hands, views, BOARD)
    distance_m, angle_rad = apart(found.camera, tool_from_camera)
    assert distance_m < 0.001 and angle_rad < 0.004
    # A view is off by 0.5 mm in each direction, and by what 2 mrad make at the corners of a board of 0.25 m.
    assert 0.0004 < found.rms_m < 0.0015
    assert 0.001 < found.rms_rad < 0.006
    assert found.residuals_m.shape == found.residuals_rad.shape == (20,)


def test_view_that_was_misread_stands_out() -> None:
    hands, views, tool_from_camera, _ = samples(np.random.default_rng(5), 12, noise_m=0.0002)
    views[7] = views[7] @ pose(np.zeros(3), np.array([0.05, 0.0, 0.0]))
    found = camera_on_hand(hands, views, BOARD)
    assert found.residuals_m.argmax() == 7
    assert apart(found.camera, tool_from_camera)[0] < 0.004


def solve_turning(axes: Array) -> HandEye:
    """Samples whose hand turns about the given axes only, by up to 30 degrees."""
    rng = np.random.default_rng(6)
    hands = [pose(axes.T @ rng.uniform(-0.5, 0.5, len(axes)), rng.uniform(-0.3, 0.3, 3)) for _ in range(8)]
    views = [inverse(hand @ draw(np.random.default_rng(1), 1.0, 0.1)) for hand in hands]
    return camera_on_hand(hands, views, BOARD)


def test_hand_that_turns_too_little_is_refused() -> None:
    with pytest.raises(ImoveError, match="turned by 0.0 degrees between samples; at least 8 are needed"):
        solve_turning(np.zeros((1, 3)))


def test_hand_that_turns_about_one_axis_is_refused_and_about_two_is_not() -> None:
    with pytest.raises(ImoveError, match="about one axis only"):
        solve_turning(np.eye(3)[:1])
    assert solve_turning(np.eye(3)[:2]).rms_m < 1e-6


def test_too_few_samples_are_refused() -> None:
    hands, views, _, _ = samples(np.random.default_rng(7), 4)
    with pytest.raises(ImoveError, match="4 poses of the arm and 4 views of the board; at least 5"):
        camera_on_hand(hands, views, BOARD)


def test_board_numbers_its_corners_along_its_rows() -> None:
    corners = CharucoBoard(columns=4, rows=3, square_m=0.1, marker_m=0.07).corners_m
    assert np.allclose(corners[:4], [[0.1, 0.1, 0], [0.2, 0.1, 0], [0.3, 0.1, 0], [0.1, 0.2, 0]])
    assert corners.shape == (6, 3)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"marker_m": 0.035}, "must be less than square_m"),
        ({"dictionary": "5x5"}, "such as DICT_5X5_250"),
        ({"squares": 7}, "unknown key 'squares'"),
    ],
)
def test_board_that_cannot_be_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        CharucoBoard.model_validate(fields)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_plane_is_found_among_objects(seed: int) -> None:
    rng = np.random.default_rng(seed)
    normal = np.array([*rng.uniform(-0.1, 0.1, 2), 1.0])
    normal /= np.linalg.norm(normal)
    height_m = rng.uniform(-0.2, 0.2)
    xy = rng.uniform(-0.5, 0.5, (800, 2))
    z = (height_m - xy @ normal[:2]) / normal[2] + rng.normal(0, 0.001, 800)
    z[:300] += rng.uniform(0.02, 0.2, 300)
    plane = fit_plane(np.column_stack([xy, z]), rng)
    assert abs(plane.offset_m - height_m) < 0.001
    assert np.arccos(min(1.0, plane.normal @ normal)) < 0.005
    assert 0.6 < plane.share < 0.66
    assert abs(plane.heights_m(np.array([[0.0, 0.0, 0.1 + height_m / normal[2]]]))[0] - 0.1 * normal[2]) < 0.002


def test_line_and_handful_of_points_are_no_table() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ImoveError, match="lie on a line"):
        fit_plane(np.outer(rng.uniform(size=100), [1.0, 2.0, 0.0]), rng)
    with pytest.raises(ImoveError, match="shows 10 points; at least 50"):
        fit_plane(rng.uniform(size=(10, 3)), rng)


def test_calibrated_poses_are_put_into_the_rig(rig: Rig) -> None:
    matrix = draw(np.random.default_rng(8), 1.0, 0.5)
    camera = with_camera(rig, "left_hand_camera", matrix).camera("left_hand_camera")
    assert np.allclose(camera.parent_from_optical.matrix, matrix)
    arm = with_arm(rig, "right", matrix).arm("right")
    assert np.allclose(arm.world_from_base.matrix, matrix)
    assert np.allclose(pose_from_matrix(arm.world_from_base.matrix).matrix, matrix)
    assert with_arm(rig, "right", matrix).arm("left") == rig.arm("left")
    with pytest.raises(ImoveError, match="unknown camera of rig piperx_dual 'top'"):
        with_camera(rig, "top", matrix)


def test_note_of_a_calibration_replaces_an_earlier_one(rig: Rig) -> None:
    first, second = (Calibrated(calibrated_on=date(2026, 3, day)) for day in (1, 2))
    noted = with_calibration(with_calibration(rig, TABLE, first), "static_camera", first)
    noted = with_calibration(noted, "static_camera", second)
    assert noted.hardware.calibration == {TABLE: first, "static_camera": second}
    assert noted.model_copy(update={"hardware": rig.hardware}) == rig
