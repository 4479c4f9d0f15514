"""How fast each joint may go where it is: a Franka Research 3 allows less the closer a joint is to its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.rig import Arm
from imove_core.transforms import Array

SHARE = 0.9
"""Of what the arm allows that is asked for: the measured speed exceeds the wanted one where an arm catches up, and an
acceleration that is the limit itself trips it by a rounding."""
_BRAKINGS = {"fr3": np.array([12.0, 5.17, 7.0, 8.0, 34.0, 11.0, 34.0])}
_RESERVES = {"fr3": np.array([0.3, 0.2, 0.2, 0.3, 0.35, 0.35, 0.35])}
"""The vendor's published limits of the Research 3, as libfranka's rate limiting has them: at a distance d in rad from
its end, a joint may approach it by sqrt(braking * d) - reserve rad/s. The Panda's limits are the same everywhere."""


@dataclass(frozen=True, eq=False)
class SpeedLimits:
    """Largest speeds of the joints of an arm, rad/s.

    Attributes:
        low: (n,) lower ends of the joints, rad.
        high: (n,) upper ends, rad.
        most: (n,) far from both ends.
        braking: (n,) rad/s^2, infinite where a joint may approach its ends at any speed.
        reserve: (n,) rad/s.
    """

    low: Array
    high: Array
    most: Array
    braking: Array
    reserve: Array

    def at(self, positions: Array) -> tuple[Array, Array]:
        """Largest speeds downwards and upwards, (n,) each and positive, at positions (n,)."""
        return self._towards(positions - self.low), self._towards(self.high - positions)

    def margins(self, accelerations: Array) -> Array:
        """How far from its ends (n,), rad, a joint must be able to stop, braking with accelerations (n,).

        Where the allowed speed falls faster than a joint can brake, the way to brake lies below the allowed speeds
        everywhere if it leads to a rest at least that far from the end.
        """
        ratio = self.braking / (2.0 * accelerations)
        steep = np.isfinite(ratio) & (ratio > 1.0)
        margins = np.zeros_like(self.low)
        ratio, reserve = ratio[steep], self.reserve[steep]
        margins[steep] = ratio * reserve**2 / ((ratio - 1.0) * self.braking[steep])
        return margins

    def _towards(self, room: Array) -> Array:
        # A room of nothing times an infinite braking is no number.
        roots = np.sqrt(self.braking * np.maximum(room, 1e-12))
        speeds: Array = np.clip(roots - self.reserve, 0.0, self.most)
        return speeds


def speed_limits(arm: Arm, share: float) -> SpeedLimits:
    """The limits of an arm of a rig.

    Args:
        arm: Of the rig.
        share: Of the largest speeds that may be used.
    """
    count = len(arm.arm_model.joints)
    braking = _BRAKINGS.get(arm.model, np.full(count, np.inf))
    reserve = _RESERVES.get(arm.model, np.zeros(count))
    share *= SHARE
    # Scaled as a whole, so that the approach to an end is slower by the same share.
    return SpeedLimits(
        arm.limits[:count, 0],
        arm.limits[:count, 1],
        arm.velocity_limits[:count] * share,
        braking * share**2,
        reserve * share,
    )
