"""How an arm is: its mode and state, its motors' drivers and its gripper, copied frame by frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeVar

JOINTS = 6
STATUS_ID = 0x2A1
GRIPPER_ID = 0x2A8
DRIVER_IDS = tuple(range(0x261, 0x267))
ENABLED_BIT = 0x40
Value = TypeVar("Value")


class ControlMode(IntEnum):
    """Who commands the arm, byte 0 of 0x2A1."""

    STANDBY = 0
    CAN = 1
    TEACHING = 2
    ETHERNET = 3
    WIFI = 4
    REMOTE = 5
    LEADER = 6
    OFFLINE_TRAJECTORY = 7
    UNKNOWN = 0xFF


@dataclass(frozen=True)
class ArmHealth:
    """What the frames about an arm's health said last.

    Attributes:
        mode: Who commands it; None before it has said so.
        state: 0 where all is well (byte 1 of 0x2A1).
        joint_faults: Bits of joints beyond their limits (high byte) and of joints that do not answer (low byte).
        drivers: Status byte of each joint's driver, None before it has said anything.
        gripper: Status byte of the gripper, None before it has said anything.
        temperatures_c: Of each joint's motor, NaN before it has said anything.
    """

    mode: ControlMode | None = None
    state: int = 0
    joint_faults: int = 0
    drivers: tuple[int | None, ...] = (None,) * JOINTS
    gripper: int | None = None
    temperatures_c: tuple[float, ...] = (math.nan,) * JOINTS

    @property
    def powered(self) -> tuple[bool, ...]:
        """Whether each joint's motor has power."""
        return tuple(bool((driver or 0) & ENABLED_BIT) for driver in self.drivers)

    @property
    def all_powered(self) -> bool:
        """Whether all motors have power."""
        return all(self.powered)

    @property
    def known(self) -> bool:
        """Whether the arm and all its drivers have said how they are."""
        return self.mode is not None and self.gripper is not None and None not in self.drivers


class HealthReader:
    """Keeps the newest health; used in the thread that parses frames, and read from any."""

    def __init__(self, sdk: Any) -> None:
        """Reads the arm behind an SDK interface."""
        self._sdk = sdk
        self.health = ArmHealth()
        """The newest."""

    def frame(self, frame_id: int) -> None:
        """Takes over what a frame has changed."""
        health = self.health
        if frame_id == STATUS_ID:
            status = self._sdk.GetArmStatus().arm_status
            mode, state = ControlMode(int(status.ctrl_mode)), int(status.arm_status)
            self.health = replace(health, mode=mode, state=state, joint_faults=status.err_code)
        elif frame_id in DRIVER_IDS:
            index = frame_id - DRIVER_IDS[0]
            motor = getattr(self._sdk.GetArmLowSpdInfoMsgs(), f"motor_{index + 1}")
            self.health = replace(
                health,
                drivers=_with(health.drivers, index, motor.foc_status_code),
                temperatures_c=_with(health.temperatures_c, index, float(motor.motor_temp)),
            )
        elif frame_id == GRIPPER_ID:
            self.health = replace(health, gripper=self._sdk.GetArmGripperMsgs().gripper_state.status_code)


def _with(values: tuple[Value, ...], index: int, value: Value) -> tuple[Value, ...]:
    return (*values[:index], value, *values[index + 1 :])
