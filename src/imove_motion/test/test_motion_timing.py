"""Jerk-limited timing of joint curves, legs and their smoothness."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from imove_core.rig import load_rig, rig_names
from imove_motion.planning.collision import CollisionChecker
from imove_motion.planning.contract_checks import block, question
from imove_motion.planning.curves import rounded
from imove_motion.planning.legs import Leg, free_leg, leg_rows
from imove_motion.planning.protocol import PlanningError
from imove_motion.planning.timing import MotionLimits, curve_along, timed
from imove_motion.smoothness import smoothness

RATE_HZ = 30.0
ROUNDING = 1 + 1e-6
waypoint_lists = arrays(float, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5), elements=st.floats(-2, 2))


def limits_of(size: int, velocity: float = 1.5, acceleration: float = 8.0, jerk: float = 80.0) -> MotionLimits:
    return MotionLimits(*(np.full(size, value) for value in (velocity, acceleration, jerk)))


def derivatives(start: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """Speed, acceleration and jerk of a motion from rest to rest, from differences."""
    still = 3
    way = np.vstack([np.repeat(start[None], still, axis=0), rows, np.repeat(rows[-1:], still, axis=0)])
    return [np.abs(np.diff(way, order, axis=0)) * RATE_HZ**order for order in (1, 2, 3)]


@given(waypoints=waypoint_lists, velocity=st.floats(0.3, 3), jerk=st.floats(20, 500))
@settings(deadline=None, derandomize=True, max_examples=60)
def test_rows_keep_all_limits_and_end_where_they_should(waypoints: np.ndarray, velocity: float, jerk: float) -> None:
    limits = limits_of(waypoints.shape[1], velocity, jerk=jerk)
    curve = curve_along(waypoints, limits)
    assume(curve is not None)
    rows = timed(curve, limits, RATE_HZ)
    np.testing.assert_array_equal(rows[-1], waypoints[-1])
    for found, most in zip(derivatives(waypoints[0], rows), (velocity, 8.0, jerk), strict=True):
        assert found.max() <= most * ROUNDING + 1e-9
    low, high = waypoints.min(axis=0), waypoints.max(axis=0)
    assert np.all(rows >= low - 1e-9) and np.all(rows <= high + 1e-9)


def test_a_long_straight_way_is_as_fast_as_it_may_be() -> None:
    limits = limits_of(2)
    curve = curve_along(np.array([[0.0, 0.0], [3.0, 1.5]]), limits)
    rows = timed(curve, limits, RATE_HZ)
    # Way / speed + speed / acceleration + acceleration / jerk, for a profile that reaches all three limits.
    assert len(rows) == np.ceil((3.0 / 1.5 + 1.5 / 8.0 + 8.0 / 80.0) * RATE_HZ)
    np.testing.assert_allclose(rows[:, 1], rows[:, 0] / 2, atol=1e-12)


def test_corners_are_cut_by_less_the_shorter_the_spans() -> None:
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    lengths = np.ones(2)
    gaps = []
    for span in (0.4, 0.2, 0.1):
        points = rounded(corner, lengths, span)(np.linspace(0, 2, 400))
        gaps.append(np.linalg.norm(points - corner[1], axis=1).min())
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 0.05


def test_a_least_time_is_kept() -> None:
    limits = limits_of(1)
    rows = timed(curve_along(np.array([[0.0], [0.1]]), limits), limits, RATE_HZ, least_s=2.0)
    assert len(rows) == 60


def test_nothing_to_move_is_no_curve_and_only_a_pause() -> None:
    still = np.zeros((3, 2))
    assert curve_along(still, limits_of(2)) is None
    assert leg_rows(Leg("wait", still), limits_of(2), RATE_HZ).shape == (0, 2)
    assert leg_rows(Leg("wait", still, pause_s=0.5), limits_of(2), RATE_HZ).shape == (15, 2)


def test_a_curve_that_would_cut_a_wall_stops_at_the_corner() -> None:
    asked = question()
    turn = asked.start + np.array([0.25, 0.0, 0.0, 0.0, 0.0, 0.0])
    waypoints = np.stack([asked.start, turn, turn + np.array([0.0, -0.3, 0.0, 0.0, 0.0, 0.0])])
    leg = Leg("bend", np.column_stack([waypoints, np.zeros(3)]), CollisionChecker(asked.arm, asked.world))
    free = leg_rows(leg, limits_of(7), RATE_HZ)
    assert np.abs(free[:, :-1] - turn).max(axis=1).min() > 1e-3

    class Corner:
        """Free on the straight parts alone."""

        def touch(self, joints: np.ndarray) -> str | None:
            on_first = np.abs(joints[:, 1] - turn[1]) < 1e-9
            on_second = np.abs(joints[:, 0] - turn[0]) < 1e-9
            return None if np.all(on_first | on_second) else "corner"

    stopped = leg_rows(Leg("bend", leg.waypoints, Corner()), limits_of(7), RATE_HZ)
    assert np.abs(stopped[:, :-1] - turn).max(axis=1).min() < 1e-12
    assert Corner().touch(stopped[:, :-1]) is None


def test_a_leg_through_a_wall_is_refused_by_name() -> None:
    asked = question([block("wall", (0.05, 0.01, 0.09), (0.28, 0.30))])
    waypoints = np.linspace(asked.start, asked.goals[0], 9)
    leg = Leg("carry", np.column_stack([waypoints, np.zeros(9)]), CollisionChecker(asked.arm, asked.world))
    with pytest.raises(PlanningError, match="collision: on the carry .*wall") as caught:
        free_leg(leg)
    assert caught.value.constraint == "collision"


@pytest.mark.parametrize("rig_name", rig_names())
def test_limits_are_those_of_the_arm_or_lower(rig_name: str) -> None:
    for arm in load_rig(rig_name).arms:
        own, capped = MotionLimits.of(arm), MotionLimits.of(arm, 1.0, 5.0, 50.0)
        assert np.all(own.acceleration > 0) and np.all(own.jerk > own.acceleration)
        np.testing.assert_array_equal(own.velocity, arm.velocity_limits)
        for low, high, cap in (
            (capped.velocity, own.velocity, 1.0),
            (capped.acceleration, own.acceleration, 5.0),
            (capped.jerk, own.jerk, 50.0),
        ):
            np.testing.assert_array_equal(low[:-1], np.minimum(high[:-1], cap))
            assert low[-1] == high[-1]


def test_smoothness_is_what_differences_say() -> None:
    start, rows = np.zeros(2), np.array([[0.1, 0.0], [0.2, 0.0], [0.2, 0.0]])
    found = smoothness(start, rows, 10.0)
    assert found.peak_speed_rad_s == pytest.approx(1.0)
    assert found.peak_acceleration_rad_s2 == pytest.approx(10.0)
    assert found.peak_jerk_rad_s3 == pytest.approx(100.0)
    assert found.path_length_rad == pytest.approx(0.2)
