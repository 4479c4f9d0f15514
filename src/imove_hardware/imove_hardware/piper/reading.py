"""One consistent copy of what an arm says: joints of one cycle, with speeds, efforts and gripper, in SI units.

An arm tells its six joints in three frames, and the SDK keeps them in one object with one time stamp, so that a look at
it may mix two cycles. Here a cycle counts only when its frames came in order and close together, and it is copied in
the thread that parses, before another frame can change it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core.transforms import Array

JOINTS = 6
FEEDBACK_IDS = (0x2A5, 0x2A6, 0x2A7)
LEADER_IDS = (0x155, 0x156, 0x157)
GRIPPER_ID = 0x2A8
LEADER_GRIPPER_ID = 0x159
MOTOR_IDS = tuple(range(0x251, 0x257))

RAD_PER_UNIT = math.radians(0.001)
"""Joints come in 0.001 degrees. Of other constants for it that are about, 0.017444 is 0.05 % wrong."""
METRES_PER_UNIT = 1e-6
SI_PER_UNIT = 1e-3
"""Speeds come in 0.001 rad/s, efforts in 0.001 N m."""

CYCLE_S = 0.02
"""Frames of one cycle are less than 1 ms apart on a bus; a busy emulator may be interrupted between them."""
FRESH_S = 0.1
"""Speeds of motors that are older are not told; some cycles even of an emulated arm with few frames."""
PLAUSIBLE_AHEAD_S, PLAUSIBLE_BEHIND_S = 0.01, 1.0
"""How far a frame's time may be from this machine's: a CAN server may have a clock of its own."""
NS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Reading:
    """What an arm says at one time.

    Attributes:
        stamp_ns: When the last joint frame of the cycle arrived, ns since the epoch.
        positions: (7,) rad, and m of the gripper's opening.
        velocities: (7,) rad/s, m/s.
        efforts: (7,) N m; of the gripper it is the motor's torque. 0 where the arm does not say.
    """

    stamp_ns: int
    positions: Array
    velocities: Array
    efforts: Array


class CycleWatch:
    """Tells when a whole cycle of three joint frames has come, and counts those that were broken."""

    def __init__(self, ids: tuple[int, int, int]) -> None:
        """Waits for frames of these identifiers, in this order."""
        self._ids = ids
        self._next = 0
        self._first_s = 0.0
        self.mixed = 0
        """Cycles of which a frame was lost or late."""

    def whole(self, frame_id: int, stamp_s: float) -> bool:
        """Whether this frame, with the time stamp that it has, is the last one of a whole cycle."""
        position = self._ids.index(frame_id)
        if position == 0:
            self.mixed += self._next != 0
            self._first_s, self._next = stamp_s, 1
            return False
        in_order = position == self._next and stamp_s - self._first_s <= CYCLE_S
        self.mixed += not in_order
        self._next = position + 1 if in_order and position + 1 < len(self._ids) else 0
        return in_order and self._next == 0


class JointReader:
    """Makes readings of the frames of one arm; used in the thread that parses them."""

    def __init__(
        self,
        ids: tuple[int, int, int],
        gripper_id: int,
        positions: Callable[[], tuple[Array, float]],
        motors: Callable[[], tuple[Array, Array]],
    ) -> None:
        """Reads the arm of these identifiers.

        Args:
            ids: Of its joint frames.
            gripper_id: Of its gripper's frames.
            positions: Copies (7,) positions and the gripper's effort out of the SDK.
            motors: Copies (6,) speeds and (6,) efforts out of the SDK.
        """
        self._cycle, self._ids, self._gripper_id = CycleWatch(ids), frozenset(ids), gripper_id
        self._copy_positions, self._copy_motors = positions, motors
        self._motor_s = np.full(JOINTS, -math.inf)
        self._gripper_seen = False
        self._before: tuple[float, Array] | None = None

    @property
    def mixed(self) -> int:
        """Cycles that were refused, since a frame of them was lost or late."""
        return self._cycle.mixed

    def frame(self, frame_id: int, stamp_s: float) -> Reading | None:
        """The reading that a frame completes, None where it completes none."""
        if frame_id in self._ids:
            if self._cycle.whole(frame_id, stamp_s) and self._gripper_seen:
                return self._reading(stamp_s)
        elif frame_id == self._gripper_id:
            self._gripper_seen = True
        elif frame_id in MOTOR_IDS:
            self._motor_s[frame_id - MOTOR_IDS[0]] = stamp_s
        return None

    def _reading(self, stamp_s: float) -> Reading:
        positions, grip_nm = self._copy_positions()
        velocities, efforts = self._differences(stamp_s, positions), np.zeros(JOINTS + 1)
        efforts[-1] = grip_nm
        fresh = stamp_s - self._motor_s < FRESH_S
        if fresh.any():
            speeds, torques = self._copy_motors()
            velocities[:JOINTS] = np.where(fresh, speeds, velocities[:JOINTS])
            efforts[:JOINTS] = np.where(fresh, torques, 0.0)
        self._before = stamp_s, positions
        return Reading(plausible_stamp_ns(stamp_s, time.time_ns()), positions, velocities, efforts)

    def _differences(self, stamp_s: float, positions: Array) -> Array:
        """Speeds (7,) since the reading before: of the gripper, which tells none, and of motors that are silent."""
        if self._before is None or not 0.0 < stamp_s - self._before[0] < FRESH_S:
            return np.zeros(JOINTS + 1)
        speeds: Array = (positions - self._before[1]) / (stamp_s - self._before[0])
        return speeds


def plausible_stamp_ns(stamp_s: float, now_ns: int) -> int:
    """A frame's time in ns since the epoch; the present where the frame's clock is another one."""
    stamp_ns = round(stamp_s * NS)
    return stamp_ns if -PLAUSIBLE_BEHIND_S * NS <= stamp_ns - now_ns <= PLAUSIBLE_AHEAD_S * NS else now_ns


def feedback_reader(sdk: Any, effort_scale: Callable[[], float] = lambda: 1.0) -> JointReader:
    """Reads the arm itself.

    Args:
        sdk: Of its bus.
        effort_scale: By which the SDK's efforts of joints 1 to 3 are multiplied (`checks.effort_scale`).
    """

    def positions() -> tuple[Array, float]:
        joints, gripper = sdk.GetArmJointMsgs().joint_state, sdk.GetArmGripperMsgs().gripper_state
        return _si(joints, gripper), gripper.grippers_effort * SI_PER_UNIT

    def motors() -> tuple[Array, Array]:
        states = sdk.GetMotorStates()
        each = [getattr(states, f"motor_{number}") for number in range(1, JOINTS + 1)]
        efforts = np.array([motor.effort for motor in each]) * SI_PER_UNIT
        efforts[:3] *= effort_scale()
        return np.array([motor.motor_speed for motor in each]) * SI_PER_UNIT, efforts

    return JointReader(FEEDBACK_IDS, GRIPPER_ID, positions, motors)


def leader_reader(sdk: Any) -> JointReader:
    """Reads a leader, which tells where it is by the commands that it sends to its follower."""

    def positions() -> tuple[Array, float]:
        # The effort that comes with it is the one that its follower may use.
        return _si(sdk.GetArmJointCtrl().joint_ctrl, sdk.GetArmGripperCtrl().gripper_ctrl), 0.0

    def motors() -> tuple[Array, Array]:
        return np.zeros(JOINTS), np.zeros(JOINTS)

    return JointReader(LEADER_IDS, LEADER_GRIPPER_ID, positions, motors)


def _si(joints: Any, gripper: Any) -> Array:
    units = [getattr(joints, f"joint_{number}") for number in range(1, JOINTS + 1)]
    return np.array([*(unit * RAD_PER_UNIT for unit in units), gripper.grippers_angle * METRES_PER_UNIT])
