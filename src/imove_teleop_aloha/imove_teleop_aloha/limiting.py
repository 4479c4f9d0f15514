"""Commands within limits, whatever a leader does: positions, speeds, and changes of speed of every joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_motion.safety.following import StepLimits, farthest_step

_STANDS = 1e-9


@dataclass(frozen=True, eq=False)
class Pace:
    """How fast all joints of a rig may go.

    Attributes:
        limits: Per period of the loop, in rig order.
    """

    limits: StepLimits

    @classmethod
    def of(cls, rig: Rig, rate_hz: float, speeds: Array) -> Pace:
        """A pace with speeds (D,) in rad/s and m/s; positions and accelerations are those of the rig's arms."""
        low, high = np.vstack([arm.limits for arm in rig.arms]).T
        own = np.concatenate([arm.velocity_limits for arm in rig.arms])
        accelerations = np.concatenate([arm.acceleration_limits for arm in rig.arms])
        return cls(StepLimits(low, high, np.minimum(speeds, own) / rate_hz, accelerations / rate_hz**2))


class Limiter:
    """Moves a target after what is wanted, a period at a time.

    It goes as fast as the wanted positions do and makes up for what it lags behind, both within the pace; it can always
    stop before a limit. A wanted position that jumps is approached and met without passing it.
    """

    def __init__(self, positions: Array) -> None:
        """Begins at rest at positions (D,)."""
        self._step = np.zeros_like(positions)
        self.reset(positions)

    def reset(self, positions: Array) -> None:
        """Begins anew, at rest at positions (D,)."""
        self.target: Array = np.array(positions, dtype=np.float64)
        self._step = np.zeros_like(self.target)
        self._wanted = self.target

    @property
    def at_rest(self) -> bool:
        """Whether the target stands."""
        return bool(np.all(np.abs(self._step) <= _STANDS))

    def advance(self, wanted: Array, pace: Pace) -> Array:
        """The target (D,) of the next period, on its way to `wanted` (D,)."""
        limits = pace.limits
        wanted = np.clip(wanted, limits.low, limits.high)
        lag = self._wanted - self.target
        asked = (wanted - self._wanted) + np.copysign(farthest_step(np.abs(lag), limits.change), lag)
        self._wanted = wanted
        return self._move(asked, limits)

    def brake(self, pace: Pace) -> Array:
        """The target (D,) of the next period on the shortest way to rest."""
        limits = pace.limits
        self._move(np.zeros_like(self._step), limits)
        self._wanted = self.target
        return self.target

    def _move(self, asked: Array, limits: StepLimits) -> Array:
        upwards = farthest_step(limits.high - self.target, limits.change)
        downwards = farthest_step(self.target - limits.low, limits.change)
        most = np.minimum(np.minimum(limits.step, self._step + limits.change), upwards)
        least = np.maximum(np.maximum(-limits.step, self._step - limits.change), -downwards)
        # Where nothing keeps to all limits, as after a change to a slower pace, the joint brakes.
        braked = np.copysign(np.maximum(np.abs(self._step) - limits.change, 0.0), self._step)
        self._step = np.where(least <= most, np.clip(asked, least, np.maximum(least, most)), braked)
        self.target = np.clip(self.target + self._step, limits.low, limits.high)
        return self.target
