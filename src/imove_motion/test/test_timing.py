"""Timing of joint waypoints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from imove_motion.timing import ease, hold

RATE_HZ = 30.0
waypoint_lists = arrays(float, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5), elements=st.floats(-2, 2))


@given(waypoints=waypoint_lists, speed=st.floats(0.1, 3), least_s=st.floats(0, 2))
@settings(deadline=None, derandomize=True)
def test_ease_ends_at_the_last_waypoint_in_no_less_than_the_least_time(
    waypoints: np.ndarray, speed: float, least_s: float
) -> None:
    rows = ease(waypoints, speed, RATE_HZ, least_s)
    np.testing.assert_array_equal(rows[-1], waypoints[-1])
    assert rows.shape[1] == waypoints.shape[1]
    assert len(rows) / RATE_HZ >= least_s


@given(waypoints=waypoint_lists, speed=st.floats(0.1, 3))
@settings(deadline=None, derandomize=True)
def test_ease_never_exceeds_the_peak_speed(waypoints: np.ndarray, speed: float) -> None:
    rows = np.vstack([waypoints[:1], ease(waypoints, speed, RATE_HZ)])
    assert np.abs(np.diff(rows, axis=0)).max() * RATE_HZ <= speed * (1 + 1e-9) + 1e-12


def test_ease_uses_the_speed_that_it_may_and_starts_and_ends_gently() -> None:
    rows = ease(np.array([[0.0], [2.0]]), 1.0, RATE_HZ)[:, 0]
    speeds = np.diff(np.concatenate([[0.0], rows])) * RATE_HZ
    assert len(rows) == 3.0 * RATE_HZ
    assert speeds.max() > 0.99
    assert max(speeds[0], speeds[-1]) < 0.05
    assert rows[len(rows) // 2 - 1] == pytest.approx(1.0)


@given(waypoints=waypoint_lists, speed=st.floats(0.1, 3), ratio=st.floats(0.1, 10))
@settings(deadline=None, derandomize=True)
def test_columns_may_have_speeds_of_their_own(waypoints: np.ndarray, speed: float, ratio: float) -> None:
    """As if the columns had been stretched so that all have the same speed."""
    speeds = np.full(waypoints.shape[1], speed)
    speeds[0] *= ratio
    rows = ease(waypoints, speeds, RATE_HZ)
    np.testing.assert_allclose(rows / speeds, ease(waypoints / speeds, 1.0, RATE_HZ), atol=1e-9)
    steps = np.abs(np.diff(np.vstack([waypoints[:1], rows]), axis=0)) * RATE_HZ
    assert np.all(steps <= speeds * (1 + 1e-9) + 1e-12)


@given(waypoints=waypoint_lists, speed=st.floats(0.1, 3))
@settings(deadline=None, derandomize=True)
def test_ease_follows_the_straight_segments_in_order_and_never_goes_back(waypoints: np.ndarray, speed: float) -> None:
    lengths = np.abs(np.diff(waypoints, axis=0)).max(axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    reached = 0.0
    for row in ease(waypoints, speed, RATE_HZ):
        # The way so far, of all places on the path that are this row, the first that is not behind the last row.
        places = [
            start + share * length
            for start, length, share in _places_on(waypoints, marks[:-1], lengths, row)
            if start + share * length >= reached - 1e-6
        ]
        assert places
        reached = min(places)


def _places_on(
    waypoints: np.ndarray, starts: np.ndarray, lengths: np.ndarray, row: np.ndarray
) -> list[tuple[float, float, float]]:
    found = []
    for first, second, start, length in zip(waypoints[:-1], waypoints[1:], starts, lengths, strict=True):
        way = second - first
        share = float(np.clip((row - first) @ way / max(way @ way, 1e-300), 0, 1))
        if np.abs(first + share * way - row).max() < 1e-6:
            found.append((float(start), float(length), share))
    return found


def test_ease_of_no_distance_waits_out_the_least_time() -> None:
    rows = ease(np.array([[1.0, 2.0], [1.0, 2.0]]), 1.0, RATE_HZ, least_s=0.5)
    np.testing.assert_array_equal(rows, [[1.0, 2.0]] * 15)


def test_hold_lasts_at_least_one_row() -> None:
    position = np.array([1.0, 2.0])
    np.testing.assert_array_equal(hold(position, 0.1, RATE_HZ), [position] * 3)
    np.testing.assert_array_equal(hold(position, 0.0, RATE_HZ), [position])
