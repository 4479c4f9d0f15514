"""What is wrong with an arm: faults, a mode that somebody else chose, a target not followed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array
from imove_hardware.piper.health import ArmHealth, ControlMode

LAG_RAD = 0.5
"""How far a joint may be from its target. At 3 rad/s an arm is a tenth of that behind; an arm that is this far away
meets something, or does not hear."""
LAG_PATIENCE_S = 0.5

ARM_STATES = {
    1: "is in emergency stop",
    2: "finds no solution for a pose",
    3: "is at a singularity",
    4: "refused a target beyond its own limits",
    5: "has lost the connection to a joint",
    6: "has a joint whose brake is closed",
    7: "has met an obstacle and protects itself",
    8: "was dragged too fast while being taught",
    9: "has a joint in error",
    10: "reports an error that it does not name",
    11: "records a lesson",
    12: "plays a lesson",
    13: "pauses a lesson",
    14: "has a controller that is too hot",
    15: "has a brake resistor that is too hot",
}
"""Byte 1 of 0x2A1, after "arm 'left' "."""
TARGET_REFUSED = frozenset((2, 3, 4))
"""States that pass with the next target that the arm takes."""
DRIVER_FLAGS = {
    0x01: "too little voltage",
    0x02: "a motor that is too hot",
    0x04: "too much current",
    0x08: "a driver that is too hot",
    0x10: "a collision",
    0x20: "a driver in error",
    0x80: "a motor that is blocked",
}
"""Bits of 0x261 to 0x266, byte 5; 0x40 says that the motor has power."""
NO_FAULTS = 0x40 | 0x80
GRIPPER_FLAGS = {**DRIVER_FLAGS, 0x10: "a sensor in error", 0x80: ""}
"""Bits of 0x2A8, byte 6; 0x40 says that the motor has power, 0x80 that its zero is known."""
CLEARABLE_GRIPPER_FLAGS = 0x04 | 0x10 | 0x20
"""Those that go when the gripper is enabled anew with its errors cleared, as the driver does after `resume`."""
MODES = {
    ControlMode.STANDBY: "stands by and takes no commands",
    ControlMode.TEACHING: "is being taught by hand (the button on the arm)",
    ControlMode.ETHERNET: "is commanded over Ethernet",
    ControlMode.WIFI: "is commanded over Wi-Fi",
    ControlMode.REMOTE: "is commanded by a remote control",
    ControlMode.LEADER: "is in leader mode, which an arm keeps from its time as one of a pair",
    ControlMode.OFFLINE_TRAJECTORY: "plays a stored trajectory",
    ControlMode.UNKNOWN: "is in a mode that the SDK does not know",
}
"""Modes in which the driver does not command, after "arm 'left' "."""


@dataclass(frozen=True)
class Fault:
    """Something that holds and locks the arm.

    Attributes:
        sentence: For people.
        passes: It goes with the next command that the arm takes, so that a person may go on over it.
        pushes: The arm presses against something, and would go on to.
    """

    sentence: str
    passes: bool = False
    pushes: bool = False


def fault_of(arm: str, health: ArmHealth, commanding: bool) -> Fault | None:
    """The first thing that is wrong with an arm, None where nothing is.

    Args:
        arm: Name of the arm.
        health: What it said last.
        commanding: Whether it has to be in the mode in which it takes commands over CAN.
    """
    silent = [f"joint{index + 1}" for index in range(6) if health.joint_faults >> index & 1]
    beyond = [f"joint{index + 1}" for index in range(6) if health.joint_faults >> 8 + index & 1]
    if health.state:
        what = ARM_STATES.get(health.state, f"reports state {health.state}, which no document names")
        where = f" ({', '.join(silent + beyond)})" if silent or beyond else ""
        return Fault(f"arm '{arm}' {what}{where}", passes=health.state in TARGET_REFUSED)
    for number, driver in enumerate(health.drivers, start=1):
        told = _flags(driver, DRIVER_FLAGS)
        if told:
            return Fault(f"joint{number} of arm '{arm}' reports {told}")
    told = _flags(health.gripper, GRIPPER_FLAGS)
    if told:
        clearable = not (health.gripper or 0) & ~(CLEARABLE_GRIPPER_FLAGS | NO_FAULTS)
        return Fault(f"the gripper of arm '{arm}' reports {told}", passes=clearable)
    standing_by = health.mode in (ControlMode.CAN, ControlMode.STANDBY)
    if health.mode is not None and (health.mode is not ControlMode.CAN if commanding else not standing_by):
        return Fault(f"arm '{arm}' {MODES[health.mode]}")
    return None


def _flags(code: int | None, names: dict[int, str]) -> str:
    return " and ".join(name for bit, name in names.items() if name and (code or 0) & bit)


class LagWatch:
    """Notices an arm that does not go where it is told to."""

    def __init__(self, arm: str, joint_names: tuple[str, ...]) -> None:
        """Watches the joints of these names."""
        self._arm, self._names = arm, joint_names
        self._since_s: float | None = None

    def start(self) -> None:
        """Forgets what was."""
        self._since_s = None

    def look(self, targets: Array, positions: Array, now_s: float) -> Fault | None:
        """What is wrong, if anything.

        Args:
            targets: (n,) joint targets, rad.
            positions: (n,) joint positions, rad.
            now_s: Steady time.
        """
        lag = np.abs(targets - positions)
        worst = int(np.argmax(lag))
        if lag[worst] < LAG_RAD:
            self._since_s = None
            return None
        if self._since_s is None:
            self._since_s = now_s
        if now_s - self._since_s < LAG_PATIENCE_S:
            return None
        return Fault(
            f"arm '{self._arm}' does not follow: {self._names[worst]} has been {lag[worst]:.2f} rad from its target "
            f"for {LAG_PATIENCE_S:g} s; it meets something, or its commands do not arrive",
            passes=True,
            pushes=True,
        )
