"""Driving home: arrival, arms that do not come, stops on the way."""

import numpy as np
import pytest

from imove_motion.safety.settings import SafetySettings
from imove_trials.driving import CANCELLED, HomeDriver

SETTINGS = SafetySettings()


class SteppedClock:
    """Time that passes when somebody waits."""

    def __init__(self, on_sleep):
        self.time_s, self._on_sleep = 0.0, on_sleep

    def now_s(self):
        return self.time_s

    def sleep(self, seconds):
        self.time_s += seconds
        self._on_sleep(seconds)


class FollowingArms:
    """Arms that follow what is sent, row by row; some joints may be stuck."""

    def __init__(self, rig, positions):
        self.rig, self.now, self.sent = rig, positions.copy(), []
        self.rows, self.row = np.empty((0, rig.size)), 0.0
        self.stuck, self.blocked_now, self.waiting_now, self.silent = [], "", "", False

    def positions(self):
        return None if self.silent else self.now

    def blocked(self):
        return self.blocked_now

    def waiting(self):
        return self.waiting_now

    def send(self, rows):
        self.sent.append(rows)
        self.rows, self.row = rows, 0.0

    def pass_time(self, seconds):
        if len(self.rows):
            self.row = min(self.row + seconds * self.rig.control_rate_hz, len(self.rows) - 1)
            wanted = self.rows[int(self.row)].copy()
            wanted[self.stuck] = self.now[self.stuck]
            self.now = wanted


@pytest.fixture
def arms(rig):
    positions = rig.home_positions.copy()
    positions[[0, 1, 8]] += [0.4, -0.2, -0.3]
    return FollowingArms(rig, positions)


@pytest.fixture
def clock(arms):
    return SteppedClock(arms.pass_time)


@pytest.fixture
def drive(rig, arms, clock):
    return HomeDriver(rig, SETTINGS, arms, clock).drive


def test_arms_arrive(drive, arms, rig):
    assert drive(lambda: False) == ""
    assert np.abs(arms.now - rig.home_positions).max() < 0.01
    assert len(arms.sent) == 1


def test_arm_that_is_stuck_is_named(drive, arms):
    arms.stuck = [0]
    assert drive(lambda: False) == "left_joint1 is +0.40 rad from home"


def test_nothing_is_sent_to_arms_that_are_at_home(drive, arms, rig):
    arms.now = rig.home_positions.copy()
    assert drive(lambda: False) == "" and arms.sent == []


def test_locked_arm_is_not_moved(drive, arms):
    arms.blocked_now = "arm left is locked: emergency stop"
    assert drive(lambda: False) == arms.blocked_now and arms.sent == []


def test_drivers_that_still_connect_are_waited_for(drive, arms, clock):
    arms.waiting_now = "arm left is connecting"

    def cancelled():
        if clock.time_s > 5.0:
            arms.waiting_now = ""
        return False

    assert drive(cancelled) == "" and clock.time_s > 5.0


@pytest.mark.parametrize(
    ("waiting", "fault"),
    [("arm left is connecting", "arm left is connecting"), ("", "no joint states of all arms arrive")],
)
def test_arms_that_never_come_are_told(drive, arms, waiting, fault):
    arms.waiting_now, arms.silent = waiting, True
    assert drive(lambda: False).startswith(fault)


def test_stop_on_the_way(drive, arms, clock):
    assert drive(lambda: clock.time_s > 0.5) == CANCELLED
    assert clock.time_s < 1.0


def test_fault_on_the_way(drive, arms, clock):
    def cancelled():
        if clock.time_s > 0.5:
            arms.blocked_now = "arm left is faulted: collision"
        return False

    assert drive(cancelled) == "arm left is faulted: collision"
