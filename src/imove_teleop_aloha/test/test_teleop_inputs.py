"""What a person presses, and leaders that are no arms: keys, pedal, jog, script, arguments."""

import json
import os
import pty
import struct
import threading
import time

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.kinematics import tool_pose
from imove_core.rig import load_rig
from imove_teleop_aloha.arguments import MOST_CHARACTERS, enable_argument, no_argument, stop_argument
from imove_teleop_aloha.deadman import KEY, Deadman
from imove_teleop_aloha.inputs.keys import KEYS, Terminal, help_text
from imove_teleop_aloha.inputs.pedal import EV_KEY, EVENT, Pedal
from imove_teleop_aloha.leaders.keyboard import JOG_S, JoggedLeader
from imove_teleop_aloha.leaders.scripted import MOST_SPEED_SHARE, ScriptedMotion
from imove_teleop_aloha.loop_clock import Durations, LoopClock
from imove_teleop_aloha.staleness import Freshness

RIG = load_rig("piperx_dual")
LEFT = RIG.arm("left")
LOW, HIGH = np.vstack([arm.limits for arm in RIG.arms]).T
SPEEDS = np.concatenate([arm.velocity_limits for arm in RIG.arms])
PERIOD_S = 0.005
DEADLINE_S = 60.0


def until(done):
    deadline = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_keys_come_one_by_one_and_the_terminal_is_as_it_was():
    mine, theirs = pty.openpty()
    before = os.fstat(theirs)
    with Terminal(theirs) as terminal:
        assert terminal.key(0.0) == ""
        os.write(mine, b"s ")
        assert (terminal.key(DEADLINE_S), terminal.key(DEADLINE_S)) == ("s", " ")
    assert os.fstat(theirs).st_rdev == before.st_rdev
    os.close(mine), os.close(theirs)


def test_keys_need_a_terminal(tmp_path):
    with (tmp_path / "file").open("w") as file, pytest.raises(ImoveError, match="run this in one"):
        Terminal(file.fileno())


def test_every_key_is_explained_and_has_an_argument_that_is_taken():
    assert all(said.meaning in help_text() for said in KEYS.values())
    for said in KEYS.values():
        (enable_argument if said.command == "enable" else no_argument)(said.argument_json)


class PressedPedal:
    """A pedal whose device is a pipe that speaks as the kernel does."""

    def __init__(self, path):
        os.mkfifo(path)
        self.pressed, self.troubles = [], []
        self.pedal = Pedal(path, self.pressed.append, self.troubles.append)
        self.pedal.start()
        self._file = None
        self._path = path

    def plug(self):
        """Blocks until the pedal is read."""
        self._file = self._path.open("wb", buffering=0)

    def unplug(self):
        self._file.close()

    def press(self, value, kind=EV_KEY):
        self._file.write(EVENT.pack(1, 2, kind, 30, value) + EVENT.pack(1, 2, 0, 0, 0))


def test_pedal_tells_of_foot_and_of_its_own_absence(tmp_path):
    assert EVENT.size == struct.calcsize("llHHi") == 24
    device = PressedPedal(tmp_path / "event7")
    try:
        device.plug()
        # A pipe without a writer is at its end, as is a device that is gone.
        until(lambda: device.troubles and device.troubles[-1] == "")
        device.press(1), device.press(2), device.press(9, kind=4), device.press(0)
        until(lambda: device.pressed[-2:] == [True, False])
        device.press(1)
        until(lambda: device.pressed[-1])
        device.unplug()
        until(lambda: device.pressed[-1] is False and "the pedal is not there" in device.troubles[-1])
    finally:
        device.pedal.stop()


def test_pedal_that_was_never_there(tmp_path):
    troubles = []
    pedal = Pedal(tmp_path / "event8", lambda pressed: None, troubles.append)
    pedal.start()
    until(lambda: troubles)
    pedal.stop()
    assert troubles[0] == f"the pedal is not there ({tmp_path / 'event8'}: No such file or directory)"


def go(leader, seconds, began_s=0.0):
    """Rows of so many seconds."""
    return np.array([leader.advance(began_s + n * PERIOD_S, PERIOD_S)[0] for n in range(round(seconds / PERIOD_S))])


def test_jog_of_a_joint_lasts_for_a_moment():
    leader = JoggedLeader(RIG)
    leader.jog({"arm": "left", "joints": {"left_joint1": 0.5}, "gripper": -0.1}, 0.0)
    rows = go(leader, 1.0)
    moved = rows[-1] - RIG.home_positions
    assert moved[0] == pytest.approx(0.5 * JOG_S, abs=0.005)
    assert moved[6] == pytest.approx(max(-0.1 * JOG_S, -LEFT.home_opening_m), abs=0.001)
    assert np.abs(moved[7:]).max() == 0.0
    assert (rows >= LOW).all() and (rows <= HIGH).all()


@pytest.mark.parametrize("axis", range(6))
def test_jog_of_the_hand_goes_along_its_axis(axis):
    leader = JoggedLeader(RIG)
    start = np.clip(LEFT.home_positions + np.array([0.1, 0.3, -0.3, -0.6, 0.3, 0.1, 0.0]), *LEFT.limits.T)
    leader.sit(np.concatenate([start, RIG.arm("right").home_positions]))
    twist = [0.0] * 6
    twist[axis] = 0.05 if axis < 3 else 0.2
    leader.jog({"arm": "left", "twist": twist}, 0.0)
    end = go(leader, 0.2)[-1][:6]
    before, after = (tool_pose(LEFT.arm_model, joints) for joints in (start[:6], end))
    base = LEFT.world_from_base.matrix[:3, :3]
    moved = base @ (after[:3, 3] - before[:3, 3])
    turned = base @ after[:3, :3] @ before[:3, :3].T @ base.T
    spin = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]) / 2
    went = np.concatenate([moved, spin])
    assert went[axis] == pytest.approx(twist[axis] * 0.2, rel=0.2)
    others = np.delete(went, axis)
    assert np.abs(others).max() < 0.25 * abs(went[axis])


def test_jog_never_leaves_the_limits():
    leader = JoggedLeader(RIG)
    for second in range(20):
        leader.jog({"arm": "right", "twist": [1, 0, -1, 0, 1, 0], "gripper": 1.0}, float(second))
        rows = go(leader, 0.5, float(second))
        assert (rows >= LOW).all() and (rows <= HIGH).all()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "arm"),
        ({"arm": "middle"}, "unknown arm"),
        ({"arm": "left", "joints": {"right_joint1": 0.1}}, "unknown joint of arm left 'right_joint1'"),
        ({"arm": "left", "joints": {"left_joint1": 3.0}}, "less than or equal to 1"),
        ({"arm": "left", "twist": [0.1]}, "twist"),
        ({"arm": "left", "speed": 1}, "unknown key 'speed'"),
        ({"arm": "left", "gripper": float("nan")}, "gripper"),
    ],
)
def test_jog_that_is_refused(asked, said):
    with pytest.raises(ImoveError, match=said):
        JoggedLeader(RIG).jog(asked, 0.0)


@pytest.mark.parametrize("name", ["piperx_dual", "franka_single"])
def test_script_is_smooth_starts_at_home_and_stays_within_limits(name):
    rig = load_rig(name)
    low, high = np.vstack([arm.limits for arm in rig.arms]).T
    speeds = np.concatenate([arm.velocity_limits for arm in rig.arms])
    for seed in range(5):
        motion = ScriptedMotion(rig, np.random.default_rng(seed))
        rows = np.array([motion.at(t)[0] for t in np.arange(0, 20, 0.05)])
        assert rows[0] == pytest.approx(rig.home_positions)
        assert (rows >= low).all() and (rows <= high).all()
        assert (np.abs(np.diff(rows, axis=0)) <= speeds * MOST_SPEED_SHARE * 0.05 + 1e-9).all()
        assert np.ptp(rows, axis=0).min() > 0
        assert (motion.at(3.0)[0] == ScriptedMotion(rig, np.random.default_rng(seed)).at(3.0)[0]).all()


@pytest.mark.parametrize("text", ["[]", "{", "1", "x" * (MOST_CHARACTERS + 1), '{"success": "yes"}', '{"won": true}'])
def test_argument_that_is_refused(text):
    with pytest.raises(ImoveError, match="argument_json"):
        stop_argument(text)


def test_arguments():
    assert (stop_argument("").success, stop_argument('{"success": false}').success) == (None, False)
    assert enable_argument(json.dumps({"hold_s": 1.5})).hold_s == 1.5
    for hold_s in (0, -1, 1e9):
        with pytest.raises(ImoveError, match="hold_s"):
            enable_argument(json.dumps({"hold_s": hold_s}))


def test_ages():
    ages = Freshness(["a", "b"], 0.1)
    assert ages.stale(0.0) == ("a", "b")
    ages.heard("a", 5.0), ages.heard("b", 5.05), ages.heard("b", 4.0)
    assert ages.ages_s(5.1) == pytest.approx({"a": 0.1, "b": 0.05})
    assert (ages.stale(5.12), ages.stale(5.16)) == (("a",), ("a", "b"))
    ages.forget()
    assert ages.stale(5.12) == ("a", "b")


def test_deadman():
    deadman = Deadman(KEY)
    assert not deadman.held(0.0)
    deadman.hold(1.0, 0.5)
    assert deadman.held(1.5) and not deadman.held(1.51)
    deadman.hold(2.0)
    assert deadman.held(1e9)
    deadman.release()
    assert not deadman.held(2.0)


def test_loop_calls_until_it_is_stopped_and_measures():
    calls, enough = [], threading.Event()

    def work(now_s):
        calls.append(now_s)
        if len(calls) >= 20:
            enough.set()

    loop = LoopClock(PERIOD_S, work)
    assert (loop.rate_hz, loop.runs) == (0.0, False)
    loop.start()
    assert enough.wait(DEADLINE_S) and loop.runs
    loop.stop()
    count = len(calls)
    assert not loop.runs
    periods = np.diff(calls)
    # A period that is late is not made up for by two that follow at once.
    assert periods[1:].min() > 0 and len(calls) == count
    assert loop.periods.figures().count == count - 1
    assert loop.periods.figures().max == pytest.approx(periods.max())
    assert loop.rate_hz == pytest.approx(1 / periods.mean())


def test_figures():
    durations = Durations(kept=100)
    assert durations.figures().count == 0
    for value in range(200):
        durations.add(value / 100)
    found = durations.figures()
    assert (found.count, found.p50, found.p99, found.max) == (100, 1.49, 1.98, 1.99)
    assert found.mean == pytest.approx(1.495)
    durations.clear()
    assert durations.figures().count == 0
