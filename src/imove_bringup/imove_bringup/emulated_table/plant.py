"""Mechanics of an emulated arm that stands in the simulated table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.transforms import Array
from imove_hardware.emulation.piper.plant import REST_RAD, Drive, PlantState

#: Turns the clamping force of the simulated fingers (N) into what a gripper's motor reports (N m); ours.
GRIPPER_LEVER_M = 0.05
#: Speed at which a joint that lost its power sinks, rad/s.
FALL_SPEED_RAD_S = 0.5


@dataclass(frozen=True)
class ArmReading:
    """An arm at one control step of the simulation; the gripper's opening is the last of its values.

    Attributes:
        positions: (size,) rad and m.
        velocities: (size,) rad/s and m/s.
        grip_n: Clamping force.
    """

    positions: Array
    velocities: Array
    grip_n: float


@dataclass(frozen=True)
class _Window:
    """What happens between two control steps."""

    start_s: float
    end_s: float
    before: ArmReading
    after: ArmReading

    def at(self, now_s: float) -> PlantState:
        share = min(max((now_s - self.start_s) / (self.end_s - self.start_s), 0.0), 1.0)
        positions = self.before.positions + share * (self.after.positions - self.before.positions)
        speeds = self.before.velocities + share * (self.after.velocities - self.before.velocities)
        effort_nm = abs(self.after.grip_n) * GRIPPER_LEVER_M
        return PlantState(tuple(positions[:-1].tolist()), tuple(speeds[:-1].tolist()), float(positions[-1]), effort_nm)


class TablePlant:
    """Hands what the controller asks to the simulation, and what comes of it back.

    Two threads use it: that of the CAN lines calls `step`, that of the simulation `target` and `show`. Each value is
    passed as a whole.
    """

    def __init__(self, positions: Array, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts where the arm stands.

        Args:
            positions: (size,) joints in rad and the opening in m.
            clock: Monotonic time in s, the one of `show`.
        """
        self._clock = clock
        still = ArmReading(positions, np.zeros_like(positions), 0.0)
        now_s = clock()
        self._window = _Window(now_s, now_s + 1.0, still, still)
        self._drive: Drive | None = None
        self._had_power = False
        self._target = positions.copy()

    @property
    def state(self) -> PlantState:
        """What the encoders say now."""
        return self._window.at(self._clock())

    def step(self, drive: Drive, dt_s: float) -> PlantState:
        """Takes what the controller asks; the simulation goes on by itself."""
        self._drive = drive
        return self.state

    def guide(self, joints_rad: tuple[float, ...], opening_m: float) -> None:
        """Refuses: a hand cannot reach into the simulation."""
        raise ImoveError("an arm of the emulated table cannot be guided by hand; guide its leader")

    def target(self, period_s: float) -> Array:
        """Where the simulated servos shall be one control period from now (size,).

        Joints that had power and lost it sink; an arm that was never powered lies where it was put.
        """
        drive = self._drive
        if drive is None:
            return self._target
        self._had_power = self._had_power or any(drive.powered)
        target = self._target.copy()
        for index, powered in enumerate(drive.powered):
            if powered:
                target[index] = drive.joints_rad[index]
            elif self._had_power:
                sink = FALL_SPEED_RAD_S * period_s
                target[index] += min(max(REST_RAD[index] - target[index], -sink), sink)
        if drive.opening_m is not None:
            target[-1] = drive.opening_m
        self._target = target
        return target

    def show(self, start_s: float, end_s: float, before: ArmReading, after: ArmReading) -> None:
        """Says what happens between two times, so that feedback at any rate is smooth."""
        self._window = _Window(start_s, end_s, before, after)
