"""The mechanics behind an emulated arm: what its motors drive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

#: Joints where a PiPER that nobody holds comes to lie, rad: folded, all at zero.
REST_RAD = (0.0,) * 6


@dataclass(frozen=True)
class Drive:
    """What the controller asks of its motors.

    Attributes:
        joints_rad: Where each joint shall be now.
        powered: Whether each joint's motor has power.
        opening_m: Where the gripper shall be now, None where its motor has no power.
        grip_nm: Effort that the gripper may use.
    """

    joints_rad: tuple[float, ...]
    powered: tuple[bool, ...]
    opening_m: float | None
    grip_nm: float


@dataclass(frozen=True)
class PlantState:
    """What the encoders say.

    Attributes:
        joints_rad: Joint positions.
        speeds_rad_s: Joint speeds.
        opening_m: Opening of the gripper.
        effort_nm: Effort of the gripper's motor.
    """

    joints_rad: tuple[float, ...]
    speeds_rad_s: tuple[float, ...]
    opening_m: float
    effort_nm: float


class Plant(Protocol):
    """An arm's mechanics; called by one thread."""

    @property
    def state(self) -> PlantState:
        """What the encoders say now."""
        ...

    def step(self, drive: Drive, dt_s: float) -> PlantState:
        """Goes on by `dt_s` and returns what the encoders say then."""
        ...

    def guide(self, joints_rad: tuple[float, ...], opening_m: float) -> None:
        """Puts the arm where a person's hand has it.

        Raises:
            NotImplementedError: This arm cannot be guided by hand.
        """
        ...


class FirstOrderPlant:
    """Joints that follow with a lag, fall without power, and a gripper that may close on an object.

    Attributes:
        object_width_m: Width of what lies between the fingers, None for nothing.
    """

    def __init__(
        self,
        joints_rad: tuple[float, ...] = REST_RAD,
        opening_m: float = 0.0,
        *,
        lag_s: float = 0.02,
        fall_speed_rad_s: float = 1.0,
        object_width_m: float | None = None,
    ) -> None:
        """Creates an arm at rest.

        Args:
            joints_rad: Where it stands.
            opening_m: Opening of its gripper.
            lag_s: Time constant of the joints and the gripper, s.
            fall_speed_rad_s: Speed at which a joint without power sinks to `REST_RAD`.
            object_width_m: Width of what lies between the fingers.
        """
        self._state = PlantState(joints_rad, (0.0,) * len(joints_rad), opening_m, 0.0)
        self._lag_s = lag_s
        self._fall_speed_rad_s = fall_speed_rad_s
        self.object_width_m = object_width_m

    @property
    def state(self) -> PlantState:
        """What the encoders say now."""
        return self._state

    def step(self, drive: Drive, dt_s: float) -> PlantState:
        """Goes on by `dt_s` and returns what the encoders say then."""
        share = 1.0 - math.exp(-dt_s / self._lag_s)
        joints: list[float] = []
        for at, to, rest, powered in zip(
            self._state.joints_rad, drive.joints_rad, REST_RAD, drive.powered, strict=True
        ):
            sink = self._fall_speed_rad_s * dt_s
            joints.append(at + (share * (to - at) if powered else max(-sink, min(sink, rest - at))))
        speeds = tuple(
            (new - old) / dt_s if dt_s > 0.0 else 0.0 for new, old in zip(joints, self._state.joints_rad, strict=True)
        )
        opening, effort = self._grip(drive, share)
        self._state = PlantState(tuple(joints), speeds, opening, effort)
        return self._state

    def guide(self, joints_rad: tuple[float, ...], opening_m: float) -> None:
        """Puts the arm where a person's hand has it."""
        self._state = PlantState(joints_rad, (0.0,) * len(joints_rad), opening_m, 0.0)

    def _grip(self, drive: Drive, share: float) -> tuple[float, float]:
        at, effort = self._state.opening_m, self._state.effort_nm
        if drive.opening_m is None:
            return at, 0.0
        to = at + share * (drive.opening_m - at)
        width = self.object_width_m
        if width is not None and to < width <= at:
            # Fingers stop at the object and the motor presses until its effort is what was asked for.
            return width, effort + share * (drive.grip_nm - effort)
        return to, effort * (1.0 - share)
