"""What passes between the process of the arms' CAN lines and that of the simulation: one mailbox an arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core.transforms import Array
from imove_hardware.emulation.piper.plant import Drive, PlantState
from imove_hardware.emulation.piper.registers import JOINTS

#: Turns the clamping force of the simulated fingers (N) into what a gripper's motor reports (N m); ours.
GRIPPER_LEVER_M = 0.05
_SIZE = JOINTS + 1
# Drive: given, joints, powered, opening (NaN for none), effort. Window: start, end, and two readings.
_DRIVE = 1 + JOINTS + JOINTS + 2
_READING = 2 * _SIZE + 1
NUMBERS = _DRIVE + 2 + 2 * _READING
"""Length of the array of doubles behind a mailbox."""


@dataclass(frozen=True)
class ArmReading:
    """An arm at one control step of the simulation; the gripper's opening is the last of its values.

    Attributes:
        positions: (7,) rad and m.
        velocities: (7,) rad/s and m/s.
        grip_n: Clamping force.
    """

    positions: Array
    velocities: Array
    grip_n: float

    @classmethod
    def still(cls, positions: Array) -> ArmReading:
        """An arm at rest."""
        return cls(positions, np.zeros_like(positions), 0.0)


@dataclass(frozen=True)
class Window:
    """What happens between two control steps, times in s of the monotonic clock that all processes share."""

    start_s: float
    end_s: float
    before: ArmReading
    after: ArmReading

    def at(self, now_s: float) -> PlantState:
        """What the encoders say at a time, the nearest end of the window outside it."""
        share = min(max((now_s - self.start_s) / (self.end_s - self.start_s), 0.0), 1.0)
        positions = self.before.positions + share * (self.after.positions - self.before.positions)
        speeds = self.before.velocities + share * (self.after.velocities - self.before.velocities)
        effort_nm = abs(self.after.grip_n) * GRIPPER_LEVER_M
        return PlantState(tuple(positions[:-1].tolist()), tuple(speeds[:-1].tolist()), float(positions[-1]), effort_nm)


class Mailbox:
    """The last drive and the last window of one arm, each put and taken as a whole, by any process."""

    def __init__(self, shared: Any) -> None:
        """Wraps shared memory.

        Args:
            shared: `multiprocessing.Array("d", NUMBERS)`, with its lock.
        """
        self._shared = shared

    def put_drive(self, drive: Drive) -> None:
        """Says what the controller asks for."""
        opening = math.nan if drive.opening_m is None else drive.opening_m
        self._put(0, [1.0, *drive.joints_rad, *map(float, drive.powered), opening, drive.grip_nm])

    def drive(self) -> Drive | None:
        """What the controller asked for last, None where it has not yet."""
        given, *numbers = self._take(0, _DRIVE)
        if not given:
            return None
        joints, powered, (opening, grip) = numbers[:JOINTS], numbers[JOINTS : 2 * JOINTS], numbers[2 * JOINTS :]
        return Drive(tuple(joints), tuple(map(bool, powered)), None if math.isnan(opening) else opening, grip)

    def put_window(self, window: Window) -> None:
        """Says what happens next."""
        readings = [number for reading in (window.before, window.after) for number in _numbers(reading)]
        self._put(_DRIVE, [window.start_s, window.end_s, *readings])

    def window(self) -> Window:
        """What was said to happen last; `put_window` must have been called."""
        start_s, end_s, *numbers = self._take(_DRIVE, NUMBERS)
        return Window(start_s, end_s, _reading(numbers[:_READING]), _reading(numbers[_READING:]))

    def _put(self, first: int, numbers: list[float]) -> None:
        with self._shared.get_lock():
            self._shared.get_obj()[first : first + len(numbers)] = numbers

    def _take(self, first: int, end: int) -> list[float]:
        with self._shared.get_lock():
            return list(self._shared.get_obj()[first:end])


def _numbers(reading: ArmReading) -> list[float]:
    return [*reading.positions.tolist(), *reading.velocities.tolist(), reading.grip_n]


def _reading(numbers: list[float]) -> ArmReading:
    return ArmReading(np.array(numbers[:_SIZE]), np.array(numbers[_SIZE:-1]), numbers[-1])
