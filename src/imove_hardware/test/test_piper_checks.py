"""What the driver makes of frames, flags and registers, without a bus."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_hardware.piper.bus import BusAddress, parse_address
from imove_hardware.piper.checks import ArmFacts, JointRegister, check, effort_scale, speed_limits
from imove_hardware.piper.health import ENABLED_BIT, ArmHealth, ControlMode
from imove_hardware.piper.identifying import ALL_IDS
from imove_hardware.piper.reading import FEEDBACK_IDS, NS, CycleWatch, plausible_stamp_ns
from imove_hardware.piper.watching import LAG_PATIENCE_S, LagWatch, fault_of

ARM = load_rig("piperx_dual").arm("left")
WELL = ArmHealth(mode=ControlMode.CAN, drivers=(ENABLED_BIT,) * 6, gripper=0xC0, temperatures_c=(35.0,) * 6)
REGISTERS = tuple(JointRegister(low, high, 3.14) for low, high in ARM.limits[:6].tolist())
FACTS = ArmFacts("S-V1.8-8", ALL_IDS, replace(WELL, mode=ControlMode.STANDBY), REGISTERS, ARM.home_positions)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("socketcan:can_left", BusAddress("socketcan", "can_left")),
        ("virtual:left-1", BusAddress("virtual", "left-1")),
        ("socketcand:127.0.0.1:29536/left", BusAddress("socketcand", "left", "127.0.0.1", 29536)),
    ],
)
def test_addresses_are_read_and_written(text, address):
    assert parse_address(text) == address and str(address) == text


def test_another_address_is_refused():
    with pytest.raises(ImoveError, match="none of a PiPER; allowed: socketcan:INTERFACE"):
        parse_address("ros2_control:fr3_arm_controller")


def test_an_arm_as_it_should_be_passes():
    assert check(ARM, "", FACTS) == check(ARM, "S-V1.8-8", FACTS) == ""


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"firmware": ""}, "does not answer when asked for its firmware"),
        ({"firmware": "S-V1.9-0"}, "the rig file says S-V1.8-8: run `imove rig setup` again"),
        ({"frame_ids": ALL_IDS - {0x254}}, "does not tell a joint's speed of joint4 (frame 0x254 does not come)"),
        ({"frame_ids": ALL_IDS - {0x2A8}}, "does not tell its gripper"),
        ({"frame_ids": ALL_IDS | {0x3A5}}, "left as a leader or with moved identifiers (frame 0x3A5)"),
        ({"frame_ids": ALL_IDS | {0x2B6}}, "left as a leader or with moved identifiers (frame 0x2B6)"),
        ({"frame_ids": ALL_IDS | {0x155}}, "a leader commands on the bus of arm 'left'"),
        ({"health": replace(WELL, mode=ControlMode.LEADER)}, "is in leader mode"),
        ({"health": replace(WELL, mode=ControlMode.TEACHING)}, "is being taught by hand"),
        ({"registers": (None, *REGISTERS[1:])}, "does not answer when asked for the limits of left_joint1"),
        ({"positions": None}, "tells no whole set of joint angles"),
        ({"positions": np.full(7, -0.2)}, "left_joint2 of arm 'left' is at -11.5 deg; its limits are 0.0 to 180.0 deg"),
    ],
)
def test_what_is_in_the_way_is_said(changes, sentence):
    assert sentence in check(ARM, "S-V1.8-8", replace(FACTS, **changes))


@pytest.mark.parametrize(
    ("joint", "limits_deg", "accepted"),
    [
        (5, (-180.0, 180.0), True),
        (3, (-90.0, 90.0), True),
        (4, (-70.0, 70.0), False),  # a PiPER that is no X
        (1, (-120.0, 120.0), False),  # what one answer for all joints left behind
        (1, (-180.0, 180.0), False),
    ],
)
def test_limits_in_the_controller_may_be_the_models_and_somewhat_wider(joint, limits_deg, accepted):
    register = JointRegister(*map(math.radians, limits_deg), 3.14)
    registers = (*REGISTERS[:joint], register, *REGISTERS[joint + 1 :])
    sentence = check(ARM, "", replace(FACTS, registers=registers))
    assert (sentence == "") is accepted
    assert accepted or f"left_joint{joint + 1}" in sentence and "restore them" in sentence


def test_a_joint_that_may_not_move_is_refused():
    registers = (replace(REGISTERS[0], speed_rad_s=0.0), *REGISTERS[1:])
    assert "a largest speed of 0 rad/s" in check(ARM, "", replace(FACTS, registers=registers))


def test_efforts_and_speeds_are_those_of_the_firmware_and_the_registers():
    assert [effort_scale(name) for name in ("S-V1.8-2", "S-V1.5-2", "S-V1.8-3", "S-V1.9-0", "")] == [4, 4, 1, 1, 1]
    assert np.allclose(speed_limits(REGISTERS, 50), 1.57)


@pytest.mark.parametrize(
    ("changes", "sentence", "passes"),
    [
        ({"state": 7}, "arm 'left' has met an obstacle and protects itself", False),
        ({"state": 5, "joint_faults": 0b100}, "arm 'left' has lost the connection to a joint (joint3)", False),
        ({"state": 4, "joint_faults": 0b10 << 8}, "arm 'left' refused a target beyond its own limits (joint2)", True),
        ({"state": 99}, "arm 'left' reports state 99, which no document names", False),
        ({"drivers": (0x44,) + (0x40,) * 5}, "joint1 of arm 'left' reports too much current", False),
        ({"drivers": (0x40,) * 5 + (0xC2,)}, "joint6 of arm 'left' reports a motor that is too hot and a motor", False),
        ({"gripper": 0xC4}, "the gripper of arm 'left' reports too much current", True),
        ({"gripper": 0xC1}, "the gripper of arm 'left' reports too little voltage", False),
        ({"mode": ControlMode.TEACHING}, "arm 'left' is being taught by hand", False),
    ],
)
def test_flags_become_sentences(changes, sentence, passes):
    fault = fault_of("left", replace(WELL, **changes), commanding=False)
    assert fault is not None and fault.sentence.startswith(sentence) and fault.passes is passes


def test_standing_by_is_wrong_only_for_an_arm_that_is_commanded():
    idle = replace(WELL, mode=ControlMode.STANDBY)
    assert fault_of("left", WELL, commanding=True) is fault_of("left", idle, commanding=False) is None
    assert "stands by" in fault_of("left", idle, commanding=True).sentence
    assert fault_of("left", ArmHealth(), commanding=True) is None


@given(st.lists(st.sampled_from([*FEEDBACK_IDS, None]), max_size=60))
def test_a_cycle_counts_only_when_its_frames_came_in_order(frames):
    """None is a frame that was lost."""
    watch, stamp_s, last = CycleWatch(FEEDBACK_IDS), 0.0, []
    for frame in frames:
        stamp_s += 0.001
        if frame is None:
            continue
        last = [*last, frame][-3:]
        assert watch.whole(frame, stamp_s) is (tuple(last) == FEEDBACK_IDS)


def test_frames_far_apart_are_no_cycle():
    watch = CycleWatch(FEEDBACK_IDS)
    assert [watch.whole(*frame) for frame in ((0x2A5, 1.0), (0x2A6, 1.001), (0x2A7, 1.03))] == [False] * 3
    assert watch.mixed == 1


def test_a_stamp_of_another_clock_becomes_the_present():
    now_ns = 1_000 * NS
    assert plausible_stamp_ns(999.99, now_ns) == 999_990_000_000
    assert plausible_stamp_ns(5.0, now_ns) == plausible_stamp_ns(1000.5, now_ns) == now_ns


def test_a_joint_that_stays_behind_is_noticed_after_a_while():
    watch = LagWatch("left", ARM.joint_names)
    targets, behind = np.zeros(6), np.array([0, 0, 0.6, 0, 0, 0])
    assert watch.look(targets, behind, 0.0) is None and watch.look(targets, targets, 0.3) is None
    assert watch.look(targets, behind, 0.4) is None and watch.look(targets, behind, 0.4 + LAG_PATIENCE_S / 2) is None
    fault = watch.look(targets, behind, 0.41 + LAG_PATIENCE_S)
    assert fault is not None and "left_joint3 has been 0.60 rad from its target" in fault.sentence and fault.pushes
