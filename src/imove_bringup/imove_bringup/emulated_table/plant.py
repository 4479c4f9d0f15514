"""Mechanics of an emulated arm that stands in the simulated table, on both sides of its mailbox."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from imove_bringup.emulated_table.mailbox import ArmReading, Mailbox, Window
from imove_core.errors import ImoveError
from imove_core.transforms import Array
from imove_hardware.emulation.piper.plant import REST_RAD, Drive, PlantState

#: Speed at which a joint that lost its power sinks, rad/s.
FALL_SPEED_RAD_S = 0.5


class TablePlant:
    """What the arm's controller drives: it hands on what is asked, and reads what the simulation says."""

    def __init__(self, mailbox: Mailbox, clock: Callable[[], float] = time.monotonic) -> None:
        """Reads a mailbox that the simulation has written to.

        Args:
            mailbox: Of the arm.
            clock: Monotonic time in s.
        """
        self._mailbox, self._clock = mailbox, clock

    @property
    def state(self) -> PlantState:
        """What the encoders say now."""
        return self._mailbox.window().at(self._clock())

    def step(self, drive: Drive, dt_s: float) -> PlantState:
        """Hands on what the controller asks; the simulation goes on by itself."""
        self._mailbox.put_drive(drive)
        return self.state

    def guide(self, joints_rad: tuple[float, ...], opening_m: float) -> None:
        """Refuses: a hand cannot reach into the simulation."""
        raise ImoveError("an arm of the emulated table cannot be guided by hand; guide its leader")


class SimulatedArm:
    """The simulation's side: where the servos shall be, and what comes of it."""

    def __init__(self, mailbox: Mailbox, positions: Array, clock: Callable[[], float] = time.monotonic) -> None:
        """Says that the arm stands still.

        Args:
            mailbox: Of the arm.
            positions: (7,) joints in rad and the opening in m.
            clock: Monotonic time in s, the one of `show`.
        """
        self._mailbox, self._clock = mailbox, clock
        now_s = clock()
        self.show(now_s, now_s + 1.0, ArmReading.still(positions), ArmReading.still(positions))
        self._had_power = False
        self._target = positions.copy()

    @property
    def positions(self) -> Array:
        """Where the arm is now (7,)."""
        state = self._mailbox.window().at(self._clock())
        return np.array([*state.joints_rad, state.opening_m])

    def target(self, period_s: float) -> Array:
        """Where the simulated servos shall be one control period from now (7,).

        Joints that had power and lost it sink; an arm that was never powered lies where it was put.
        """
        drive = self._mailbox.drive()
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
        self._mailbox.put_window(Window(start_s, end_s, before, after))
