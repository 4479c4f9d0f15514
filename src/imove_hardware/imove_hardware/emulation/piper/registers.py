"""What a PiPER X keeps in its controller: limits, speeds, firmware; and what it answers when asked for them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field

from imove_hardware.emulation.piper import frames
from imove_hardware.emulation.piper.frames import Frame

JOINTS = 6
#: Joint limits of the X in deg, from the vendor's pyAgxArm (piper_x.json); joint 6 turns 180 deg in newer releases.
LIMITS_DEG = ((-150.0, 150.0), (0.0, 180.0), (-170.0, 0.0), (-89.0, 89.0), (-89.0, 89.0), (-120.0, 120.0))
#: Top joint speeds in deg/s, from the vendor's data sheet.
SPEEDS_DEG_S = (180.0, 195.0, 180.0, 225.0, 225.0, 225.0)
#: Opening between the fingers, m, of the gripper with a stroke of 70 mm.
STROKE_M = 0.070
#: In 0x474 a limit or speed of this value stays as it is.
_UNCHANGED = 0x7FFF
_END_SPEED, _CRASH_LEVELS, _GRIPPER_RANGE = 1, 2, 4


@dataclass
class Registers:
    """Settings of one arm.

    Attributes:
        firmware: Eight characters, as `S-V1.8-8`.
        limits_rad: Lower and upper limit a joint.
        speeds_rad_s: Top speed a joint.
        accelerations_rad_s2: Largest acceleration a joint.
        crash_levels: Sensitivity to collisions a joint, 0 is off.
        stroke_m: Opening of the gripper; 0 before anybody set its range.
    """

    firmware: str = "S-V1.8-8"
    limits_rad: list[tuple[float, float]] = field(
        default_factory=lambda: [(math.radians(low), math.radians(high)) for low, high in LIMITS_DEG]
    )
    speeds_rad_s: list[float] = field(default_factory=lambda: [math.radians(speed) for speed in SPEEDS_DEG_S])
    accelerations_rad_s2: list[float] = field(default_factory=lambda: [5.0] * JOINTS)
    crash_levels: list[int] = field(default_factory=lambda: [1] * JOINTS)
    stroke_m: float = STROKE_M

    def outside(self, targets_rad: list[float]) -> int:
        """Mask of the joints whose target lies outside its limits; the wire's rounding is forgiven."""
        slack = math.radians(0.001)
        return sum(
            1 << index
            for index, (target, (low, high)) in enumerate(zip(targets_rad, self.limits_rad, strict=True))
            if not low - slack <= target <= high + slack
        )

    def answer(self, frame: Frame) -> list[Frame]:
        """Answers an enquiry or takes a setting; nothing for any other frame."""
        data, motor = frame.data, frame.data[0]
        if frame.id == frames.FIRMWARE_ID:
            return frames.firmware(self.firmware)
        if frame.id == frames.ASK_LIMITS_ID and 1 <= motor <= JOINTS:
            return [self._limits_of(motor)] if data[1] == 1 else [self._acceleration_of(motor)]
        if frame.id == frames.ASK_PARAMETERS_ID:
            return [self._parameters(data[0])]
        if frame.id in (frames.SET_END_SPEED_ID, frames.SET_GRIPPER_RANGE_ID):
            if frame.id == frames.SET_GRIPPER_RANGE_ID:
                self.stroke_m = data[1] / 1000.0
            return [frames.acknowledged(frame.id)]
        if frame.id == frames.SET_CRASH_LEVELS_ID:
            self.crash_levels = list(data[:JOINTS])
            return [frames.acknowledged(frame.id)]
        if frame.id == frames.SET_LIMITS_ID and 1 <= motor <= JOINTS:
            self._set_limits(motor - 1, data)
            return [frames.acknowledged(frame.id)]
        return []

    def _limits_of(self, motor: int) -> Frame:
        low, high = self.limits_rad[motor - 1]
        return frames.limits(motor, high, low, self.speeds_rad_s[motor - 1])

    def _acceleration_of(self, motor: int) -> Frame:
        return frames.acceleration(motor, self.accelerations_rad_s2[motor - 1])

    def _parameters(self, which: int) -> Frame:
        if which == _END_SPEED:
            return Frame(frames.END_SPEED_ID, struct.pack(">HHHH", 500, 200, 1000, 500))
        if which == _CRASH_LEVELS:
            return Frame(frames.CRASH_LEVELS_ID, bytes([*self.crash_levels, 0, 0]))
        if which == _GRIPPER_RANGE:
            return Frame(frames.GRIPPER_RANGE_ID, bytes([100, round(self.stroke_m * 1000.0), 1, 0, 0, 0, 0, 0]))
        return frames.acknowledged(frames.ASK_PARAMETERS_ID)

    def _set_limits(self, index: int, data: bytes) -> None:
        upper, lower, speed = struct.unpack(">hhH", data[1:7])
        low, high = self.limits_rad[index]
        self.limits_rad[index] = (
            low if lower == _UNCHANGED else math.radians(lower / 10.0),
            high if upper == _UNCHANGED else math.radians(upper / 10.0),
        )
        if speed != _UNCHANGED:
            self.speeds_rad_s[index] = speed / 1000.0
