"""Commands for an arm: what is refused, and what is followed when."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from imove_core.errors import ImoveError
from imove_core.rig import Arm, Rig
from imove_core.trajectory import HISTORY_NS, JointCommand, TrajectoryFollower, make_command

MS = 1_000_000
LIMITS = np.array([[-1.0, 1.0], [0.0, 0.07]])
SPEEDS = np.array([2.0, 0.25])
PERIOD_S = 0.02


@pytest.fixture
def arm(rig: Rig) -> Arm:
    return rig.arms[0]


def follower(start: tuple[float, float] = (0.0, 0.0)) -> TrajectoryFollower:
    return TrajectoryFollower(LIMITS, np.array(start), SPEEDS)


def command(stamp_ms: float, *points: tuple[float, float]) -> JointCommand:
    """Points (time in ms after the stamp, position of the first joint)."""
    times, values = np.array(points).T
    positions = np.column_stack([values, np.zeros(len(values))])
    stamp_ns = round(stamp_ms * MS)
    return JointCommand(stamp_ns, stamp_ns + np.round(times * MS).astype(np.int64), positions)


def first_joint(followed: TrajectoryFollower, *times_ms: float) -> list[float]:
    return [round(float(followed.target(round(time * MS))[0]), 9) for time in times_ms]


# What may come from outside.


def test_columns_are_put_into_the_order_of_the_arm(arm: Arm) -> None:
    names = arm.joint_names[::-1]
    made = make_command(arm, names, 5, [10, 20], [[6, 5, 4, 3, 2, 1, 0], [16, 15, 14, 13, 12, 11, 10]])
    np.testing.assert_array_equal(made.positions, [range(7), range(10, 17)])
    np.testing.assert_array_equal(made.times_ns, [15, 25])
    assert made.stamp_ns == 5


@pytest.mark.parametrize("dropped", range(7))
def test_a_missing_joint_is_named(arm: Arm, dropped: int) -> None:
    names = [name for index, name in enumerate(arm.joint_names) if index != dropped]
    with pytest.raises(ImoveError, match=f"command for arm 'left' lacks joint '{arm.joint_names[dropped]}'; all of "):
        make_command(arm, names, 0, [1], [[0.0] * 6])


@pytest.mark.parametrize("extra", ["right_joint1", "joint1", "left_joint3"])
def test_an_unknown_joint_and_one_named_twice_are_named(arm: Arm, extra: str) -> None:
    with pytest.raises(ImoveError, match=f"names joint '{extra}'; exactly left_joint1, .* are allowed, each once"):
        make_command(arm, [*arm.joint_names, extra], 0, [1], [[0.0] * 8])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_not_finite_is_named_by_joint_and_point(arm: Arm, value: float) -> None:
    rows = [[0.0] * 7, [0.0] * 7]
    # By name, not by column: the names come in another order.
    names = arm.joint_names[1:] + arm.joint_names[:1]
    rows[1][names.index("left_gripper")] = value
    with pytest.raises(ImoveError, match=f"has {value} for joint 'left_gripper' in point 1; only finite numbers"):
        make_command(arm, names, 0, [1, 2], rows)


@pytest.mark.parametrize("offsets", [[0, 1], [-1, 1], [5, 5], [5, 4]])
def test_times_must_be_positive_and_increase(arm: Arm, offsets: list[int]) -> None:
    with pytest.raises(ImoveError, match=r"has point times \[.*\] ns; they must be positive and increase"):
        make_command(arm, arm.joint_names, 0, offsets, [[0.0] * 7] * 2)


@pytest.mark.parametrize(("points", "times"), [(0, 0), (1, 2), (2, 1), (1, 0)])
def test_each_point_needs_a_time_and_there_is_at_least_one(arm: Arm, points: int, times: int) -> None:
    with pytest.raises(ImoveError, match=f"has {points} points and {times} times; at least one point and a time"):
        make_command(arm, arm.joint_names, 0, list(range(1, times + 1)), [[0.0] * 7] * points)


def test_a_short_point_is_named(arm: Arm) -> None:
    with pytest.raises(ImoveError, match="point 1 of the command for arm 'left' has 6 positions; 7 are needed"):
        make_command(arm, arm.joint_names, 0, [1, 2], [[0.0] * 7, [0.0] * 6])


# What is followed.


def test_without_a_command_the_first_position_is_held() -> None:
    assert first_joint(follower((0.5, 0.02)), 0, 1e6) == [0.5, 0.5]


def test_between_points_the_target_is_linear_and_after_the_last_it_stays() -> None:
    followed = follower()
    followed.command(command(100, (100, 0.4), (200, 0.2)))
    assert first_joint(followed, 0, 100, 150, 200, 250, 300, 5000) == [0, 0, 0.2, 0.4, 0.3, 0.2, 0.2]


def test_the_newest_wins_from_its_stamp_on_and_starts_at_the_target_in_force() -> None:
    followed = follower()
    followed.command(command(0, (100, 0.1), (200, 0.2), (300, 0.3), (400, 0.4)))
    followed.command(command(250, (100, 0.05)))
    assert first_joint(followed, 50, 150, 250, 300, 350, 1000) == [0.05, 0.15, 0.25, 0.15, 0.05, 0.05]


def test_a_command_for_later_leaves_the_present_alone() -> None:
    followed = follower()
    followed.command(command(0, (100, 0.1), (200, 0.2), (300, 0.3), (400, 0.4)))
    followed.command(command(350, (50, -0.5)))
    assert first_joint(followed, 0, 50, 100, 250, 350, 400) == [0, 0.05, 0.1, 0.25, 0.35, -0.5]


def test_an_answer_that_comes_late_is_joined_where_it_would_be_by_now() -> None:
    followed = follower()
    followed.command(command(0, (1000, 0.5)))
    for time_ms in range(20, 520, 20):
        followed.advance(time_ms * MS, PERIOD_S)
    # Stamped 100 ms ago: its first point is due now, and the target in force at its stamp was 0.2.
    followed.command(command(400, (100, 0.3), (200, 0.0)))
    assert first_joint(followed, 400, 450, 500, 550, 600) == [0.2, 0.25, 0.3, 0.15, 0]


def test_hold_drops_every_command() -> None:
    followed = follower()
    followed.command(command(0, (100, 0.4)))
    followed.hold(np.array([0.1, 5.0]))
    np.testing.assert_array_equal(followed.target(50 * MS), [0.1, 0.07])
    np.testing.assert_array_equal(followed.target(10**18), [0.1, 0.07])


def test_targets_are_values_that_the_caller_may_change() -> None:
    followed = follower()
    for take in (lambda: followed.target(0), lambda: followed.advance(0, PERIOD_S)):
        take()[:] = 9
        np.testing.assert_array_equal(take(), [0, 0])


def test_memory_does_not_grow_with_the_episode() -> None:
    followed = follower()
    sizes = []
    for step in range(1, 400):
        followed.command(command(step * 20, *((20.0 * row, 0.1) for row in range(1, 31))))
        followed.advance((step + 1) * 20 * MS, PERIOD_S)
        sizes.append(len(followed._times_ns))
    assert max(sizes[100:]) == max(sizes[300:]) <= 2 * HISTORY_NS // (20 * MS) + 32


points = st.lists(st.tuples(st.integers(1, 400), st.floats(-3, 3), st.floats(-0.2, 0.2)), min_size=1, max_size=6)


@st.composite
def commands(draw: st.DrawFn) -> JointCommand:
    drawn = draw(points)
    times_ms = np.cumsum([point[0] for point in drawn])
    stamp_ns = draw(st.integers(0, 2000)) * MS
    return JointCommand(stamp_ns, stamp_ns + times_ms * MS, np.array([point[1:] for point in drawn]))


@given(given_commands=st.lists(commands(), max_size=5), start=arrays(float, 2, elements=st.floats(-2, 2)))
@settings(deadline=None, derandomize=True)
def test_targets_never_leave_limits_nor_exceed_speeds(given_commands: list[JointCommand], start: np.ndarray) -> None:
    followed = TrajectoryFollower(LIMITS, start, SPEEDS)
    previous = np.clip(start, *LIMITS.T)
    pending = sorted(given_commands, key=lambda item: item.stamp_ns)
    for time_ms in range(20, 3000, 20):
        while pending and pending[0].stamp_ns <= time_ms * MS:
            followed.command(pending.pop(0))
        target = followed.advance(time_ms * MS, PERIOD_S)
        assert np.all(LIMITS[:, 0] <= target) and np.all(target <= LIMITS[:, 1])
        assert np.all(np.abs(target - previous) <= SPEEDS * PERIOD_S + 1e-12)
        previous = target


@given(older=commands(), newer=commands(), probe_ms=st.integers(0, 4000))
@settings(deadline=None, derandomize=True)
def test_the_newer_of_two_commands_is_all_that_counts_after_its_first_point(
    older: JointCommand, newer: JointCommand, probe_ms: int
) -> None:
    both, old_only, new_only = follower(), follower(), follower()
    both.command(older)
    old_only.command(older)
    both.command(newer)
    new_only.command(newer)
    probe_ns = probe_ms * MS
    if probe_ns <= newer.stamp_ns:
        np.testing.assert_allclose(both.target(probe_ns), old_only.target(probe_ns), atol=1e-9)
    assume(probe_ns <= newer.stamp_ns or probe_ns >= newer.times_ns[0])
    if probe_ns >= newer.times_ns[0]:
        np.testing.assert_array_equal(both.target(probe_ns), new_only.target(probe_ns))


@given(item=commands())
@settings(deadline=None, derandomize=True)
def test_each_point_is_met_at_its_time(item: JointCommand) -> None:
    followed = follower()
    followed.command(item)
    for time_ns, position in zip(item.times_ns, item.positions, strict=True):
        np.testing.assert_array_equal(followed.target(int(time_ns)), np.clip(position, *LIMITS.T))
