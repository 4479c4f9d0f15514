"""The emulated arm with time handed in: modes, limits, faults, lines that lose and delay."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import can
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from piper_sdk.piper_msgs.msg_v2 import PiperMessage
from piper_sdk.protocol.protocol_v2.piper_protocol_v2 import C_PiperParserV2

from imove_core.errors import ImoveError
from imove_core.kinematics import flange_pose
from imove_description.arm_model import load_arm_model
from imove_hardware.emulation.piper import frames
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults, LineFaults
from imove_hardware.emulation.piper.feedback import MOST_MISSED, FeedbackRates, Schedule
from imove_hardware.emulation.piper.frames import Frame
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.plant import Drive, FirstOrderPlant
from imove_hardware.emulation.piper.registers import LIMITS_DEG, Registers
from imove_hardware.emulation.piper.wiring import Wiring, build_lines

PERIOD_S = 0.005


class Bench:
    """One arm on its line, and the time."""

    def __init__(self, *arms: EmulatedPiper) -> None:
        self.line = Line("bench", arms, np.random.default_rng(0))
        self.now_s = 100.0
        self.heard: list[Frame] = []

    def say(self, *spoken: Frame) -> None:
        for frame in spoken:
            self.heard += self.line.from_host(frame, self.now_s)

    def run(self, seconds: float, *repeated: Frame) -> list[Frame]:
        self.heard = []
        for _ in range(round(seconds / PERIOD_S)):
            self.now_s += PERIOD_S
            self.say(*repeated)
            self.heard += self.line.advance(self.now_s)
        return self.heard


def _mode(percent: int = 100, follow: int = 0) -> Frame:
    return Frame(frames.MODE_ID, bytes([frames.CAN_CONTROL, frames.MOVE_JOINTS, percent, follow, 0, 0, 0, 0]))


def _joints(angles_deg: Sequence[float]) -> list[Frame]:
    return frames.pairs(frames.JOINTS_12_ID, [round(angle * 1000) for angle in angles_deg])


def _enable(on: bool = True) -> Frame:
    return Frame(frames.ENABLE_ID, bytes([7, 2 if on else 1, 0, 0, 0, 0, 0, 0]))


def _stop(first: int) -> Frame:
    return Frame(frames.STOP_ID, bytes([first, 0, 0, 0, 0, 0, 0, 0]))


def _last(heard: list[Frame], number: int) -> bytes:
    return next(frame.data for frame in reversed(heard) if frame.id == number)


def _degrees(arm: EmulatedPiper) -> np.ndarray:
    return np.degrees(arm.state.joints_rad)


@pytest.fixture
def arm() -> EmulatedPiper:
    return EmulatedPiper("left")


def _decoded(frame: Frame) -> PiperMessage:
    message = PiperMessage()
    raw = can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False)
    assert C_PiperParserV2().DecodeMessage(raw, message)
    return message


angles = st.integers(-(2**31), 2**31 - 1)


@given(st.lists(angles, min_size=6, max_size=6))
def test_joint_frames_read_as_the_vendor_reads_them(values: list[int]) -> None:
    """Three frames carry six joints of any value."""
    read: list[int] = []
    for index, frame in enumerate(frames.pairs(frames.JOINT_FEEDBACK_ID, values)):
        feedback = _decoded(frame).arm_joint_feedback
        read += [getattr(feedback, f"joint_{2 * index + 1}"), getattr(feedback, f"joint_{2 * index + 2}")]
        assert frames.pair(frame.data) == (values[2 * index], values[2 * index + 1])
    assert read == values


def test_other_frames_read_as_the_vendor_reads_them() -> None:
    """Status, gripper, motors, drivers, limits and acceleration."""
    status = _decoded(
        frames.status(mode=1, state=4, move=1, teaching=0, moving=True, over_limit=0b10000, silent=0b100)
    ).arm_status_msgs
    assert (status.ctrl_mode, status.arm_status, status.mode_feed, status.motion_status) == (1, 4, 1, 1)
    assert status.err_code == 0b10000 << 8 | 0b100
    gripper = _decoded(frames.gripper(69_000, -1200, frames.ENABLED_BIT)).gripper_feedback
    assert (gripper.grippers_angle, gripper.grippers_effort, gripper.status_code) == (69_000, -1200, 0x40)
    fast = _decoded(frames.motor_fast(6, -1.5, 800.0, -45_000)).arm_high_spd_feedback_6
    assert (fast.motor_speed, fast.current, fast.pos) == (-1500, 800, -45_000)
    slow = _decoded(frames.motor_slow(2, 24.1, 40, -3, frames.COLLIDED_BIT, 300)).arm_low_spd_feedback_2
    assert (slow.vol, slow.foc_temp, slow.motor_temp, slow.foc_status_code) == (241, 40, -3, 0x10)
    limits = _decoded(frames.limits(5, math.radians(89), math.radians(-89), 3.0))
    limits = limits.arm_feedback_current_motor_angle_limit_max_spd
    assert (limits.motor_num, limits.max_angle_limit, limits.min_angle_limit, limits.max_joint_spd) == (
        5,
        890,
        -890,
        3000,
    )
    fastest = _decoded(frames.acceleration(3, 5.0)).arm_feedback_current_motor_max_acc_limit
    assert (fastest.joint_motor_num, fastest.max_joint_acc) == (3, 5000)


def test_firmware_must_have_the_form_that_hosts_look_for(arm: EmulatedPiper) -> None:
    """Eleven frames of text hold it; another length would shift what follows."""
    text = b"".join(frame.data for frame in arm.receive(Frame(frames.FIRMWARE_ID, bytes([1] + [0] * 7)), 0.0))
    assert text.startswith(b"H-V") and text[60:68] == b"S-V1.8-8" and len(text) == 88
    with pytest.raises(ValueError, match="eight characters"):
        frames.firmware("S-V1.10-12")


def test_joints_obey_only_in_control_and_with_power(arm: EmulatedPiper) -> None:
    """Before CAN control and power nothing moves; then the speed is the share that was asked for."""
    bench, there = Bench(arm), _joints([30, 60, -45, 20, 30, -40])
    bench.run(0.5, *there)
    bench.say(_mode())
    bench.run(0.5, *there)
    assert np.abs(_degrees(arm)).max() < 0.01
    bench.say(_enable(), _mode(percent=10))
    bench.run(1.0, *there)
    assert 16.0 < _degrees(arm)[0] < 18.1
    bench.say(_mode(percent=10, follow=frames.HIGH_FOLLOW))
    bench.run(1.0, *there)
    np.testing.assert_allclose(_degrees(arm), [30, 60, -45, 20, 30, -40], atol=0.05)


@given(st.integers(0, 5), st.floats(0.01, 400.0), st.booleans())
def test_no_target_beyond_a_limit_moves_the_arm(index: int, beyond_deg: float, above: bool) -> None:
    """One joint past its limit refuses the whole target and says which joint it was."""
    arm = EmulatedPiper("left")
    bench = Bench(arm)
    bench.say(_enable(), _mode())
    target = [10.0, 20.0, -20.0, 10.0, 10.0, 10.0]
    low, high = LIMITS_DEG[index]
    target[index] = high + beyond_deg if above else low - beyond_deg
    heard = bench.run(0.1, *_joints(target))
    status = _last(heard, frames.STATUS_ID)
    assert (status[1], status[6]) == (frames.OVER_LIMIT, 1 << index)
    assert np.abs(_degrees(arm)).max() < 0.01
    report = arm.report()["heard"]
    assert report["refused"] == 20 and report["targets"] == 0


def test_stop_holds_reset_drops(arm: EmulatedPiper) -> None:
    """An emergency stop ends the motion and refuses power; a reset takes the power and lets the arm sink."""
    bench, there = Bench(arm), _joints([0, 90, -90, 0, 0, 0])
    bench.say(_enable(), _mode())
    bench.run(0.2, *there)
    bench.say(_stop(1))
    bench.run(0.3)
    held = _degrees(arm)
    bench.say(_enable())
    heard = bench.run(1.0, *there)
    assert held[1] > 5.0
    np.testing.assert_allclose(_degrees(arm), held, atol=0.01)
    assert _last(heard, frames.STATUS_ID)[1] == frames.STOPPED
    bench.say(_stop(2))
    heard = bench.run(0.2, *there)
    assert _last(heard, frames.STATUS_ID)[1] == frames.NORMAL
    assert not _last(heard, frames.MOTOR_SLOW_ID)[5] & frames.ENABLED_BIT
    assert _degrees(arm)[1] < held[1] - 1.0


def test_gripper_stops_at_what_lies_between_its_fingers() -> None:
    """It closes to the object's width, and its effort rises to what was asked for."""
    arm = EmulatedPiper("left", plant=FirstOrderPlant(opening_m=0.07, object_width_m=0.025))
    bench = Bench(arm)
    bench.say(Frame(frames.GRIPPER_ID, (0).to_bytes(4, "big") + (1500).to_bytes(2, "big") + bytes([1, 0])))
    heard = bench.run(2.0)
    feedback = _decoded(Frame(frames.GRIPPER_FEEDBACK_ID, _last(heard, frames.GRIPPER_FEEDBACK_ID))).gripper_feedback
    assert feedback.grippers_angle == 25_000 and feedback.grippers_effort == pytest.approx(1500, abs=5)
    bench.say(Frame(frames.GRIPPER_ID, (60_000).to_bytes(4, "big") + (1500).to_bytes(2, "big") + bytes([1, 0])))
    bench.run(1.0)
    assert arm.state.opening_m == pytest.approx(0.06, abs=1e-4) and arm.state.effort_nm < 0.01


@pytest.mark.parametrize(
    ("faults", "state", "bit"),
    [
        (ArmFaults(collided_joints=(1,)), frames.COLLISION, frames.COLLIDED_BIT),
        (ArmFaults(hot_joints=(1,)), frames.JOINT_ERROR, frames.MOTOR_HOT_BIT),
        (ArmFaults(low_voltage=True), frames.NORMAL, frames.LOW_VOLTAGE_BIT),
    ],
)
def test_faults_show_in_state_and_drivers(arm: EmulatedPiper, faults: ArmFaults, state: int, bit: int) -> None:
    """Each fault has its state and its flag; those that halt keep the arm where it is, and it stays there after."""
    bench, there = Bench(arm), _joints([60, 0, 0, 0, 0, 0])
    bench.say(_enable(), _mode(), *there)
    bench.run(0.1)
    arm.faults = faults
    heard = bench.run(0.1)
    at = _degrees(arm)[0]
    heard = bench.run(0.5)
    assert _last(heard, frames.STATUS_ID)[1] == state
    assert _last(heard, frames.MOTOR_SLOW_ID)[5] & bit
    assert (abs(_degrees(arm)[0] - at) < 0.1) == faults.halts
    arm.faults = ArmFaults()
    bench.run(0.5)
    assert (abs(_degrees(arm)[0] - at) < 0.1) == faults.halts


def test_silent_joint_sends_nothing_and_collision_is_forgiven(arm: EmulatedPiper) -> None:
    """A joint that does not answer has no frames; 0x475 clears the error of one that met something."""
    bench = Bench(arm)
    arm.faults = ArmFaults(silent_joints=(3,))
    counted = Counter(frame.id for frame in bench.run(0.5))
    assert counted[frames.MOTOR_FAST_ID + 2] == counted[frames.MOTOR_SLOW_ID + 2] == 0
    assert counted[frames.MOTOR_FAST_ID] == 100 and counted[frames.MOTOR_SLOW_ID] == 20
    arm.faults = ArmFaults(collided_joints=(2, 4))
    bench.say(Frame(frames.SET_JOINT_ID, bytes([2, 0, 0, 0, 0, 0xAE, 0, 0])))
    assert arm.faults.collided_joints == (4,)
    bench.say(_stop(2))
    assert arm.faults.collided_joints == ()


def test_leader_left_in_its_mode_sends_no_feedback_where_a_follower_does() -> None:
    """It streams commands, obeys none, and its own feedback is elsewhere until it is told to follow again."""
    leader = EmulatedPiper("left_leader", leading=True)
    bench = Bench(leader)
    leader.guide((0.1, 0.2, -0.3, 0.0, 0.0, 0.0), 0.02)
    counted = Counter(frame.id for frame in bench.run(0.5, _mode(), *_joints([0] * 6)))
    assert counted[frames.JOINT_FEEDBACK_ID] == 0 and counted[frames.JOINTS_12_ID] == 100
    assert leader.state.joints_rad[2] == pytest.approx(-0.3)
    bench.say(Frame(frames.LINKAGE_ID, bytes([0xFC, 0, 0, 0, 0, 0, 0, 0])))
    counted = Counter(frame.id for frame in bench.run(0.5))
    assert counted[frames.JOINT_FEEDBACK_ID] == 100 and counted[frames.JOINTS_12_ID] == 0


def test_stop_of_a_host_reaches_a_led_follower() -> None:
    """While its leader streams, a PC commands nothing, but can stop it."""
    leader, follower = EmulatedPiper("left_leader", leading=True), EmulatedPiper("left")
    bench = Bench(leader, follower)
    leader.guide((0.2, 0.2, -0.2, 0.0, 0.0, 0.0), 0.02)
    bench.run(1.0, *_joints([-30, 0, 0, 0, 0, 0]))
    assert follower.state.joints_rad[0] == pytest.approx(0.2, abs=1e-3)
    bench.say(_stop(1))
    leader.guide((0.5, 0.2, -0.2, 0.0, 0.0, 0.0), 0.02)
    bench.run(1.0)
    assert follower.state.joints_rad[0] == pytest.approx(0.2, abs=1e-3)


def test_limits_can_be_set_and_asked_for(arm: EmulatedPiper) -> None:
    """0x474 changes a limit and leaves what is 0x7FFF; the arm heeds and tells the new one."""
    bench = Bench(arm)
    set_upper = bytes([1]) + (100).to_bytes(2, "big") + b"\x7f\xff\x7f\xff\0"
    bench.say(Frame(frames.SET_LIMITS_ID, set_upper))
    bench.heard = []
    bench.say(Frame(frames.ASK_LIMITS_ID, bytes([1, 1, 0, 0, 0, 0, 0, 0])))
    answer = _decoded(bench.heard[0]).arm_feedback_current_motor_angle_limit_max_spd
    assert (answer.max_angle_limit, answer.min_angle_limit) == (100, -1500)
    bench.say(_enable(), _mode())
    bench.run(0.1, *_joints([11, 0, 0, 0, 0, 0]))
    assert arm.report()["heard"]["refused"] == 20


def test_pose_is_that_of_the_flange() -> None:
    """0x2A2 tells where the flange is in the frame of the base, 0.001 mm."""
    joints = (0.3, 1.0, -1.2, 0.4, 0.2, -0.5)
    arm = EmulatedPiper("left", plant=FirstOrderPlant(joints))
    x_y = frames.pair(_last(arm.advance(0.0), frames.POSE_ID))
    expected = flange_pose(load_arm_model("piper_x"), np.array(joints))[:2, 3] * 1e6
    assert x_y == pytest.approx(tuple(expected), abs=1.0)


def test_line_loses_delays_and_cuts() -> None:
    """Lost frames are a share of all, late ones come in order of arrival, and nothing passes a cut either way."""
    arm = EmulatedPiper("left")
    bench = Bench(arm)
    whole = len(bench.run(1.0))
    bench.line.faults = LineFaults(loss=0.5)
    assert 0.4 < len(bench.run(1.0)) / whole < 0.6
    bench.line.faults = LineFaults(delay_s=0.1)
    assert not bench.run(0.09)
    assert bench.run(0.1)
    bench.line.faults = LineFaults()
    bench.run(0.2)
    bench.line.faults = LineFaults(cut=True)
    bench.say(_stop(1))
    assert not bench.run(0.5)
    bench.line.faults = LineFaults()
    assert _last(bench.run(0.1), frames.STATUS_ID)[1] == frames.NORMAL


def test_mute_arm_neither_speaks_nor_hears(arm: EmulatedPiper) -> None:
    """As with its plug pulled; it goes on with what it was told before."""
    bench = Bench(arm)
    bench.say(_enable(), _mode(), *_joints([60, 0, 0, 0, 0, 0]))
    arm.faults = ArmFaults(mute=True)
    bench.say(_stop(1))
    assert not bench.run(1.0)
    arm.faults = ArmFaults()
    assert _last(bench.run(0.1), frames.STATUS_ID)[1] == frames.NORMAL
    assert _degrees(arm)[0] == pytest.approx(60.0, abs=0.1)


def test_schedule_keeps_the_mean_rate_after_small_gaps_only() -> None:
    """A few missed periods are made up for; after a long pause there is no flood."""
    schedule = Schedule(FeedbackRates(status_hz=0.0))
    assert "status" not in schedule.due(0.0) and schedule.next_s == pytest.approx(0.005)
    times = [0.0, *(0.0183 + 0.002 * step for step in range(491))]
    said = sum("joints" in schedule.due(at_s) for at_s in times[1:])
    assert said == pytest.approx(200 * times[-1], abs=2)
    after = times[-1] + 100.0
    said = sum("joints" in schedule.due(after + 0.001 * step) for step in range(10))
    assert said <= MOST_MISSED


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.floats(0.0005, 0.05))
def test_plant_never_overshoots(targets: list[float], dt_s: float) -> None:
    """Every joint stays between where it was and where it is to go."""
    plant = FirstOrderPlant()
    drive = Drive(tuple(targets), (True,) * 6, 0.05, 1.0)
    for _ in range(20):
        before = plant.state.joints_rad
        after = plant.step(drive, dt_s).joints_rad
        for old, new, target in zip(before, after, targets, strict=True):
            assert min(old, target) - 1e-9 <= new <= max(old, target) + 1e-9


def test_lines_are_built_from_words() -> None:
    """A pair is two arms on one line; what is no name or no role is refused."""
    lines = build_lines([Wiring.parse("left:pair"), Wiring.parse("right_leader:leader"), Wiring.parse("right")], seed=1)
    assert [[(arm.name, arm.leading) for arm in line.arms] for line in lines] == [
        [("left_leader", True), ("left", False)],
        [("right_leader", True)],
        [("right", False)],
    ]
    with pytest.raises(ImoveError, match="unknown role of channel left 'boss'"):
        Wiring.parse("left:boss")
    with pytest.raises(ImoveError, match="channel is 'a b'"):
        Wiring.parse("a b")


def test_registers_forgive_the_rounding_of_the_wire() -> None:
    """A target at a limit is inside it, though the wire rounds to 0.001 deg."""
    registers = Registers()
    at_limits = [frames.radians(frames.millidegrees(high)) for _, high in registers.limits_rad]
    assert registers.outside(at_limits) == 0
