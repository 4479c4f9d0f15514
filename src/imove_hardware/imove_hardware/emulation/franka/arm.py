"""A Franka under a trajectory controller that commands torques: dynamics, limits, reflexes, recovery.

What is emulated is what the adapter meets: an arm that lags behind its target, trips where it is driven too hard, and
then says and takes nothing until it has recovered and its hardware interface is active again, as with franka_ros2 2.5
over ros2_control of Jazzy and later. Masses, friction and gravity are not the vendor's.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_hardware.emulation.franka.controller import EmulatedController, Trajectory
from imove_hardware.franka.spline import State
from imove_hardware.franka.watching import RobotHealth, RobotMode

STEP_NS = 1_000_000
_STIFFNESS = np.array([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0])
_DAMPING = np.array([30.0, 30.0, 30.0, 30.0, 10.0, 10.0, 5.0])
"""Gains of fr3_arm_controller in franka_ros2's MoveIt configuration, N m/rad and N m s/rad."""
_INERTIA = np.array([0.8, 0.8, 0.6, 0.6, 0.12, 0.12, 0.06])
"""About a stretched arm's, kg m^2; ours."""
TORQUE_STEP_NM = 15.0
"""More in one millisecond trips the emulated arm, as 25 mrad would at the first joint. franka_ros2 smooths a step
before it reaches a real arm, which then shakes: one that passes here does not."""
RECOVERY_NS = 300_000_000
LAST_WORDS_NS = 50_000_000
"""How long an arm that has stopped by itself is still heard; ours."""
BEHIND_NS = 2_000_000_000
"""A process that was stopped for longer does not catch up on what it missed."""


class EmulatedFranka:
    """One arm and its controller; not safe for several threads."""

    def __init__(self, arm: Arm, joint_names: tuple[str, ...], now_ns: int, reflexes: bool = True) -> None:
        """Stands at home, ready to move.

        Args:
            arm: Of the rig.
            joint_names: As its controller calls the joints.
            now_ns: The present.
            reflexes: Whether it trips where it is driven too hard; a busy machine hands over late what one that is made
                for it hands over in time, which looks like a jump.
        """
        count = len(joint_names)
        self._low, self._high = arm.limits[:count].T
        self._most = arm.velocity_limits[:count]
        self._torques = arm.arm_model.effort_limits
        self.positions: Array = np.array(arm.home)
        self.velocities: Array = np.zeros(count)
        self.efforts: Array = np.zeros(count)
        """(n,) rad, rad/s, N m."""
        self.controller = EmulatedController(joint_names, self.positions)
        """Of the arm; it takes nothing while the arm does not move."""
        self.mode = RobotMode.MOVE
        """What the arm's controller does."""
        self.largest_torque_step_nm = 0.0
        """In one millisecond, so far."""
        self._errors: tuple[str, ...] = ()
        self._last_errors: tuple[str, ...] = ()
        self._now_ns, self._recovered_ns, self._stopped_ns = now_ns, 0, 0
        self._active, self._reflexes = True, reflexes
        self._wanted_torques: Array | None = None
        self.refusals: deque[str] = deque(maxlen=100)
        """Why trajectories were not taken."""

    @property
    def health(self) -> RobotHealth:
        """What the arm says of itself."""
        return RobotHealth(self.mode, self._errors, self._last_errors)

    @property
    def reference(self) -> State:
        """Where the controller wants the arm, position and velocity (n,) each."""
        return self.controller.sample(self._now_ns)

    @property
    def controlled(self) -> bool:
        """Whether the controller runs."""
        return self._active

    @property
    def ready(self) -> bool:
        """Whether the hardware interface can be activated, or is active."""
        return self._active or self.mode is RobotMode.IDLE

    @property
    def heard(self) -> bool:
        """Whether the hardware interface hands on what the arm says."""
        return self._active or self._now_ns - self._stopped_ns < LAST_WORDS_NS

    def accept(self, trajectory: Trajectory, now_ns: int) -> None:
        """Lets the controller take a trajectory that comes now; one that does not run hears nothing."""
        self.advance(now_ns)
        if self.controlled:
            refusal = self.controller.accept(trajectory, (self.positions, self.velocities), now_ns)
            if refusal:
                self.refusals.append(refusal)

    def advance(self, now_ns: int) -> None:
        """Lets time pass until now."""
        self._now_ns = max(self._now_ns, now_ns - BEHIND_NS)
        while self._now_ns + STEP_NS <= now_ns:
            self._now_ns += STEP_NS
            self._step()

    def trip(self, error: str) -> None:
        """Sets an error, such as `joint_reflex` of a collision: the arm stops, its hardware interface ends."""
        self._errors, self._last_errors = (error,), (error,)
        self._stop(RobotMode.REFLEX)

    def press_stop(self, pressed: bool) -> None:
        """Presses or releases the activation device, which ends the hardware interface as well."""
        if pressed:
            self._stop(RobotMode.USER_STOPPED)
        elif self.mode is RobotMode.USER_STOPPED:
            self.mode = RobotMode.IDLE

    def recover(self) -> str:
        """Begins to recover from an error; returns why not, "" where it does."""
        if self.mode is not RobotMode.REFLEX:
            return f"the arm is in mode {self.mode.name.lower()}, not in reflex"
        self.mode, self._recovered_ns = RobotMode.AUTOMATIC_ERROR_RECOVERY, self._now_ns + RECOVERY_NS
        return ""

    def activate(self) -> str:
        """Activates the hardware interface and the controller; returns why not, "" where it is done."""
        if self._active:
            return ""
        if not self.ready:
            return f"the arm is in mode {self.mode.name.lower()}, not idle"
        self.mode, self._active = RobotMode.MOVE, True
        self.controller.hold(self.positions, self._now_ns)
        return ""

    def _stop(self, mode: RobotMode) -> None:
        self.mode, self._active, self._stopped_ns, self._wanted_torques = mode, False, self._now_ns, None

    def _step(self) -> None:
        if self.mode is RobotMode.AUTOMATIC_ERROR_RECOVERY and self._now_ns >= self._recovered_ns:
            self.mode, self._errors = RobotMode.IDLE, ()
        if not self._active:
            # The brakes are hard.
            self.velocities, self.efforts = np.zeros_like(self.velocities), np.zeros_like(self.efforts)
            return
        wanted, speeds = self.controller.sample(self._now_ns)
        torques = _STIFFNESS * (wanted - self.positions) + _DAMPING * (speeds - self.velocities)
        if self._wanted_torques is not None:
            step_nm = float(np.max(np.abs(torques - self._wanted_torques)))
            self.largest_torque_step_nm = max(self.largest_torque_step_nm, step_nm)
            if self._reflexes and step_nm > TORQUE_STEP_NM:
                self.trip("controller_torque_discontinuity")
                return
        self._wanted_torques = torques
        self.efforts = np.clip(torques, -self._torques, self._torques)
        seconds = STEP_NS / 1e9
        self.velocities = self.velocities + self.efforts / _INERTIA * seconds
        self.positions = self.positions + self.velocities * seconds
        if not self._reflexes:
            return
        if np.any(np.abs(self.velocities) > self._most):
            self.trip("joint_velocity_violation")
        elif np.any((self.positions < self._low) | (self.positions > self._high)):
            self.trip("joint_position_limits_violation")
