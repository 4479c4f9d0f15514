"""A leader that nobody guides: smooth motion about home, the same for the same seed, to try out and to test with."""

from __future__ import annotations

import numpy as np

from imove_core.rig import Rig
from imove_core.transforms import Array

MOST_REACH_RAD = 0.25
MOST_SPEED_SHARE = 0.25
"""Of a joint's own limit; so much is left for whoever makes up for a lag."""
PERIODS_S = (3.0, 8.0)
ROOM_SHARE = 0.8
"""Of the way from home to a limit that a joint makes at most."""
LEAST_SHARE = 0.1
"""A joint whose way to one limit is less than this share of its range swings to the other side."""


class ScriptedMotion:
    """Every joint swings from home to one side and back, each in its own time; it begins at rest."""

    def __init__(self, rig: Rig, random: np.random.Generator) -> None:
        """Draws the motion."""
        self._home = rig.home_positions
        low, high = np.vstack([arm.limits for arm in rig.arms]).T
        speeds = np.concatenate([arm.velocity_limits for arm in rig.arms])
        periods_s = random.uniform(*PERIODS_S, rig.size)
        self._turn_rad_s = 2 * np.pi / periods_s
        above, below = high - self._home, self._home - low
        up = random.random(rig.size) < 0.5
        # A gripper that is open at home can only close.
        up = np.where(np.minimum(above, below) < LEAST_SHARE * (high - low), above > below, up)
        room = np.where(up, above, below) * ROOM_SHARE
        fastest = speeds * MOST_SPEED_SHARE / self._turn_rad_s
        reach = np.minimum(np.minimum(room, MOST_REACH_RAD), 2 * fastest) * random.uniform(0.5, 1.0, rig.size)
        self._swing = np.where(up, reach, -reach) / 2

    def at(self, seconds: float) -> tuple[Array, Array]:
        """Positions and velocities (D,) of all joints, in rig order, at a time from the beginning on."""
        angle = self._turn_rad_s * seconds
        return (
            self._home + self._swing * (1 - np.cos(angle)),
            self._swing * self._turn_rad_s * np.sin(angle),
        )
