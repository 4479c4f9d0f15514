"""Following: limits for any leader, the start gate, holds that only a person ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_teleop_aloha.deadman import NONE, PEDAL, Deadman
from imove_teleop_aloha.limiting import Limiter, Pace
from imove_teleop_aloha.machine import MOVING, Phase
from imove_teleop_aloha.mapping import follower_positions
from imove_teleop_aloha.relay import Relay
from imove_teleop_aloha.settings import LEADER_DRIVES, RELAYED, FollowingSettings

RIG = load_rig("piperx_dual")
LOW, HIGH = np.vstack([arm.limits for arm in RIG.arms]).T
SPEEDS = np.concatenate([arm.velocity_limits for arm in RIG.arms])
ACCELERATIONS = np.concatenate([arm.acceleration_limits for arm in RIG.arms])
FOLLOWING = FollowingSettings()
PERIOD_S = FOLLOWING.period_s
GRIPPERS = [6, 13]
ROUNDING = 1e-9


class Table:
    """Arms that are where they were told to be one period ago, and leaders that a test moves."""

    def __init__(self, wiring=RELAYED, deadman=NONE):
        self.relay = Relay(RIG, wiring, Deadman(deadman), FOLLOWING)
        self.leaders, self.followers = RIG.home_positions.copy(), RIG.home_positions.copy()
        self.now_s, self.silent, self.stuck = 100.0, set(), False
        self.commands = []

    def run(self, seconds):
        """The commands of so many seconds, None where there was none."""
        commands = [self.tick() for _ in range(round(seconds / PERIOD_S))]
        return [command for command in commands if command is not None]

    def tick(self):
        self.now_s += PERIOD_S
        for arm in RIG.arms:
            if f"leader {arm.name}" not in self.silent:
                self.relay.hear_leader(arm.name, arm.joint_names, RIG.split(self.leaders)[arm.name], self.now_s)
            if arm.name not in self.silent:
                self.relay.hear_follower(arm.name, RIG.split(self.followers)[arm.name], self.now_s)
        command = self.relay.tick(self.now_s)
        if command is None:
            return None
        row = np.concatenate([command[arm.name] for arm in RIG.arms])
        if not self.stuck:
            self.followers = row.copy()
        return row

    @property
    def phase(self):
        return self.relay.view().phase

    def follow(self):
        """Begins, and comes to follow."""
        self.run(0.05)
        self.relay.begin()
        self.run(0.05)
        assert self.phase is Phase.RUNNING
        return self


@pytest.fixture
def table():
    """Everything there, nothing begun."""
    return Table()


def positions():
    return st.lists(st.floats(-10, 10), min_size=RIG.size, max_size=RIG.size).map(np.array)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(positions(), st.integers(1, 40)), min_size=1, max_size=8), st.floats(0.05, 1.0))
def test_no_target_is_beyond_a_limit_whatever_is_wanted(stream, scale):
    pace = Pace.of(RIG, FOLLOWING.rate_hz, SPEEDS * scale)
    limiter = Limiter(RIG.home_positions)
    rows = [limiter.target, limiter.target]
    for wanted, count in stream:
        rows += [limiter.advance(wanted, pace) for _ in range(count)]
    rows += [limiter.brake(pace) for _ in range(1000)]
    rows = np.array(rows)
    speeds = np.diff(rows, axis=0) / PERIOD_S
    assert (rows >= LOW - ROUNDING).all() and (rows <= HIGH + ROUNDING).all()
    assert (np.abs(speeds) <= SPEEDS * scale + 1e-6).all()
    assert (np.abs(np.diff(speeds, axis=0)) / PERIOD_S <= ACCELERATIONS + 1e-4).all()
    assert limiter.at_rest


@settings(max_examples=40, deadline=None)
@given(positions())
def test_target_comes_to_what_is_wanted_without_passing_it(wanted):
    pace = Pace.of(RIG, FOLLOWING.rate_hz, SPEEDS)
    limiter = Limiter(RIG.home_positions)
    inside = np.clip(wanted, LOW, HIGH)
    rows = np.array([limiter.advance(wanted, pace) for _ in range(1200)])
    assert np.abs(rows[-1] - inside).max() < 1e-6
    way = np.sign(inside - RIG.home_positions)
    assert (way * (inside - rows) >= -1e-6).all()


def test_smooth_leader_is_followed_closely():
    pace = Pace.of(RIG, FOLLOWING.rate_hz, SPEEDS)
    limiter = Limiter(RIG.home_positions)
    times = np.arange(0, 4, PERIOD_S)
    middle, reach = (LOW + HIGH) / 2, (HIGH - LOW) / 2 * 0.1
    wanted = middle + reach * np.sin(times)[:, None]
    limiter.reset(middle)
    rows = np.array([limiter.advance(row, pace) for row in wanted])
    assert np.abs(rows[400:] - wanted[400:]).max() < 1e-6


def test_faster_pace_may_give_way_to_a_slower_one():
    fast, slow = Pace.of(RIG, 200.0, SPEEDS), Pace.of(RIG, 200.0, SPEEDS * 0.1)
    limiter = Limiter(RIG.home_positions)
    target = np.clip(RIG.home_positions + 1.0, LOW, HIGH)
    rows = [limiter.advance(target, fast).copy() for _ in range(40)]
    rows += [limiter.advance(target, slow).copy() for _ in range(200)]
    speeds = np.diff(np.array(rows), axis=0) / PERIOD_S
    assert (np.abs(np.diff(speeds, axis=0)) / PERIOD_S <= ACCELERATIONS + 1e-4).all()
    assert (np.abs(speeds[-1]) <= SPEEDS * 0.1 + 1e-6).all()


def test_leader_must_be_whole():
    arm = RIG.arm("left")
    whole = list(arm.home_positions)
    assert follower_positions(arm, arm.joint_names[::-1], whole[::-1]) == pytest.approx(whole)
    assert (follower_positions(arm, arm.joint_names, [100.0] * 7) == arm.limits[:, 1]).all()
    for names, values in (
        (arm.joint_names[:6], whole[:6]),
        (arm.joint_names, whole[:6]),
        ((*arm.joint_names[:6], "left_wrist"), whole),
        ((*arm.joint_names, "left_wrist"), [*whole, 0.0]),
        ((*arm.joint_names, "left_joint1"), [*whole, 0.0]),
    ):
        with pytest.raises(ImoveError, match="one for each of left_joint1"):
            follower_positions(arm, names, values)
    with pytest.raises(ImoveError, match="nan for joint 'left_joint2'"):
        follower_positions(arm, arm.joint_names, [whole[0], np.nan, *whole[2:]])


def test_follows_only_what_has_begun(table):
    assert table.run(0.2) == []
    assert table.phase is Phase.READY
    table.leaders = table.leaders + 0.01
    assert table.run(0.2) == []


def test_start_gate_brings_a_follower_slowly(table):
    table.leaders = np.clip(RIG.home_positions + 0.5, LOW, HIGH)
    table.run(0.05)
    table.relay.begin()
    rows = np.array(table.run(3.0))
    joints = [index for index in range(RIG.size) if index not in GRIPPERS]
    aligning = rows[: int(0.4 / FOLLOWING.align_speed_rad_s / PERIOD_S)]
    assert np.abs(np.diff(aligning[:, joints], axis=0)).max() <= FOLLOWING.align_speed_rad_s * PERIOD_S + ROUNDING
    assert np.abs(np.diff(rows[:, GRIPPERS], axis=0)).max() <= SPEEDS[6] * PERIOD_S + ROUNDING
    assert table.phase is Phase.RUNNING
    assert rows[-1] == pytest.approx(table.leaders)


def test_stale_leader_holds_until_a_person_resumes(table):
    table.follow()
    table.leaders = table.leaders + 0.02
    table.run(0.02)
    table.silent = {"leader left"}
    table.run(FOLLOWING.stale_s + 0.02)
    assert table.phase is Phase.HOLDING
    assert "leader of arm 'left' has said nothing for more than 0.1 s" in table.relay.view().message
    table.run(0.5)
    with pytest.raises(ImoveError, match="not resumed: the leader of arm 'left'"):
        table.relay.resume()
    table.silent, table.leaders = set(), table.leaders - 0.1
    assert table.run(0.5) == []
    assert table.phase is Phase.HOLDING
    table.relay.resume()
    assert table.phase is Phase.ALIGNING
    table.run(2.0)
    assert table.phase is Phase.RUNNING
    assert table.followers == pytest.approx(np.clip(table.leaders, LOW, HIGH))


def test_arm_that_is_broken_is_told_nothing_at_all(table):
    table.follow()
    table.leaders = np.clip(table.leaders + 0.3, LOW, HIGH)
    table.run(0.1)
    table.relay.set_fault("driver", "arm 'left': collision")
    assert table.run(0.5) == []
    assert table.relay.view().message == "arm 'left': collision: the arms hold until resume"
    table.relay.set_fault("driver", "")
    assert table.run(0.5) == []
    table.relay.resume()
    assert len(table.run(0.1)) == 20


def test_follower_that_is_lost_holds(table):
    table.follow()
    table.silent = {"right"}
    table.run(FOLLOWING.follower_stale_s + 0.02)
    assert table.phase is Phase.HOLDING
    assert table.run(0.1) == []


def test_leader_that_jumps_holds(table):
    table.follow()
    table.leaders = np.clip(table.leaders + 0.8, LOW, HIGH)
    table.run(0.02)
    assert table.phase is Phase.HOLDING
    assert "ahead; 0.6 rad is allowed" in table.relay.view().message


def test_follower_that_does_not_follow_holds(table):
    table.follow()
    table.stuck = True
    for _ in range(400):
        table.leaders = np.clip(table.leaders + 0.004, LOW, HIGH)
        table.tick()
    assert table.phase is Phase.HOLDING
    assert "it does not follow" in table.relay.view().message


def test_gripper_that_holds_something_keeps_its_target_over_a_pause(table):
    table.follow()
    table.leaders[GRIPPERS] = 0.0
    table.run(1.0)
    table.relay.pause()
    table.run(0.5)
    # Fingers that close on something stay open by its width.
    table.followers[GRIPPERS] = 0.04
    table.relay.resume()
    row = table.tick()
    assert row[GRIPPERS] == pytest.approx([0.0, 0.0])
    table.run(0.1)
    assert table.phase is Phase.RUNNING


def test_deadman_pauses_and_goes_on_through_the_gate():
    table = Table(deadman=PEDAL)
    table.run(0.05)
    table.relay.begin()
    assert (table.phase, table.run(0.1)) == (Phase.PAUSED, [])
    table.relay.hold_deadman(1000.0)
    table.run(0.1)
    assert table.phase is Phase.RUNNING
    table.leaders = np.clip(table.leaders + 0.2, LOW, HIGH)
    table.run(0.05)
    table.relay.release_deadman()
    table.run(0.5)
    assert (table.phase, table.run(0.1)) == (Phase.PAUSED, [])
    with pytest.raises(ImoveError, match="the deadman is not held"):
        table.relay.resume()
    table.relay.hold_deadman(1000.0)
    table.tick()
    assert table.phase is Phase.ALIGNING


def test_deadman_lets_go_by_itself_when_it_is_not_held_again():
    table = Table(deadman=PEDAL)
    table.run(0.05)
    table.relay.hold_deadman(0.3)
    table.relay.begin()
    table.run(0.2)
    assert table.phase is Phase.RUNNING
    table.run(0.2)
    assert table.phase is Phase.PAUSED


def test_deadman_does_not_end_a_hold():
    table = Table(deadman=PEDAL)
    table.run(0.05)
    table.relay.hold_deadman(1000.0)
    table.follow()
    table.silent = {"leader left"}
    table.run(0.3)
    table.silent = set()
    table.relay.release_deadman()
    table.run(0.3)
    table.relay.hold_deadman(1000.0)
    table.run(0.3)
    assert table.phase is Phase.HOLDING


def test_where_the_leader_drives_nothing_is_commanded():
    table = Table(wiring=LEADER_DRIVES)
    table.run(0.05)
    table.relay.begin()
    assert table.run(0.1) == []
    assert table.phase is Phase.RUNNING
    table.leaders = np.clip(table.leaders + 0.3, LOW, HIGH)
    assert table.run(0.1) == []
    table.silent = {"leader left"}
    table.run(0.3)
    assert table.phase is Phase.HOLDING


EVENTS = st.sampled_from(
    ["silent", "heard", "fault", "well", "pause", "resume", "hold", "release", "jump", "move", "end", "settle", "begin"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(EVENTS, st.integers(0, 30)), max_size=30), st.randoms(use_true_random=False))
def test_never_motion_after_a_hold_without_resume_and_never_beyond_limits(events, random):
    table = Table(deadman=PEDAL)
    table.run(0.05)
    rows = [table.followers.copy()]
    at_rest_since = 0
    for event, periods in events:
        before = table.phase
        try:
            match event:
                case "silent" | "heard":
                    table.silent = {"leader right"} if event == "silent" else set()
                case "fault" | "well":
                    table.relay.set_fault("driver", "broken" if event == "fault" else "")
                case "hold":
                    table.relay.hold_deadman(1000.0)
                case "release":
                    table.relay.release_deadman()
                case "jump" | "move":
                    reach = 3.0 if event == "jump" else 0.2
                    table.leaders = table.leaders + np.array([random.uniform(-reach, reach) for _ in range(RIG.size)])
                case "end":
                    table.relay.end("over")
                case _:
                    getattr(table.relay, event)()
        except ImoveError:
            assert event in ("pause", "resume", "begin")
        if before is Phase.HOLDING and event != "resume":
            assert table.phase in (Phase.HOLDING, Phase.STOPPED)
        for _ in range(periods):
            phase = table.phase
            row = table.tick()
            if phase is Phase.HOLDING:
                assert table.phase is Phase.HOLDING
            at_rest_since = 0 if table.phase in MOVING else at_rest_since + 1
            # Nothing comes once the arms have had the time to brake.
            assert row is None or at_rest_since <= 80
            if row is not None:
                assert (row >= LOW - ROUNDING).all() and (row <= HIGH + ROUNDING).all()
                # From where the arms are, at most a period's way.
                assert (np.abs(row - rows[-1])[:6] <= SPEEDS[:6] * PERIOD_S + ROUNDING).all()
                rows.append(row)
