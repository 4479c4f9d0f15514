"""What targets of an arm are held to, and how they are written on the bus without leaving it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_hardware.piper.reading import JOINTS, METRES_PER_UNIT, RAD_PER_UNIT
from imove_motion.safety.settings import SafetySettings

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
