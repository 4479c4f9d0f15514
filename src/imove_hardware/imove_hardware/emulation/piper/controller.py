"""The controller of an emulated arm: its modes, and how it turns commands into what the motors shall do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from imove_hardware.emulation.piper import frames
from imove_hardware.emulation.piper.frames import Frame
from imove_hardware.emulation.piper.plant import Drive, PlantState
from imove_hardware.emulation.piper.registers import JOINTS, Registers

#: Speed of the gripper's opening, m/s; ours, as no vendor states it.
GRIPPER_SPEED_M_S = 0.25
#: Largest effort that 0x159 may ask for, 0.001 N m.
MAX_EFFORT_MNM = 5000
#: A follower heeds its leader alone until the leader has said nothing for so long, s; ours.
LEADER_HOLD_S = 0.1
_ARRIVED_RAD = math.radians(0.1)
_ALL_MOTORS = (7, 0xFF)


@dataclass
class Heard:
    """What the arm was told, for checks of those who command it.

    Attributes:
        targets: Complete joint targets taken.
        refused: Complete joint targets that passed a limit.
        largest_step_rad: Largest change of a joint between a target and the one before it.
        last_target_s: When the last target was taken, on the clock of the emulator.
        stops: 0x150 with an emergency stop.
        resets: 0x150 with a reset, which drops the arm.
    """

    targets: int = 0
    refused: int = 0
    largest_step_rad: float = 0.0
    last_target_s: float = float("-inf")
    stops: int = 0
    resets: int = 0


class Controller:
    """Modes, motors, targets and set-points of one arm.

    How fast a set-point runs to its target, that a target past a limit is refused as a whole, and that a led follower
    powers its motors by itself are guesses; the vendor documents none of them.
    """

    def __init__(self, registers: Registers, state: PlantState) -> None:
        """Creates the controller of an arm that has just been switched on: standing by, motors without power."""
        self._registers = registers
        self.heard = Heard()
        self.mode, self.move, self.teaching = frames.STANDBY, 0, 0
        self.speed_percent = 0
        self.high_follow = self.stopped = self.leading = False
        self.powered = [False] * JOINTS
        self.over_limit = 0
        self.feedback_offset = self.control_offset = self.linkage_offset = 0
        self.gripper_powered, self.gripper_homed, self.effort_nm = False, True, 0.0
        self._staged: dict[int, tuple[int, int]] = {}
        self.targets = list(state.joints_rad)
        self._setpoints = list(state.joints_rad)
        self._opening_target = self._opening = state.opening_m
        self._led_until_s = float("-inf")

    @property
    def moving(self) -> bool:
        """Whether the arm is on its way."""
        return any(abs(target - at) > _ARRIVED_RAD for target, at in zip(self.targets, self._setpoints, strict=True))

    def take(self, frame: Frame, now_s: float, from_leader: bool) -> bool:
        """Obeys a command.

        Args:
            frame: What came.
            now_s: When.
            from_leader: It came from an arm of this line that leads.

        Returns:
            Whether the collisions that the arm met are forgiven, as a reset does.
        """
        number = self._plain(frame.id)
        if number == frames.STOP_ID:
            return self._stop(frame.data)
        if number == frames.ENABLE_ID:
            self._power(frame.data[0], on=frame.data[1] == 2)
        elif number == frames.LINKAGE_ID:
            self._link(frame.data)
        elif self.leading:
            return False
        elif from_leader:
            self._follow_leader(now_s)
        elif now_s < self._led_until_s:
            # The leader wins: what a PC sends meanwhile has no effect.
            return False
        if number == frames.MODE_ID:
            self.mode, self.move, self.speed_percent = frame.data[0], frame.data[1], min(frame.data[2], 100)
            self.high_follow = frame.data[3] == frames.HIGH_FOLLOW
            if self.mode != frames.CAN_CONTROL:
                self.hold()
        elif number in (frames.JOINTS_12_ID, frames.JOINTS_34_ID, frames.JOINTS_56_ID):
            self._staged[number] = frames.pair(frame.data)
            if number == frames.JOINTS_56_ID and len(self._staged) == JOINTS // 2:
                self._accept(now_s)
        elif number == frames.GRIPPER_ID:
            self._take_gripper(frames.gripper_command(frame.data))
        return False

    def hold(self) -> None:
        """Stays where the set-points are."""
        self.targets = list(self._setpoints)
        self._opening_target = self._opening

    def drive(self, state: PlantState, dt_s: float, halted: bool) -> Drive:
        """Moves the set-points on by `dt_s` and returns what the motors shall do.

        Args:
            state: What the encoders say.
            dt_s: Time since the last call.
            halted: A fault holds the arm where it is.
        """
        if self.stopped or halted:
            self.hold()
        percent = 100 if self.high_follow else self.speed_percent
        for index in range(JOINTS):
            if self.leading or not self.powered[index]:
                self._setpoints[index] = self.targets[index] = state.joints_rad[index]
                continue
            step = self._registers.speeds_rad_s[index] * percent / 100.0 * dt_s
            gap = self.targets[index] - self._setpoints[index]
            self._setpoints[index] += max(-step, min(step, gap))
        if self.gripper_powered and not self.leading:
            step = GRIPPER_SPEED_M_S * dt_s
            self._opening += max(-step, min(step, self._opening_target - self._opening))
        else:
            self._opening = self._opening_target = state.opening_m
        opening = self._opening if self.gripper_powered else None
        # A leader bears its own weight and otherwise yields to the hand that guides it.
        powered = tuple(self.leading or on for on in self.powered)
        return Drive(tuple(self._setpoints), powered, opening, self.effort_nm)

    def _plain(self, number: int) -> int:
        """The identifier without the shift that 0x470 may have put on commands."""
        shifted = number - self.control_offset
        return shifted if frames.STOP_ID <= shifted <= frames.STOP_ID + 0xF else number

    def _stop(self, data: bytes) -> bool:
        if data[0] == 1:
            self.stopped = True
            self.heard.stops += 1
            self.hold()
        elif data[0] == 2:
            self.heard.resets += 1
            self.stopped, self.mode, self.over_limit = False, frames.STANDBY, 0
            self.powered, self.gripper_powered = [False] * JOINTS, False
        if data[2] in (1, 2):
            self.teaching = data[2]
            self.mode = frames.TEACHING if data[2] == 1 else frames.STANDBY
        return data[0] == 2

    def _power(self, motor: int, on: bool) -> None:
        if on and self.stopped:
            return
        for index in range(JOINTS) if motor in _ALL_MOTORS else range(motor - 1, motor):
            if 0 <= index < JOINTS:
                self.powered[index] = on
        if motor in _ALL_MOTORS:
            self.gripper_powered = on

    def _link(self, data: bytes) -> None:
        if data[0] in (0xFA, 0xFC):
            self.leading = data[0] == 0xFA
            self.mode = frames.LEADING if self.leading else frames.STANDBY
        self.feedback_offset, self.control_offset, self.linkage_offset = data[1:4]

    def _follow_leader(self, now_s: float) -> None:
        if now_s >= self._led_until_s:
            self._power(_ALL_MOTORS[0], on=True)
        self._led_until_s = now_s + LEADER_HOLD_S

    def _accept(self, now_s: float) -> None:
        targets = [frames.radians(value) for number in sorted(self._staged) for value in self._staged[number]]
        self._staged = {}
        if self.stopped or self.mode != frames.CAN_CONTROL or self.move != frames.MOVE_JOINTS:
            return
        self.over_limit = self._registers.outside(targets)
        if self.over_limit:
            self.heard.refused += 1
            return
        step = max(abs(new - old) for new, old in zip(targets, self.targets, strict=True))
        self.heard.targets += 1
        self.heard.last_target_s = now_s
        self.heard.largest_step_rad = max(self.heard.largest_step_rad, step)
        self.targets = targets

    def _take_gripper(self, command: frames.GripperCommand) -> None:
        if command.zero == 0xAE:
            self._opening = self._opening_target = 0.0
            self.gripper_homed = True
        if self.stopped:
            return
        self.gripper_powered = command.code in (1, 3)
        self.effort_nm = min(command.effort_mnm, MAX_EFFORT_MNM) / 1000.0
        if self.gripper_powered:
            self._opening_target = max(0.0, min(self._registers.stroke_m, command.opening_um * 1e-6))
