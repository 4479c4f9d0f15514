"""What goes out on the bus; from one thread alone, since the SDK has one message for all that it sends."""

from __future__ import annotations

from typing import Any

CAN_CONTROL, MOVE_JOINTS, POSITION_SPEED = 0x01, 0x01, 0x00
GRIPPER_ON, GRIPPER_ON_AND_CLEARED = 0x01, 0x03
EMERGENCY_STOP = 0x01
REPEAT_ROUNDS = 10
"""What has not changed is said again after as many rounds, so that a lost frame does little."""


class Sender:
    """Targets of one arm, as few frames as they need.

    It knows no way to reset an arm (0x150 with 2), which would let it fall, and none to change its settings.
    """

    def __init__(self, sdk: Any, speed_percent: int, gripper_effort_nm: float) -> None:
        """Sends through an SDK interface.

        Args:
            sdk: Of the bus.
            speed_percent: Share of the controller's top speed.
            gripper_effort_nm: With which the gripper closes, N m.
        """
        self._sdk, self._speed_percent = sdk, speed_percent
        self._effort = round(gripper_effort_nm * 1000.0)
        self._sent: tuple[int, ...] = ()
        self._rounds = 0

    def take_control(self) -> None:
        """Asks for position-speed commands of joints over CAN; the next target clears errors of the gripper."""
        self._sdk.MotionCtrl_2(CAN_CONTROL, MOVE_JOINTS, self._speed_percent, POSITION_SPEED)
        self._sent = ()

    def send(self, units: tuple[int, ...]) -> None:
        """Sends a target, one round after the one before.

        Args:
            units: (7) whole 0.001 degrees, and micrometres of the gripper's opening.
        """
        again = self._rounds % REPEAT_ROUNDS == 0 or not self._sent
        self._rounds += 1
        if again:
            self._sdk.MotionCtrl_2(CAN_CONTROL, MOVE_JOINTS, self._speed_percent, POSITION_SPEED)
        if again or units[:-1] != self._sent[:-1]:
            self._sdk.JointCtrl(*units[:-1])
        if again or units[-1] != self._sent[-1]:
            code = GRIPPER_ON if self._sent else GRIPPER_ON_AND_CLEARED
            self._sdk.GripperCtrl(units[-1], self._effort, code, 0)
        self._sent = units

    def let_go(self) -> None:
        """Takes the power from all motors."""
        self._sdk.DisableArm(7)


def emergency_stop(sdk: Any) -> None:
    """Stops an arm that a leader drives, by the one frame that reaches it (0x150 with 1)."""
    sdk.EmergencyStop(EMERGENCY_STOP)
