"""Where an arm is told to be, 200 times a second: commands interpolated, then held to limits, speeds, accelerations."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.safety_event import SafetyEvent
from imove_core.trajectory import JointCommand, TrajectoryFollower
from imove_core.transforms import Array
from imove_hardware.piper.limits import MotionLimits
from imove_motion.safety.following import TOLERANCE, StepLimits, farthest_step

NS = 1_000_000_000
STALE_S = 0.5
"""A command whose last point was due longer ago was meant for another situation."""
AHEAD_S = 2.0
"""A command from further in the future comes from a machine with another clock."""
_ROUNDING = 1e-9


class Ahead:
    """The points that are still to be reached, and between which positions they lie."""

    def __init__(self) -> None:
        """Has none."""
        self._times_ns: list[int] = []
        self._points: Array = np.empty((0, 0))
        self._lows = self._highs = self._points

    def put(self, command: JointCommand, now_ns: int) -> None:
        """Replaces what there is from the stamp of a command on."""
        first, end = bisect_right(self._times_ns, now_ns), bisect_left(self._times_ns, command.stamp_ns)
        kept = self._points[first:end].reshape(-1, command.positions.shape[1])
        self._times_ns = [*self._times_ns[first:end], *command.times_ns.tolist()]
        self._points = np.vstack([kept, command.positions])
        self._lows = np.minimum.accumulate(self._points[::-1])[::-1]
        self._highs = np.maximum.accumulate(self._points[::-1])[::-1]

    def clear(self) -> None:
        """Drops all."""
        self._times_ns = []

    def span(self, now_ns: int, wanted: Array) -> tuple[Array, Array]:
        """Least and largest positions (size,) of what is wanted now and of all that is still to be reached."""
        index = bisect_right(self._times_ns, now_ns)
        if index == len(self._times_ns):
            return wanted, wanted
        return np.minimum(self._lows[index], wanted), np.maximum(self._highs[index], wanted)


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
        self._ahead = Ahead()
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
        self._ahead.put(command, now_ns)
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

        It moves as what is wanted does, and catches up where it is behind. It never goes beyond the farthest point that
        is still to be reached, so that an arm over a table does not dip below where it was told to stop: it brakes
        before that point, unless other points follow in time. Where a new command leaves less room than braking takes,
        it brakes as hard as the limits allow.
        """
        steps, before, wanted = self._steps, self._wanted, self._commands.target(now_ns)
        low, high = self._ahead.span(now_ns, wanted)
        lag = before - self.position
        rooms = np.array(
            [
                np.abs(lag),
                np.minimum(high, steps.high) - self.position,
                self.position - np.maximum(low, steps.low),
                steps.high - self.position,
                self.position - steps.low,
            ]
        )
        pull, upwards, downwards, end_up, end_down = farthest_step(rooms, steps.change)
        braked_up, braked_down = self._step - steps.change, self._step + steps.change
        most = np.minimum(np.minimum(steps.step, braked_down), np.minimum(end_up, np.maximum(upwards, braked_up)))
        least = np.maximum(
            np.maximum(-steps.step, braked_up), np.maximum(-end_down, np.minimum(-downwards, braked_down))
        )
        step = np.minimum(np.maximum(wanted - before + np.copysign(pull, lag), least), most)
        position = self.position + step
        # Exactly where it is wanted, so that rounding does not add up.
        position = np.where(np.abs(position - wanted) < _ROUNDING, wanted, position)
        self._step, self._wanted, self.position = position - self.position, wanted, position
        return self.position

    def _rest_at(self, positions: Array) -> None:
        self._commands.hold(positions)
        self._ahead.clear()
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
