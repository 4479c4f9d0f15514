"""Targets keep to limits, speeds and accelerations, whatever is commanded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.trajectory import make_command
from imove_hardware.piper.following import Motion
from imove_hardware.piper.limits import Units, motion_limits
from imove_motion.safety.settings import SafetySettings

ARM = load_rig("piperx_dual").arm("left")
LIMITS = motion_limits(ARM, SafetySettings(), np.full(6, math.inf))
PERIOD_S = 0.005
PERIOD_NS = 5_000_000
ROUNDING = 2e-9

rows = st.lists(st.lists(st.floats(-4.0, 4.0), min_size=7, max_size=7), min_size=1, max_size=4)
# What happens before a tick: a command of points so many ms apart and so old, a brake, or nothing.
happenings = st.lists(
    st.one_of(st.tuples(rows, st.integers(1, 200), st.integers(-300, 300)), st.just("brake"), st.integers(1, 30)),
    max_size=8,
)


def command(points, apart_ms, now_ns, begin_ms=0):
    """A checked command."""
    offsets = [number * apart_ms * 1_000_000 for number in range(1, len(points) + 1)]
    return make_command(ARM, ARM.joint_names, now_ns + begin_ms * 1_000_000, offsets, points)


def ticks(motion, now_ns, count):
    """Targets of as many ticks."""
    return np.array([motion.tick(now_ns + number * PERIOD_NS) for number in range(1, count + 1)])


@settings(deadline=None, max_examples=60)
@given(happenings)
def test_nothing_that_is_commanded_makes_a_target_leave_its_limits(happenings):
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    ways = [np.repeat(motion.position[None], 2, axis=0)]
    for happening in happenings:
        if happening == "brake":
            motion.brake()
        elif not isinstance(happening, int):
            points, apart_ms, begin_ms = happening
            motion.command(command(points, apart_ms, now_ns, begin_ms), now_ns)
        count = happening if isinstance(happening, int) else 5
        ways.append(ticks(motion, now_ns, count))
        now_ns += count * PERIOD_NS
    way = np.vstack(ways)
    assert np.all(way >= LIMITS.low - ROUNDING) and np.all(way <= LIMITS.high + ROUNDING)
    speeds = np.diff(way, axis=0) / PERIOD_S
    assert np.all(np.abs(speeds) <= LIMITS.velocities + ROUNDING / PERIOD_S)
    accelerations = np.diff(speeds, axis=0) / PERIOD_S
    assert np.all(np.abs(accelerations) <= LIMITS.accelerations + 2 * ROUNDING / PERIOD_S**2)


def test_a_slow_command_is_followed_exactly():
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    goal = ARM.home_positions + 0.01
    goal[-1] = 0.06
    motion.command(command([goal.tolist()], 1000, now_ns), now_ns)
    way = ticks(motion, now_ns, 220)
    assert np.allclose(way[99], (ARM.home_positions + goal) / 2, atol=1e-3)
    assert np.allclose(way[-1], goal, atol=1e-9) and motion.at_rest and motion.ran_out(now_ns + 10**9)


def test_braking_comes_to_rest_as_fast_as_the_limits_allow():
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    goal = ARM.home_positions.copy()
    goal[0] = 2.0
    motion.command(command([goal.tolist()], 100, now_ns), now_ns)
    way = ticks(motion, now_ns, 40)
    speed = (way[-1, 0] - way[-2, 0]) / PERIOD_S
    assert speed == pytest.approx(3.0)
    motion.brake()
    stop = ticks(motion, now_ns + 40 * PERIOD_NS, 12)
    # 3 rad/s at 60 rad/s^2: 50 ms and 75 mrad.
    assert motion.at_rest and stop[-1, 0] - way[-1, 0] == pytest.approx(speed**2 / 2 / 60, rel=0.15)


def test_the_arms_own_speed_counts_where_it_is_lower():
    limits = motion_limits(ARM, SafetySettings(speed_scale=0.5), np.full(6, 1.2))
    assert limits.velocities.tolist() == [1.2] * 6 + [0.125]
    limits = motion_limits(ARM, SafetySettings(speed_scale=0.2), np.full(6, 1.2))
    assert np.allclose(limits.velocities[:6], 0.6)


def test_commands_of_another_time_are_refused_and_those_beyond_limits_told_once_a_joint():
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    home = ARM.home_positions.tolist()
    with pytest.raises(ImoveError, match="ended 0.60 s ago"):
        motion.command(command([home], 100, now_ns, -700), now_ns)
    with pytest.raises(ImoveError, match=r"begins 2\.10 s ahead"):
        motion.command(command([home], 100, now_ns, 2100), now_ns)
    far = [9.0, *home[1:]]
    (event,) = motion.command(command([home, far, far], 100, now_ns), now_ns)
    assert (event.kind, event.joint, event.value, event.count) == ("joint_limit", "left_joint1", 9.0, 2)
    assert event.action == "clamped" and event.sentence == "left_joint1 was to go to 9.000; its limit is 2.618"


@given(st.lists(st.floats(0.0, 1.0), min_size=7, max_size=7))
def test_units_are_inside_of_the_limits(shares):
    target = LIMITS.low + np.array(shares) * (LIMITS.high - LIMITS.low)
    units = Units(LIMITS).of(target)
    back = np.array([*np.radians(np.array(units[:6]) / 1000.0), units[6] * 1e-6])
    assert np.all(back >= LIMITS.low - ROUNDING) and np.all(back <= LIMITS.high + ROUNDING)
    # Half a thousandth of a degree, or a whole one at a limit.
    assert np.all(np.abs(back - target)[:6] <= math.radians(0.001) + ROUNDING)
    assert abs(back[6] - target[6]) <= 1e-6


@given(st.floats(-2.5, 2.5), st.integers(20, 400))
def test_a_leap_is_caught_up_with_and_never_passed(goal_rad, apart_ms):
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    goal = ARM.home_positions.copy()
    goal[0] = goal_rad
    motion.command(command([goal.tolist()], apart_ms, now_ns), now_ns)
    way = ticks(motion, now_ns, 300)[:, 0]
    assert way[-1] == pytest.approx(goal_rad, abs=1e-9) and motion.at_rest
    assert np.abs(way).max() <= abs(goal_rad) + ROUNDING


def test_points_that_follow_in_time_are_passed_without_a_stop():
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    line = [[0.05 * number, *ARM.home_positions[1:].tolist()] for number in range(1, 9)]
    motion.command(command(line[:4], 50, now_ns), now_ns)
    first = ticks(motion, now_ns, 30)
    motion.command(command(line[3:], 50, now_ns, 150), now_ns + 30 * PERIOD_NS)
    way = np.vstack([first, ticks(motion, now_ns + 30 * PERIOD_NS, 40)])[:, 0]
    # 1 rad/s, once it has caught up.
    assert np.allclose(way[20:70], 0.005 * np.arange(21, 71), atol=1e-9)


def test_a_peak_is_turned_back_from_without_passing_it():
    motion, now_ns = Motion(ARM, LIMITS, PERIOD_S), 10**18
    peak, back = ARM.home_positions.copy(), ARM.home_positions.copy()
    peak[0] = 0.2
    motion.command(command([peak.tolist(), back.tolist()], 100, now_ns), now_ns)
    way = ticks(motion, now_ns, 80)[:, 0]
    assert 0.15 < way.max() <= 0.2 + ROUNDING and way.min() >= -ROUNDING and way[-1] == 0.0
