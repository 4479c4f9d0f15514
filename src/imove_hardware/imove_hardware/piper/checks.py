"""What is looked at before an arm may be commanded: who it is, whose limits it has, and in which mode it was left."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_hardware.piper.bus import FOREIGN_FRAMES
from imove_hardware.piper.health import DRIVER_IDS, GRIPPER_ID, STATUS_ID, ArmHealth, ControlMode
from imove_hardware.piper.reading import FEEDBACK_IDS, JOINTS, LEADER_IDS, MOTOR_IDS
from imove_hardware.piper.watching import MODES

NARROWER_RAD = math.radians(1.0)
"""By how much a limit in the arm may be inside of the model's: registers hold tenths of a degree, and newer firmware
rounds otherwise."""
WIDER_RAD = math.radians(61.0)
"""By how much it may be outside. Joint 6 of the X came with 120 and with 180 degrees; what is wider somebody wrote
by mistake. The driver keeps to the model's limits anyway."""
OUTSIDE_RAD = 0.05
"""How far a joint may be beyond its limits when the driver takes over, which pulls it inside."""
SLOWEST_RAD_S = 0.1
"""A largest speed below this in a register is no setting that anybody wants."""
SCALED_EFFORT_UNTIL = (1, 8, 2)
"""Firmware up to this one tells a quarter of the current of joints 1 to 3 (the vendor's pyAgxArm)."""

FIRMWARE = re.compile(r"S-V(\d+)\.(\d+)-(\d+)")
_LEFT_OVER = (
    "connect the arm alone, set it to follower mode with the vendor's tool (0x470 with 0xFC) and switch its power off "
    "and on"
)


@dataclass(frozen=True)
class JointRegister:
    """What an arm's controller holds for one joint.

    Attributes:
        lower_rad: Lower limit.
        upper_rad: Upper limit.
        speed_rad_s: Largest speed.
    """

    lower_rad: float
    upper_rad: float
    speed_rad_s: float


@dataclass(frozen=True, eq=False)
class ArmFacts:
    """What was found on a bus.

    Attributes:
        firmware: Its text, "" where the arm did not tell.
        frame_ids: Identifiers of all frames that came while nobody had commanded anything.
        health: Of the arm.
        registers: By joint, None for those that did not answer.
        positions: (7,) where the arm is, None where it did not tell.
    """

    firmware: str
    frame_ids: frozenset[int]
    health: ArmHealth
    registers: tuple[JointRegister | None, ...]
    positions: Array | None


def check(arm: Arm, expected_firmware: str, facts: ArmFacts) -> str:
    """Says in one sentence why an arm must not be commanded, "" where nothing is in the way.

    Args:
        arm: Which arm of the rig is expected there.
        expected_firmware: As it was read when the rig was set up, "" where nobody knows.
        facts: What was found.
    """
    return (
        _check_others(arm, facts)
        or _check_frames(arm, facts)
        or _check_firmware(arm, expected_firmware, facts.firmware)
        or _check_registers(arm, facts.registers)
        or _check_positions(arm, facts.positions)
    )


def _check_others(arm: Arm, facts: ArmFacts) -> str:
    """Leaders, moved identifiers, and modes in which somebody else commands."""
    mode = facts.health.mode
    if mode is not None and mode not in (ControlMode.CAN, ControlMode.STANDBY):
        what = f": {_LEFT_OVER}" if mode is ControlMode.LEADER else "; end that at the arm first"
        return f"arm '{arm.name}' {MODES[mode]}{what}"
    moved = [i for i in sorted(facts.frame_ids) if any(i & mask == base for base, mask in FOREIGN_FRAMES)]
    if moved:
        return (
            f"an arm on the bus of arm '{arm.name}' was left as a leader or with moved identifiers (frame "
            f"0x{moved[0]:03X}): {_LEFT_OVER}"
        )
    if facts.frame_ids.intersection(LEADER_IDS):
        return (
            f"a leader commands on the bus of arm '{arm.name}' and would override this computer: unplug it, or give "
            "the arm this bus as leader_bus in the rig file"
        )
    return ""


def _check_frames(arm: Arm, facts: ArmFacts) -> str:
    """Whether the arm tells all that a driver needs."""
    for ids, what in (
        (FEEDBACK_IDS, "joint angles"),
        ((STATUS_ID,), "its state"),
        (MOTOR_IDS, "a joint's speed"),
        (DRIVER_IDS, "the state of a joint's driver"),
        ((GRIPPER_ID,), "its gripper"),
    ):
        missing = [i for i in ids if i not in facts.frame_ids]
        if missing:
            where = f" of joint{ids.index(missing[0]) + 1}" if len(ids) == JOINTS else ""
            return (
                f"arm '{arm.name}' does not tell {what}{where} (frame 0x{missing[0]:03X} does not come): look at its "
                "cables, then switch its power off and on"
            )
    return ""


def _check_firmware(arm: Arm, expected: str, found: str) -> str:
    if not FIRMWARE.fullmatch(found):
        told = f"says '{found}'" if found else "does not answer"
        return f"arm '{arm.name}' {told} when asked for its firmware; S-V1.8-2, for example, is understood"
    if expected and found != expected:
        return (
            f"arm '{arm.name}' has firmware {found}; the rig file says {expected}: run `imove rig setup` again after "
            "an update, or swap the buses back"
        )
    return ""


def _check_registers(arm: Arm, registers: tuple[JointRegister | None, ...]) -> str:
    for name, register, (low, high) in zip(arm.joint_names, registers, arm.limits[:JOINTS], strict=False):
        if register is None:
            return f"arm '{arm.name}' does not answer when asked for the limits of {name}"
        below, above = low - register.lower_rad, register.upper_rad - high
        if not -NARROWER_RAD <= min(below, above) <= max(below, above) <= WIDER_RAD:
            return (
                f"{name} of arm '{arm.name}' has limits {_degrees(register.lower_rad, register.upper_rad)} in its "
                f"controller; a {arm.model} has {_degrees(low, high)}: it is another model, or its limits were "
                "overwritten (restore them with the vendor's tool)"
            )
        if register.speed_rad_s < SLOWEST_RAD_S:
            return (
                f"{name} of arm '{arm.name}' has a largest speed of {register.speed_rad_s:g} rad/s in its controller; "
                f"at least {SLOWEST_RAD_S:g} rad/s is needed"
            )
    return ""


def _check_positions(arm: Arm, positions: Array | None) -> str:
    if positions is None:
        return f"arm '{arm.name}' tells no whole set of joint angles"
    for name, value, (low, high) in zip(arm.joint_names, positions[:JOINTS], arm.limits, strict=False):
        if not low - OUTSIDE_RAD <= value <= high + OUTSIDE_RAD:
            return (
                f"{name} of arm '{arm.name}' is at {math.degrees(value):.1f} deg; its limits are {_degrees(low, high)}"
                ": move it inside by hand, or its zero is wrong"
            )
    return ""


def _degrees(low: float, high: float) -> str:
    return f"{math.degrees(low):.1f} to {math.degrees(high):.1f} deg"


def effort_scale(firmware: str) -> float:
    """By which the SDK's efforts of joints 1 to 3 are multiplied for a firmware."""
    found = FIRMWARE.fullmatch(firmware)
    return 4.0 if found is not None and tuple(map(int, found.groups())) <= SCALED_EFFORT_UNTIL else 1.0


def speed_limits(registers: tuple[JointRegister | None, ...], speed_percent: int) -> Array:
    """Speeds (6,) in rad/s that the arm itself can reach at a share of its top speed."""
    known = [register.speed_rad_s if register is not None else math.inf for register in registers]
    return np.array(known) * speed_percent / 100.0
