"""What an arm does next: commanded targets held to its limits, planned a little ahead and always to an end at rest.

A way that is sent replaces the one before it. It begins in the past and keeps to the one before for two ticks more, so
that the controller meets no corner, and it ends with the arm braking: should nothing more be sent, the arm rests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_hardware.franka.speeds import SHARE, SpeedLimits, speed_limits
from imove_hardware.franka.spline import NS, Way, knots
from imove_motion.safety.following import farthest_step

PERIOD_NS = 20_000_000
"""Of a tick. With the 10 rad/s^2 of a Franka the jerk stays below 1000 rad/s^3; it allows 5000."""
LEAD = 2
"""Ticks that a new way keeps of the one before: a message that takes less than one tick comes in time."""
AHEAD = 5
"""Ticks of commands that are followed before the braking at a way's end."""
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class CourseLimits:
    """What every way keeps to.

    Attributes:
        speeds: Of the joints where they are.
        accelerations: (n,) rad/s^2.
    """

    speeds: SpeedLimits
    accelerations: Array


def course_limits(arm: Arm, speed_share: float = 1.0, acceleration_share: float = 1.0) -> CourseLimits:
    """The limits of an arm of a rig.

    Args:
        arm: Of the rig.
        speed_share: Of the arm's largest speeds, up to 1.
        acceleration_share: Of its largest accelerations, up to 1.
    """
    accelerations = arm.acceleration_limits[: len(arm.arm_model.joints)] * acceleration_share * SHARE
    return CourseLimits(speed_limits(arm, speed_share), accelerations)


class Course:
    """The way of one arm; not safe for several threads."""

    def __init__(self, limits: CourseLimits, positions: Array, stamp_ns: int) -> None:
        """Is at rest.

        Args:
            limits: To keep to.
            positions: (n,) where the arm is, rad.
            stamp_ns: From when on.
        """
        self._speeds = limits.speeds
        self._period_s = PERIOD_NS / NS
        self._change = limits.accelerations * self._period_s**2
        margins = self._speeds.margins(limits.accelerations)
        self._low, self._high = self._speeds.low + margins, self._speeds.high - margins
        self._start_ns = stamp_ns
        self._first, self._points = 0, np.array(positions, dtype=float)[None]

    def position(self, now_ns: int) -> Array:
        """Where the arm is to be (n,) at the tick before now, rad."""
        return self._point(self._tick(now_ns)).copy()

    def at_rest(self, now_ns: int) -> bool:
        """Whether nothing is left of the motion that was planned last."""
        rest = self._points[max(0, self._tick(now_ns) - 2 - self._first) :]
        return len(rest) < 2 or not np.any(np.diff(rest, axis=0))

    def follow(self, now_ns: int, wanted: Callable[[int], Array]) -> Way:
        """The way from now on that follows what is wanted as closely as the limits allow.

        Args:
            now_ns: The present, not before that of an earlier call.
            wanted: Positions (n,) for a stamp in ns, rad; those outside of the limits are not reached.
        """
        kept, index = self._kept(now_ns)
        targets = np.array([wanted(self._stamp_ns(index + tick)) for tick in range(AHEAD + 1)])
        return self._way(now_ns, np.vstack([kept, self._followed(kept, targets)]))

    def brake(self, now_ns: int) -> Way:
        """The way from now on that comes to rest as fast as the limits allow."""
        return self._way(now_ns, self._kept(now_ns)[0])

    def _tick(self, now_ns: int) -> int:
        return max(0, (now_ns - self._start_ns) // PERIOD_NS)

    def _stamp_ns(self, tick: int) -> int:
        return self._start_ns + tick * PERIOD_NS

    def _point(self, index: int) -> Array:
        """Control point of a tick; the arm was at rest before the first and is after the last."""
        point: Array = self._points[int(np.clip(index - self._first, 0, len(self._points) - 1))]
        return point

    def _kept(self, now_ns: int) -> tuple[Array, int]:
        """What a new way keeps of the one before (LEAD + 3, n), and the tick of its last point."""
        tick = self._tick(now_ns)
        last = tick + LEAD + 1
        return np.array([self._point(index) for index in range(tick - 1, last + 1)]), last

    def _followed(self, kept: Array, targets: Array) -> Array:
        """Control points (T - 1, n) behind targets (T, n), of which the first is for where `kept` ends."""
        position, step, change = kept[-1], kept[-1] - kept[-2], self._change
        low, high, period_s = self._low, self._high, self._period_s
        followed = np.empty_like(targets[1:])
        for row, target_step in enumerate(np.diff(targets, axis=0)):
            lag = targets[row] - position
            down, up = (speeds * period_s for speeds in self._speeds.at(position))
            # Where the step leads less may be allowed than where it begins.
            down = np.minimum(down, self._speeds.at(position - down)[0] * period_s)
            up = np.minimum(up, self._speeds.at(position + up)[1] * period_s)
            pull, upwards, downwards = farthest_step(np.array([np.abs(lag), high - position, position - low]), change)
            most = np.minimum(np.minimum(step + change, up), upwards)
            least = np.maximum(np.maximum(step - change, -down), -downwards)
            asked = np.minimum(np.maximum(target_step + np.copysign(pull, lag), least), most)
            braked = np.copysign(np.maximum(np.abs(step) - change, 0.0), step)
            before, step = position, np.where(least <= most, asked, braked)
            position = before + step
            # Exactly where it is wanted, so that rounding does not add up.
            position = np.where(np.abs(position - targets[row + 1]) < _ROUNDING, targets[row + 1], position)
            step = position - before
            followed[row] = position
        return followed

    def _way(self, now_ns: int, points: Array) -> Way:
        """The way along control points, of which the first is for the tick before the present one, and to rest."""
        step = points[-1] - points[-2]
        count = int(np.max(np.ceil(np.abs(step) / self._change)))
        speeds = np.abs(step) - self._change * np.arange(1, count + 1)[:, None]
        braking = points[-1] + np.cumsum(np.copysign(np.maximum(speeds, 0.0), step), axis=0)
        # The curve is at rest where three control points are the same.
        rest = np.repeat((braking if count else points)[-1:], 2, axis=0)
        tick = self._tick(now_ns)
        self._first, self._points = tick - 1, np.vstack([points, braking, rest])
        positions, velocities = knots(self._points, self._period_s)
        offsets: NDArray[np.int64] = np.arange(len(positions), dtype=np.int64) * PERIOD_NS
        return Way(self._stamp_ns(tick), offsets, positions, velocities)
