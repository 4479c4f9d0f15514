"""One emulated PiPER X: frames in, frames out, time handed in."""

from __future__ import annotations

import threading
from dataclasses import asdict
from typing import Any

import numpy as np

from imove_core.kinematics import flange_pose
from imove_core.transforms import rpy_from_rotation
from imove_description.arm_model import load_arm_model
from imove_hardware.emulation.piper import frames
from imove_hardware.emulation.piper.controller import Controller
from imove_hardware.emulation.piper.faults import ArmFaults
from imove_hardware.emulation.piper.feedback import FeedbackRates, Schedule
from imove_hardware.emulation.piper.frames import Frame
from imove_hardware.emulation.piper.plant import FirstOrderPlant, Plant, PlantState
from imove_hardware.emulation.piper.registers import JOINTS, Registers

#: A leader's feedback does not go where a follower's does; an arm left in that mode was seen at 0x3A*.
LEADER_SHIFT = 0x100
#: Longest step of the mechanics, s: after a pause of the process the arm does not leap.
MAX_STEP_S = 0.05
#: Supply in V, as it is and with a sagging supply; temperatures in deg C, as they are and above the limit.
VOLTS, LOW_VOLTS, WARM_DEGC, HOT_DEGC = 24.0, 17.0, 35, 92
#: Motor current in mA at rest with power.
HOLDING_MA = 800.0


class EmulatedPiper:
    """A PiPER X as its CAN plug shows it; safe to use from several threads.

    Attributes:
        name: What people call it.
        registers: Its settings; change them before it runs, or from frames.
    """

    def __init__(
        self,
        name: str,
        *,
        plant: Plant | None = None,
        registers: Registers | None = None,
        rates: FeedbackRates | None = None,
        leading: bool = False,
        model: str = "piper_x",
    ) -> None:
        """Creates an arm that has just been switched on.

        Args:
            name: What people call it.
            plant: Its mechanics; a first-order arm at rest where nothing is said.
            registers: Its settings; those of a PiPER X from the factory where nothing is said.
            rates: How often it sends what.
            leading: It was left in leader mode, which outlasts power.
            model: Name of the arm model whose kinematics give the pose of the flange.
        """
        self.name = name
        self.registers = registers or Registers()
        self._plant: Plant = plant or FirstOrderPlant()
        self._controller = Controller(self.registers, self._plant.state)
        if leading:
            self._controller.take(Frame(frames.LINKAGE_ID, bytes([0xFA, 0, 0, 0, 0, 0, 0, 0])), 0.0, from_leader=False)
        self._schedule = Schedule(rates or FeedbackRates())
        self._faults = ArmFaults()
        self._model = load_arm_model(model)
        self._stepped_s: float | None = None
        self._lock = threading.RLock()

    @property
    def leading(self) -> bool:
        """Whether the arm is in leader mode."""
        return self._controller.leading

    @property
    def state(self) -> PlantState:
        """What its encoders say."""
        with self._lock:
            return self._plant.state

    @property
    def faults(self) -> ArmFaults:
        """The faults in force."""
        return self._faults

    @faults.setter
    def faults(self, faults: ArmFaults) -> None:
        with self._lock:
            self._faults = faults

    @property
    def next_s(self) -> float:
        """When the arm wants to send something again."""
        return self._schedule.next_s

    def guide(self, joints_rad: tuple[float, ...], opening_m: float) -> None:
        """Puts the arm where a person's hand has it; of use for leaders and arms that are taught."""
        with self._lock:
            self._plant.guide(joints_rad, opening_m)

    def report(self) -> dict[str, Any]:
        """What the arm was told and how it is, as plain data."""
        with self._lock:
            controller, state = self._controller, self._plant.state
            return {
                "name": self.name,
                "joints_rad": list(state.joints_rad),
                "opening_m": state.opening_m,
                "mode": controller.mode,
                "leading": controller.leading,
                "stopped": controller.stopped,
                "powered": list(controller.powered),
                "faults": self._faults.model_dump(),
                "heard": asdict(controller.heard),
            }

    def receive(self, frame: Frame, now_s: float, from_leader: bool = False) -> list[Frame]:
        """Takes a frame of the line and returns the answers to it.

        Args:
            frame: What came.
            now_s: When.
            from_leader: It came from an arm that leads.
        """
        with self._lock:
            if self._faults.mute:
                return []
            if self._controller.take(frame, now_s, from_leader):
                self._faults = self._faults.model_copy(update={"collided_joints": ()})
            if frame.id == frames.SET_JOINT_ID:
                zeroed = self._set_joint(frame.data)
                return [frames.acknowledged(frame.id, zeroed)]
            return self.registers.answer(frame)

    def advance(self, now_s: float) -> list[Frame]:
        """Moves the arm on to `now_s` and returns what it sends then."""
        with self._lock:
            dt_s = 0.0 if self._stepped_s is None else min(max(now_s - self._stepped_s, 0.0), MAX_STEP_S)
            self._stepped_s = now_s
            drive = self._controller.drive(self._plant.state, dt_s, self._faults.halts)
            state = self._plant.step(drive, dt_s)
            due = self._schedule.due(now_s)
            return [] if self._faults.mute or not due else self._feedback(due, state)

    def _set_joint(self, data: bytes) -> bool:
        """0x475: zero of a motor (byte 1), its largest acceleration (bytes 2-4), its errors (byte 5)."""
        motors = range(1, JOINTS + 1) if data[0] == 7 else range(data[0], data[0] + 1)
        for motor in motors:
            if data[2] == 0xAE and 1 <= motor <= JOINTS and (raw := int.from_bytes(data[3:5], "big")) != 0x7FFF:
                self.registers.accelerations_rad_s2[motor - 1] = raw / 1000.0
            if data[5] == 0xAE:
                kept = tuple(joint for joint in self._faults.collided_joints if joint != motor)
                self._faults = self._faults.model_copy(update={"collided_joints": kept})
        return data[1] == 0xAE

    def _feedback(self, due: set[str], state: PlantState) -> list[Frame]:
        controller, sent = self._controller, []
        shift = controller.feedback_offset or (LEADER_SHIFT if controller.leading else 0)
        joints = [frames.millidegrees(angle) for angle in state.joints_rad]
        opening_um = round(state.opening_m * 1e6)
        if "status" in due:
            sent.append(self._status(frames.STATUS_ID + shift))
        if "pose" in due:
            sent += frames.pairs(frames.POSE_ID + shift, self._pose(state))
        if "joints" in due:
            sent += frames.pairs(frames.JOINT_FEEDBACK_ID + shift, joints)
        if "gripper" in due:
            effort_mnm = round(state.effort_nm * 1000.0)
            base = frames.GRIPPER_FEEDBACK_ID + shift
            sent.append(frames.gripper(opening_um, effort_mnm, self._gripper_flags(), base))
        if "motors" in due:
            sent += [
                frames.motor_fast(motor, speed, HOLDING_MA if controller.powered[motor - 1] else 0.0, joints[motor - 1])
                for motor, speed in enumerate(state.speeds_rad_s, start=1)
                if motor not in self._faults.silent_joints
            ]
        if "drivers" in due:
            sent += [self._driver(motor) for motor in range(1, JOINTS + 1) if motor not in self._faults.silent_joints]
        if "leading" in due and controller.leading:
            offset = controller.linkage_offset
            mode = bytes([frames.CAN_CONTROL, frames.MOVE_JOINTS, 100, frames.HIGH_FOLLOW, 0, 0, 0, 0])
            sent.append(Frame(frames.MODE_ID + offset, mode))
            sent += frames.pairs(frames.JOINTS_12_ID + offset, joints)
            grip = opening_um.to_bytes(4, "big", signed=True) + (1000).to_bytes(2, "big") + bytes([1, 0])
            sent.append(Frame(frames.GRIPPER_ID + offset, grip))
        return sent

    def _status(self, base: int) -> Frame:
        controller, faults = self._controller, self._faults
        state = (
            frames.STOPPED
            if controller.stopped
            else frames.JOINT_SILENT
            if faults.silent_joints
            else frames.COLLISION
            if faults.collided_joints
            else frames.JOINT_ERROR
            if faults.hot_joints
            else frames.OVER_LIMIT
            if controller.over_limit
            else frames.NORMAL
        )
        return frames.status(
            mode=controller.mode,
            state=state,
            move=controller.move,
            teaching=controller.teaching,
            moving=controller.moving,
            over_limit=controller.over_limit,
            silent=sum(1 << joint - 1 for joint in faults.silent_joints),
            base=base,
        )

    def _driver(self, motor: int) -> Frame:
        faults, hot = self._faults, motor in self._faults.hot_joints
        flags = frames.ENABLED_BIT if self._controller.powered[motor - 1] else 0
        flags |= frames.COLLIDED_BIT if motor in faults.collided_joints else 0
        flags |= frames.MOTOR_HOT_BIT if hot else 0
        flags |= frames.LOW_VOLTAGE_BIT if faults.low_voltage else 0
        volts = LOW_VOLTS if faults.low_voltage else VOLTS
        return frames.motor_slow(motor, volts, WARM_DEGC, HOT_DEGC if hot else WARM_DEGC, flags, 300)

    def _gripper_flags(self) -> int:
        flags = frames.ENABLED_BIT if self._controller.gripper_powered else 0
        flags |= frames.HOMED_BIT if self._controller.gripper_homed else 0
        return flags | (frames.LOW_VOLTAGE_BIT if self._faults.low_voltage else 0)

    def _pose(self, state: PlantState) -> list[int]:
        base_from_flange = flange_pose(self._model, np.array(state.joints_rad))
        angles = rpy_from_rotation(base_from_flange[:3, :3])
        return [
            *(round(value * 1e6) for value in base_from_flange[:3, 3]),
            *(frames.millidegrees(value) for value in angles),
        ]
