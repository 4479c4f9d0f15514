"""The adapter against an emulated arm and hand, in time of its own: follows, holds, locks, and never trips the arm."""

from __future__ import annotations

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.trajectory import JointCommand
from imove_hardware.arm_state import Mode
from imove_hardware.emulation.franka.arm import EmulatedFranka
from imove_hardware.emulation.franka.controller import Trajectory
from imove_hardware.emulation.franka.hand import EmulatedHand, Outcome
from imove_hardware.franka.adapter import AdapterOptions, FrankaAdapter
from imove_hardware.franka.gripping import CANCELLED, OrderKind
from imove_hardware.franka.hearing import Reading
from imove_hardware.franka.watching import RobotHealth, RobotMode

MS = 1_000_000
ARM = load_rig("fr3_single").arm("arm")
NAMES = tuple(f"fr3_joint{number}" for number in range(1, 8))
HOME = np.array(ARM.home_positions)
THERE = HOME + [0.4, 0.3, -0.3, 0.3, 0.2, -0.2, 0.3, 0.0]


class Table:
    """An adapter, an arm and a hand; messages take 5 ms."""

    def __init__(self, object_m=0.0, options=None):
        self.ms = 1000
        self.arm = EmulatedFranka(ARM, NAMES, self.ns)
        self.hand = EmulatedHand(0.08, object_m, self.ns)
        self.muted, self.events, self.sent, self.targets, self.readings, self._waiting = set(), [], 0, [], [], []
        self._acting = False
        self.adapter = FrankaAdapter(
            ARM, "ros2_control:fr3_arm_controller", options or AdapterOptions(), self._send, self, self.events.append
        )

    @property
    def ns(self):
        """The present."""
        return self.ms * MS

    def start(self, order):
        """Begins an order of the hand."""
        self._acting = True
        if order.kind is OrderKind.GRASP:
            self.hand.grasp(order.opening_m, order.speed_m_s, order.force_n, 0.08, 0.08)
        elif order.kind is OrderKind.MOVE:
            self.hand.move(order.opening_m, order.speed_m_s)
        else:
            self.hand.home()

    def cancel(self):
        """Stops the hand."""
        self.hand.stop()
        self._acting = False
        self.adapter.hand_finished(CANCELLED, self.ms / 1000.0)

    def _send(self, way):
        self.sent += 1
        self._waiting.append((self.ms + 5, way))

    def run(self, ms, until=lambda: False):
        """Lets time pass; whether it ended early."""
        for _ in range(ms):
            self.ms += 1
            while self._waiting and self._waiting[0][0] <= self.ms:
                way = self._waiting.pop(0)[1]
                offsets = way.offsets_ns.tolist()
                self.arm.accept(Trajectory(NAMES, way.stamp_ns, offsets, way.positions, way.velocities), self.ns)
            self.arm.advance(self.ns)
            self.hand.advance(self.ns)
            if self._acting and self.hand.outcome is not Outcome.RUNNING:
                self._acting = False
                failure = "" if self.hand.outcome is Outcome.SUCCEEDED else "the hand failed"
                self.adapter.hand_finished(failure, self.ms / 1000.0)
            if self.ms % 5 == 0:
                self._speak()
            if self.ms % 20 == 0:
                self.adapter.round(self.ns, self.ms / 1000.0)
                self.targets.append(self.adapter.target(self.ns))
            if until():
                return True
        return False

    def _speak(self):
        hearing, arm = self.adapter.hearing, self.arm
        if not arm.heard:
            return
        if "arm" not in self.muted:
            reading = Reading(self.ns - 2 * MS, arm.positions, arm.velocities, arm.efforts)
            handed_on = hearing.hear_arm(reading, self.ns)
            if handed_on:
                self.readings.append(handed_on)
        if "hand" not in self.muted and self.ms % 65 == 0:
            hearing.hear_hand(self.ns, self.hand.opening_m)
        if "robot" not in self.muted:
            hearing.hear_robot(arm.health)
        if "controller" not in self.muted and arm.controlled:
            hearing.hear_controller(*arm.reference)

    def until(self, mode, ms=2000):
        """Lets time pass until the adapter is in a mode."""
        reached = self.run(ms, lambda: self.adapter.state.mode is mode)
        assert reached, f"not {mode} within {ms} ms: {self.adapter.report()}"

    def command(self, *rows, seconds=1.0):
        """Commands rows, each after the same time."""
        times = self.ns + np.arange(1, len(rows) + 1, dtype=np.int64) * round(seconds * 1e9)
        self.adapter.command(JointCommand(self.ns, times, np.array(rows)), self.ns)


@pytest.fixture
def table():
    """A table whose arm has been taken over."""
    table = Table()
    table.until(Mode.HOLDING)
    return table


def refused(call, *words):
    """Checks that a call is refused with a sentence of these words."""
    with pytest.raises(ImoveError) as error:
        call()
    assert all(word in str(error.value) for word in words)


def test_a_command_is_followed_within_limits_and_ends_in_holding(table):
    table.command(THERE)
    table.run(600)
    assert table.adapter.state.mode is Mode.FOLLOWING
    table.until(Mode.HOLDING)
    table.run(300)
    assert np.allclose(table.arm.positions, THERE[:7], atol=2e-3)
    assert np.allclose(table.adapter.target(table.ns), THERE)
    assert table.arm.mode is RobotMode.MOVE and not table.arm.refusals
    assert table.arm.largest_torque_step_nm < 1.0
    sent = table.sent
    table.run(500)
    assert table.sent == sent, "an arm at rest is told nothing"


def test_the_widest_leap_is_driven_without_a_reflex_and_what_is_beyond_limits_is_told(table):
    leap = np.append(ARM.limits[:7, 1] + 0.5, 0.2)
    table.command(leap, seconds=0.033)
    assert {event.kind for event in table.events} == {"joint_limit"} and len(table.events) == 8
    table.until(Mode.HOLDING, 8000)
    assert table.arm.mode is RobotMode.MOVE
    assert np.all(table.arm.positions > ARM.limits[:7, 1] - 0.03)
    table.command(np.append(ARM.limits[:7, 0], 0.0), seconds=0.033)
    table.run(700)
    table.command(HOME, seconds=0.033)
    table.until(Mode.HOLDING, 8000)
    assert table.arm.mode is RobotMode.MOVE and table.arm.largest_torque_step_nm < 2.0


def test_readings_hold_the_full_set_at_no_more_than_200_hz(table):
    table.run(1000)
    stamps = [reading.stamp_ns for reading in table.readings]
    assert all(after - before >= 4 * MS for before, after in zip(stamps, stamps[1:], strict=False))
    assert len(table.readings[-1].positions) == 8 and table.readings[-1].positions[-1] == pytest.approx(0.08)
    table.command(np.append(HOME[:7], 0.0), seconds=0.1)
    table.run(500)
    assert table.readings[-1].velocities[-1] == pytest.approx(-0.1, abs=0.03)


def test_an_emergency_stop_brakes_and_locks_until_a_person_resumes(table):
    table.command(THERE, HOME, seconds=0.6)
    table.run(400)
    table.adapter.stop(True, table.ns)
    refused(lambda: table.command(HOME), "locked", "emergency stop")
    refused(table.adapter.resume, "emergency stop is on")
    table.run(700)
    stopped = table.arm.positions.copy()
    assert np.all(np.abs(table.arm.velocities) < 1e-3) and np.all(np.abs(stopped[:7] - THERE[:7]) > 0.01)
    table.adapter.stop(False, table.ns)
    refused(lambda: table.command(HOME), "locked")
    table.run(500)
    assert np.allclose(table.arm.positions, stopped, atol=1e-4)
    assert "unlocked" in table.adapter.resume()
    table.until(Mode.HOLDING)
    table.run(300)
    assert np.allclose(table.arm.positions, stopped, atol=1e-3), "resuming moves nothing"
    table.command(HOME)
    table.until(Mode.HOLDING, 3000)
    assert np.allclose(table.arm.positions, HOME[:7], atol=5e-3) and table.arm.mode is RobotMode.MOVE
    assert [event.kind for event in table.events] == ["emergency_stop"]


def test_a_reflex_locks_and_after_its_recovery_only_a_person_unlocks(table):
    table.command(THERE)
    table.run(300)
    table.arm.trip("joint_reflex")
    table.until(Mode.FAULTED)
    # It falls silent after that, with what it said last.
    table.run(300)
    assert "joint_reflex" in table.adapter.report().values["fault"] and table.adapter.needs_recovery
    assert {(event.kind, event.action) for event in table.events} == {("fault", "stopped")}
    refused(table.adapter.resume, "reflex")
    refused(lambda: table.command(HOME), "takes no command")
    assert table.arm.recover() == ""
    table.run(400)
    assert table.adapter.state.mode is Mode.LOST and table.arm.activate() == ""
    table.until(Mode.LOCKED)
    assert not table.adapter.needs_recovery
    stopped = table.arm.positions.copy()
    table.run(500)
    assert np.allclose(table.arm.positions, stopped, atol=1e-3)
    table.adapter.resume()
    table.until(Mode.HOLDING)
    table.command(THERE)
    table.until(Mode.HOLDING, 3000)
    assert np.allclose(table.arm.positions, THERE[:7], atol=5e-3)


@pytest.mark.parametrize("source", ["arm", "robot", "controller", "hand"])
def test_silence_of_anything_holds_and_locks(table, source):
    table.command(THERE, seconds=3.0)
    table.run(500)
    table.muted = {source}
    table.until(Mode.LOST)
    assert "allowed" in table.adapter.state.reason
    assert [(event.kind, event.action) for event in table.events] == [("fault", "stopped")]
    table.run(800)
    assert np.all(np.abs(table.arm.velocities) < 1e-3), "the last way ends at rest"
    table.muted = set()
    table.until(Mode.LOCKED)
    refused(lambda: table.command(HOME), "locked")
    table.adapter.resume()
    table.until(Mode.HOLDING)


def test_an_adapter_that_dies_leaves_the_arm_at_rest(table):
    table.command(THERE, seconds=0.7)
    table.run(350)
    assert np.max(np.abs(table.arm.velocities)) > 0.3
    table.adapter.round = lambda now_ns, now_s: None
    table.run(900)
    assert np.all(np.abs(table.arm.velocities) < 1e-3) and table.arm.mode is RobotMode.MOVE
    assert np.all(np.abs(table.arm.positions - THERE[:7]) > 0.02)


def test_the_button_beside_the_arm_and_another_program_are_noticed(table):
    table.arm.press_stop(True)
    table.until(Mode.FAULTED)
    assert "activation device" in table.adapter.state.reason and not table.adapter.needs_recovery
    assert "user_stopped" in table.arm.activate()
    table.arm.press_stop(False)
    table.arm.activate()
    table.until(Mode.LOCKED)
    table.adapter.resume()
    table.until(Mode.HOLDING)
    away = np.array([HOME[:7], HOME[:7] + 0.3])
    rest = np.zeros_like(away)
    table.arm.accept(Trajectory(NAMES, 0, [0, 2000 * MS], away, rest), table.ns)
    table.until(Mode.FAULTED, 4000)
    assert "another program" in table.adapter.state.reason


def test_a_jump_from_elsewhere_trips_the_emulated_arm(table):
    table.arm.accept(Trajectory(NAMES, 0, [1 * MS], HOME[None, :7] + 0.05, None), table.ns)
    table.until(Mode.FAULTED)
    assert table.arm.health.errors == ("controller_torque_discontinuity",)


def test_states_with_another_clock_are_not_taken_for_new(table):
    hearing = table.adapter.hearing
    table.muted = {"arm"}
    for _ in range(10):
        table.run(20)
        arm = table.arm
        hearing.hear_arm(Reading(table.ns - 3000 * MS, arm.positions, arm.velocities, arm.efforts), table.ns)
    assert table.adapter.state.mode is Mode.LOST and "3.00 s old" in table.adapter.state.reason


def test_grasp_and_release_and_what_is_held_through_a_stop():
    table = Table(object_m=0.04)
    table.until(Mode.HOLDING)
    table.command(np.append(HOME[:7], 0.0), seconds=0.2)
    table.run(1200)
    assert table.hand.force_n == 20.0 and table.adapter.report().hand == "holds"
    table.adapter.stop(True, table.ns)
    table.adapter.stop(False, table.ns)
    table.run(300)
    table.adapter.resume()
    table.until(Mode.HOLDING)
    table.run(500)
    assert table.hand.force_n == 20.0, "a stop does not let go"
    table.command(np.append(HOME[:7], 0.08), seconds=0.2)
    table.run(1500)
    assert table.hand.opening_m == pytest.approx(0.08) and table.hand.force_n == 0.0


def test_a_stop_ends_a_motion_of_the_hand(table):
    table.command(np.append(HOME[:7], 0.0), seconds=0.1)
    table.run(400)
    table.adapter.stop(True, table.ns)
    opening_m = table.hand.opening_m
    assert 0.02 < opening_m < 0.07
    table.run(500)
    assert table.hand.opening_m == opening_m


def test_commands_out_of_time_and_power_are_refused_with_a_sentence(table):
    late = JointCommand(0, np.array([1]), HOME[None])
    refused(lambda: table.adapter.command(late, table.ns + 10**9), "ended", "clock")
    refused(lambda: table.adapter.enable(True), "Desk")
    refused(table.adapter.resume, "not locked")


def test_holding_on_somebodys_word_takes_the_next_command(table):
    table.command(THERE, seconds=2.0)
    table.run(500)
    table.adapter.hold("whoever sent commands is gone", table.ns)
    assert [(event.kind, event.action) for event in table.events] == [("watchdog", "held")]
    assert table.adapter.state.mode is Mode.HOLDING
    table.run(600)
    assert np.all(np.abs(table.arm.velocities) < 1e-3)
    table.command(HOME)
    table.until(Mode.HOLDING, 3000)
    assert table.events[-1].action == "held"


def test_a_fault_that_is_there_at_the_start_is_told(table):
    table = Table()
    table.muted = {"controller"}
    table.run(100)
    assert table.adapter.state.mode is Mode.CONNECTING and "no controller state" in table.adapter.state.reason
    table.arm.press_stop(False)
    table.arm.activate()
    table.arm.trip("joint_reflex")
    table.adapter.hearing.hear_controller(*table.arm.reference)
    table.until(Mode.FAULTED)
    report = table.adapter.report()
    assert report.level == "error" and report.values["robot_mode"] == "reflex"
    assert RobotHealth(RobotMode.REFLEX, ("joint_reflex",), ("joint_reflex",)) == report.health
