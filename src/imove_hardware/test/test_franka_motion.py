"""Ways keep to what a Franka allows, whatever is wanted, and end at rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.rig import load_rig
from imove_hardware.emulation.franka.controller import EmulatedController, Trajectory
from imove_hardware.franka.course import PERIOD_NS, Course, course_limits
from imove_hardware.franka.speeds import SHARE, speed_limits
from imove_hardware.franka.spline import cubic, knots

MS = 1_000_000
# A stamp of zero means "at once".
EPOCH_NS = 1_000_000_000
ARM = load_rig("fr3_single").arm("arm")
PANDA = load_rig("franka_single").arm("arm")


def course(arm, positions=None, speed_share=1.0):
    """A course of an arm, at rest at home."""
    return Course(course_limits(arm, speed_share), np.array(arm.home if positions is None else positions), EPOCH_NS)


def driven(way_of, rounds, latency_ms):
    """Reference and its speed, each millisecond, of a controller that is sent a way in each round.

    Args:
        way_of: The way of a time in ns after the epoch.
        rounds: Times of the rounds, ms.
        latency_ms: From a round to the controller.
    """
    names = ARM.joint_names[:-1]
    controller = EmulatedController(names, way_of(0).positions[0])
    reference, waiting = [], []
    for ms in range(rounds[-1] + 800):
        now_ns = EPOCH_NS + ms * MS
        if ms in rounds:
            waiting.append((ms + latency_ms, way_of(ms * MS)))
        while waiting and waiting[0][0] <= ms:
            way = waiting.pop(0)[1]
            trajectory = Trajectory(names, way.stamp_ns, way.offsets_ns.tolist(), way.positions, way.velocities)
            assert controller.accept(trajectory, controller.sample(now_ns), now_ns) == ""
        reference.append(controller.sample(now_ns))
    return np.array(reference).swapaxes(0, 1)


def held_to(arm, positions, speeds):
    """Checks a motion sampled at 1 kHz against the whole of what the arm allows."""
    accelerations = np.diff(speeds, axis=0) / 1e-3
    jerks = np.diff(accelerations, axis=0) / 1e-3
    assert np.all(np.abs(accelerations) < arm.acceleration_limits[:7])
    assert np.all(np.abs(jerks) <= arm.jerk_limits[:7])
    assert np.all(np.abs(speeds) <= arm.velocity_limits[:7])
    assert np.all((positions > arm.limits[:7, 0] - 1e-9) & (positions < arm.limits[:7, 1] + 1e-9))
    if arm.model == "fr3":
        down, up = speed_limits(arm, 1.0 / SHARE).at(positions)
        assert np.all((speeds <= up + 1e-9) & (-speeds <= down + 1e-9))


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000), arm=st.sampled_from([ARM, PANDA]), latency_ms=st.integers(0, 15))
def test_whatever_is_wanted_the_controller_meets_no_reflex(seed, arm, latency_ms):
    rng = np.random.default_rng(seed)
    low, high = arm.limits[:7].T
    goals = rng.uniform(low - 0.5, high + 0.5, (4, 7))
    noise = rng.choice([0.0, 0.02, 0.3])
    plan = course(arm)

    def way_of(passed_ns):
        goal = goals[passed_ns // (400 * MS) % 4]
        return plan.follow(EPOCH_NS + passed_ns, lambda stamp_ns: goal + noise * np.sin(stamp_ns / (40.0 * MS)))

    # Rounds come late, and one does not come at all for a while.
    rounds = np.cumsum(rng.integers(15, 27, 60))
    rounds[40:] += 150
    positions, speeds = driven(way_of, sorted({0, *rounds.tolist()}), latency_ms)
    held_to(arm, positions, speeds)
    assert np.all(speeds[-1] == 0.0)


def test_a_wanted_motion_within_limits_is_followed_and_its_end_reached():
    goal = np.array(ARM.home) + [0.3, -0.2, 0.1, 0.2, -0.3, 0.2, 0.4]
    plan = course(ARM)

    def wanted(stamp_ns):
        return np.array(ARM.home) + (goal - ARM.home) * min(1.0, (stamp_ns - EPOCH_NS) / (1000.0 * MS))

    positions, _ = driven(lambda passed_ns: plan.follow(EPOCH_NS + passed_ns, wanted), range(0, 1800, 20), 3)
    assert np.allclose(positions[-1], goal, atol=1e-9)
    assert np.allclose(positions[700], wanted(EPOCH_NS + 700 * MS), atol=2e-3)
    assert plan.at_rest(EPOCH_NS + 1780 * MS)


def test_a_way_begins_in_the_past_and_braking_stops_the_arm_where_it_can():
    plan = course(PANDA)
    goal = np.array(PANDA.home) + 1.0
    for ms in range(0, 400, 20):
        plan.follow(EPOCH_NS + ms * MS, lambda stamp_ns: goal)
    moving = plan.position(EPOCH_NS + 400 * MS)
    way = plan.brake(EPOCH_NS + 405 * MS)
    assert way.stamp_ns == EPOCH_NS + 400 * MS and way.offsets_ns[0] == 0 and way.offsets_ns[1] == PERIOD_NS
    assert np.all(way.velocities[-1] == 0.0) and np.any(way.velocities[0] > 0.5)
    assert np.all(np.diff(way.positions, axis=0) >= -1e-12)
    assert np.all(way.positions[-1] < goal) and np.all(way.positions[-1] > moving)
    assert not plan.at_rest(EPOCH_NS + 405 * MS) and plan.at_rest(EPOCH_NS + 3000 * MS)


def test_joints_of_a_research_3_approach_their_ends_slowly_and_those_of_a_panda_do_not():
    close = ARM.limits[:7, 1] - 0.02
    down, up = speed_limits(ARM, 1.0).at(close)
    assert np.all(up < 0.55) and np.allclose(down, SHARE * ARM.velocity_limits[:7])
    assert np.allclose(speed_limits(PANDA, 0.5).at(PANDA.limits[:7, 1])[1], 0.5 * SHARE * PANDA.velocity_limits[:7])


def test_knots_and_cubics_are_those_of_the_curve_through_the_control_points():
    control = np.array([[0.0], [0.0], [0.1], [0.3], [0.4], [0.4]])
    positions, velocities = knots(control, 0.02)
    assert positions[0, 0] == pytest.approx(0.1 / 6.0) and velocities[0, 0] == pytest.approx(0.1 / 0.04)
    # The acceleration at the end of one piece is that at the beginning of the next.
    ends = [((positions[k], velocities[k]), (positions[k + 1], velocities[k + 1])) for k in range(2)]
    before = [cubic(*ends[0], 0.02, time_s)[1] for time_s in (0.02 - 1e-7, 0.02)]
    after = [cubic(*ends[1], 0.02, time_s)[1] for time_s in (0.0, 1e-7)]
    assert (before[1] - before[0]) / 1e-7 == pytest.approx((after[1] - after[0]) / 1e-7, rel=1e-4)
    assert np.allclose(cubic(*ends[0], 0.02, 0.02)[0], positions[1])


def test_the_emulated_controller_refuses_what_the_real_one_refuses():
    names = ["a", "b"]
    controller = EmulatedController(names, np.zeros(2))
    still, two = (np.zeros(2), np.zeros(2)), np.array([[0.0, 0.0], [0.1, 0.2]])
    rest = np.zeros((2, 2))
    refused = {
        "needed": Trajectory(["a", "c"], 0, [0, MS], two, rest),
        "increase": Trajectory(names, 0, [MS, MS], two, rest),
        "past": Trajectory(names, 5 * MS, [0, MS], two, rest),
        "not zero": Trajectory(names, 0, [0, MS], two, two),
        "as many": Trajectory(names, 0, [MS], two, rest),
    }
    for word, trajectory in refused.items():
        assert word in controller.accept(trajectory, still, 100 * MS)
    assert controller.accept(Trajectory(["b", "a"], 0, [10 * MS], two[1:, ::-1], None), still, 100 * MS) == ""
    assert np.allclose(controller.sample(105 * MS)[0], [0.05, 0.1]) and controller.refused == 5
    assert np.allclose(controller.sample(200 * MS)[0], [0.1, 0.2])
