"""CAN frames of a PiPER arm: identifiers, layouts and their encoding (11-bit identifiers, 8 bytes, big-endian).

Layouts are those that the vendor's piper_sdk 0.6.2 encodes and decodes (piper_sdk/protocol/protocol_v2); each function
names its own. Integers on the wire are thousandths of a degree, of a millimetre or of a newton metre unless said.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

#: Host to arm.
STOP_ID, MODE_ID, JOINTS_12_ID, JOINTS_34_ID, JOINTS_56_ID, GRIPPER_ID = 0x150, 0x151, 0x155, 0x156, 0x157, 0x159
LINKAGE_ID, ENABLE_ID = 0x470, 0x471
ASK_LIMITS_ID, SET_LIMITS_ID, SET_JOINT_ID, ASK_PARAMETERS_ID = 0x472, 0x474, 0x475, 0x477
SET_END_SPEED_ID, SET_CRASH_LEVELS_ID, SET_GRIPPER_RANGE_ID = 0x479, 0x47A, 0x47D
#: Both ways: the question has one byte, the answer is text.
FIRMWARE_ID = 0x4AF
#: Arm to host.
STATUS_ID, POSE_ID, JOINT_FEEDBACK_ID, GRIPPER_FEEDBACK_ID = 0x2A1, 0x2A2, 0x2A5, 0x2A8
MOTOR_FAST_ID, MOTOR_SLOW_ID = 0x251, 0x261
LIMITS_ID, ACKNOWLEDGED_ID, END_SPEED_ID, CRASH_LEVELS_ID, ACCELERATION_ID = 0x473, 0x476, 0x478, 0x47B, 0x47C
GRIPPER_RANGE_ID = 0x47E

#: Control modes (byte 0 of 0x151 and 0x2A1).
STANDBY, CAN_CONTROL, TEACHING, LEADING = 0, 1, 2, 6
#: Moves (byte 1 of 0x151): joint by joint.
MOVE_JOINTS = 1
#: Third byte of 0x151: follow without the controller's own speed law.
HIGH_FOLLOW = 0xAD
#: Arm states (byte 1 of 0x2A1).
NORMAL, STOPPED, OVER_LIMIT, JOINT_SILENT, COLLISION, JOINT_ERROR = 0, 1, 4, 5, 7, 9
#: Bits of a motor's driver (byte 5 of 0x261 and the five after it).
LOW_VOLTAGE_BIT, MOTOR_HOT_BIT, COLLIDED_BIT, ERROR_BIT, ENABLED_BIT = 0x01, 0x02, 0x10, 0x20, 0x40
#: Bits of the gripper (byte 6 of 0x2A8); low voltage, hot and enabled are those of a motor.
HOMED_BIT = 0x80

FIRMWARE_BYTES = 88


class Frame(NamedTuple):
    """One CAN frame: identifier and its eight bytes."""

    id: int
    data: bytes


class GripperCommand(NamedTuple):
    """0x159: opening in um, effort in 0.001 N m, 0-3 in `code` (odd enables), 0xAE in `zero` takes here for closed."""

    opening_um: int
    effort_mnm: int
    code: int
    zero: int


def millidegrees(angle_rad: float) -> int:
    """An angle as the wire has it, 0.001 deg."""
    return round(math.degrees(angle_rad) * 1000.0)


def radians(angle_mdeg: int) -> float:
    """An angle of the wire in rad."""
    return math.radians(angle_mdeg / 1000.0)


def pair(data: bytes) -> tuple[int, int]:
    """The two int32 of a joint or pose frame."""
    first, second = struct.unpack(">ii", data)
    return first, second


def gripper_command(data: bytes) -> GripperCommand:
    """Decodes 0x159: int32 um, uint16 0.001 N m, code, zero."""
    return GripperCommand(*struct.unpack(">iHBB", data))


def pairs(first_id: int, values: Sequence[int]) -> list[Frame]:
    """Frames of consecutive identifiers with two int32 each: joints (0x2A5, 0x155) and pose (0x2A2)."""
    return [
        Frame(first_id + index, struct.pack(">ii", values[2 * index], values[2 * index + 1]))
        for index in range(len(values) // 2)
    ]


def status(
    *,
    mode: int,
    state: int,
    move: int,
    teaching: int,
    moving: bool,
    over_limit: int,
    silent: int,
    base: int = STATUS_ID,
) -> Frame:
    """0x2A1: mode, arm state, move, teaching, 1 while moving, point of a trajectory, two masks of joints (bits 0-5).

    Args:
        mode: Control mode.
        state: Arm state.
        move: Kind of move in force.
        teaching: State of the teaching record.
        moving: The arm is not where it was told to go.
        over_limit: Mask of joints that were told to pass a limit.
        silent: Mask of joints whose driver does not answer.
        base: Identifier, other than 0x2A1 where the arm was told to shift its feedback.
    """
    return Frame(base, bytes([mode, state, move, teaching, int(moving), 0, over_limit, silent]))


def gripper(opening_um: int, effort_mnm: int, flags: int, base: int = GRIPPER_FEEDBACK_ID) -> Frame:
    """0x2A8: int32 opening in um, int16 effort in 0.001 N m, flags, 0."""
    return Frame(base, struct.pack(">ihBB", opening_um, _int16(effort_mnm), flags, 0))


def motor_fast(motor: int, speed_rad_s: float, current_ma: float, position_mdeg: int) -> Frame:
    """0x251-0x256: int16 speed in 0.001 rad/s, int16 current in mA, int32 position; `motor` counts from 1."""
    speed = _int16(round(speed_rad_s * 1000.0))
    return Frame(MOTOR_FAST_ID + motor - 1, struct.pack(">hhi", speed, _int16(round(current_ma)), position_mdeg))


def motor_slow(motor: int, volts: float, driver_degc: int, motor_degc: int, flags: int, current_ma: int) -> Frame:
    """0x261-0x266: uint16 0.1 V, int16 driver deg C, int8 motor deg C, flags, uint16 mA; `motor` counts from 1."""
    data = struct.pack(">HhbBH", round(volts * 10.0), driver_degc, motor_degc, flags, current_ma)
    return Frame(MOTOR_SLOW_ID + motor - 1, data)


def limits(motor: int, upper_rad: float, lower_rad: float, speed_rad_s: float) -> Frame:
    """0x473: motor, int16 upper and lower limit in 0.1 deg, uint16 top speed in 0.001 rad/s, 0."""
    upper, lower = (_int16(round(math.degrees(value) * 10.0)) for value in (upper_rad, lower_rad))
    return Frame(LIMITS_ID, struct.pack(">BhhHB", motor, upper, lower, round(speed_rad_s * 1000.0), 0))


def acceleration(motor: int, limit_rad_s2: float) -> Frame:
    """0x47C: motor, uint16 largest acceleration in 0.001 rad/s^2."""
    return Frame(ACCELERATION_ID, struct.pack(">BH5x", motor, round(limit_rad_s2 * 1000.0)))


def acknowledged(answered_id: int, zero_is_set: bool = False) -> Frame:
    """0x476: low byte of the identifier that is answered, 1 where a zero was set."""
    return Frame(ACKNOWLEDGED_ID, bytes([answered_id & 0xFF, int(zero_is_set), 0, 0, 0, 0, 0, 0]))


def firmware(software: str) -> list[Frame]:
    """0x4AF: eleven frames of text: hardware at byte 0, type of the node at 32, software at 60, date at 68.

    Raises:
        ValueError: The software's name is not eight ASCII characters, as `S-V1.8-8` is.
    """
    if len(software) != 8 or not software.isascii():
        raise ValueError(f"firmware is '{software}'; eight characters like S-V1.8-8 are allowed")
    text = bytearray(FIRMWARE_BYTES)
    for offset, value in ((0, "H-V1.0-0"), (32, "PIPERX"), (60, software), (68, "250101")):
        text[offset : offset + len(value)] = value.encode("ascii")
    return [Frame(FIRMWARE_ID, bytes(text[start : start + 8])) for start in range(0, FIRMWARE_BYTES, 8)]


def _int16(value: int) -> int:
    return max(-32768, min(32767, value))
