"""Where an arm is told to be, 200 times a second: commands interpolated, then held to limits, speeds, accelerations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.safety_event import SafetyEvent
from imove_core.trajectory import JointCommand, TrajectoryFollower
from imove_core.transforms import Array
from imove_hardware.piper.reading import JOINTS, METRES_PER_UNIT, RAD_PER_UNIT
from imove_motion.safety.following import TOLERANCE, StepLimits, farthest_step
from imove_motion.safety.settings import SafetySettings

NS = 1_000_000_000
STALE_S = 0.5
"""A command whose last point was due longer ago was meant for another situation."""
AHEAD_S = 2.0
"""A command from further in the future comes from a machine with another clock."""
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """What every target that goes to an arm keeps to.

    Attributes:
        low: (size,) least positions; rad, m of the gripper's opening.
        high: (size,) largest positions.
        velocities: (size,) largest speeds of the target.
        accelerations: (size,) largest accelerations of the target.
    """

    low: Array
    high: Array
    velocities: Array
    accelerations: Array


def motion_limits(arm: Arm, safety: SafetySettings, arm_speeds: Array) -> MotionLimits:
    """The limits of an arm of a rig.

    Args:
        arm: Of the rig.
        safety: Shares of its speeds and accelerations.
        arm_speeds: (6,) speeds that the arm's own controller allows, rad/s.
    """
    velocities = arm.velocity_limits * safety.speed_scale
    velocities[:JOINTS] = np.minimum(velocities[:JOINTS], arm_speeds)
    return MotionLimits(
        arm.limits[:, 0], arm.limits[:, 1], velocities, arm.acceleration_limits * safety.acceleration_scale
    )


class Motion:
    """The target of one arm, from tick to tick; not safe for several threads."""

    def __init__(self, arm: Arm, limits: MotionLimits, period_s: float) -> None:
        """Stays at the arm's home until `start`.

        Args:
            arm: Of the rig.
            limits: To keep to.
            period_s: Between two ticks.
        """
        self._arm, self._limits = arm, limits
        self._steps = StepLimits(
            limits.low, limits.high, limits.velocities * period_s, limits.accelerations * period_s**2
        )
        self.start(arm.home_positions)

    def start(self, positions: Array) -> None:
        """Is at rest at `positions` (size,), or at the limit where they are outside."""
        self.position: Array = np.clip(positions, self._limits.low, self._limits.high)
        """(size,) the target that was handed out last."""
        self._step, self._wanted = np.zeros_like(self.position), self.position
        limits = np.column_stack([self._limits.low, self._limits.high])
        self._commands = TrajectoryFollower(limits, self.position, self._limits.velocities)
        self._last_ns = 0

    @property
    def at_rest(self) -> bool:
        """Whether the target did not change at the last tick."""
        return not np.any(self._step)

    def command(self, command: JointCommand, now_ns: int) -> list[SafetyEvent]:
        """Takes over a command from its stamp on.

        Args:
            command: Checked.
            now_ns: The present.

        Returns:
            What of it is beyond limits and will be held to them, the first of each joint.

        Raises:
            ImoveError: It is too old, or from too far in the future.
        """
        last_ns = int(command.times_ns[-1])
        age_s, ahead_s = (now_ns - last_ns) / NS, (command.stamp_ns - now_ns) / NS
        if age_s > STALE_S:
            raise ImoveError(
                f"command for arm '{self._arm.name}' ended {age_s:.2f} s ago; at most {STALE_S:g} s is allowed: is its "
                "sender late, or is its clock another one?"
            )
        if ahead_s > AHEAD_S:
            raise ImoveError(
                f"command for arm '{self._arm.name}' begins {ahead_s:.2f} s ahead; at most {AHEAD_S:g} s is allowed: "
                "is its sender's clock another one?"
            )
        self._commands.command(command)
        self._last_ns = last_ns
        return self._beyond_limits(command)

    def ran_out(self, now_ns: int) -> bool:
        """Whether the last point of the last command is past."""
        return now_ns >= self._last_ns

    def brake(self) -> None:
        """Drops every command and comes to rest as fast as the limits allow."""
        change = self._steps.change
        count = np.floor(np.abs(self._step) / change + _ROUNDING)
        way = count * np.abs(self._step) - change * count * (count + 1.0) / 2.0
        self._rest_at(self.position + np.copysign(way, self._step))

    def go_to(self, positions: Array) -> None:
        """Drops every command and goes to `positions` (size,), for instance where the arm really is."""
        self._rest_at(positions)

    def tick(self, now_ns: int) -> Array:
        """The target (size,) for now, one period after the one before.

        It moves as what is wanted does, and catches up, where it is behind, as fast as lets it stop there. The next
        step can always be one after which it can stop within its limits.
        """
        steps, before, wanted = self._steps, self._wanted, self._commands.target(now_ns)
        lag = before - self.position
        rooms = np.array([np.abs(lag), steps.high - self.position, self.position - steps.low])
        pull, upwards, downwards = farthest_step(rooms, steps.change)
        most = np.minimum(np.minimum(steps.step, self._step + steps.change), upwards)
        least = np.maximum(np.maximum(-steps.step, self._step - steps.change), -downwards)
        step = np.minimum(np.maximum(wanted - before + np.copysign(pull, lag), least), most)
        position = self.position + step
        # Exactly where it is wanted, so that rounding does not add up.
        position = np.where(np.abs(position - wanted) < _ROUNDING, wanted, position)
        self._step, self._wanted, self.position = position - self.position, wanted, position
        return self.position

    def _rest_at(self, positions: Array) -> None:
        self._commands.hold(positions)
        # Behind a target that rests, not one that has leapt.
        self._wanted = np.clip(positions, self._limits.low, self._limits.high)

    def _beyond_limits(self, command: JointCommand) -> list[SafetyEvent]:
        low, high = self._limits.low - TOLERANCE, self._limits.high + TOLERANCE
        beyond = (command.positions < low) | (command.positions > high)
        events = []
        for column in np.flatnonzero(beyond.any(axis=0)):
            row = int(np.argmax(beyond[:, column]))
            value = float(command.positions[row, column])
            limit = float(np.clip(value, self._limits.low[column], self._limits.high[column]))
            name = self._arm.joint_names[column]
            events.append(
                SafetyEvent(
                    int(command.times_ns[row]),
                    "joint_limit",
                    self._arm.name,
                    name,
                    value,
                    limit,
                    "clamped",
                    f"{name} was to go to {value:.3f}; its limit is {limit:.3f}",
                    int(beyond[:, column].sum()),
                )
            )
        return events


class Units:
    """Targets as the bus carries them: whole thousandths of degrees and of millimetres, inside of the limits."""

    def __init__(self, limits: MotionLimits) -> None:
        """Rounds so that no target leaves these limits."""
        scale = [RAD_PER_UNIT] * JOINTS + [METRES_PER_UNIT]
        self._scale = np.array(scale)
        self._low = [math.ceil(low / unit - _ROUNDING) for low, unit in zip(limits.low, scale, strict=True)]
        self._high = [math.floor(high / unit + _ROUNDING) for high, unit in zip(limits.high, scale, strict=True)]

    def of(self, target: Array) -> tuple[int, ...]:
        """Units (7) of a target (7,) in rad and m."""
        rounded = np.rint(target / self._scale)
        return tuple(int(min(max(v, a), b)) for v, a, b in zip(rounded, self._low, self._high, strict=True))
