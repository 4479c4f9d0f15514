"""How smooth a motion is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array

REST_ROWS = 3
"""A motion begins and ends at rest; three rows of it make a third difference."""


@dataclass(frozen=True)
class Smoothness:
    """Peaks over all joints of a motion, from differences of its rows.

    Attributes:
        peak_speed_rad_s: Largest joint speed.
        peak_acceleration_rad_s2: Largest joint acceleration.
        peak_jerk_rad_s3: Largest joint jerk.
        path_length_rad: Euclidean length of the way in joint space.
    """

    peak_speed_rad_s: float
    peak_acceleration_rad_s2: float
    peak_jerk_rad_s3: float
    path_length_rad: float


def smoothness(start: Array, rows: Array, rate_hz: float) -> Smoothness:
    """Measures a motion that begins and ends at rest.

    Args:
        start: (n,) joint positions one period before the first row, rad.
        rows: (T, n) joint positions at a rate, rad.
        rate_hz: Of the rows.
    """
    ways = np.vstack([np.repeat(start[None], REST_ROWS, axis=0), rows, np.repeat(rows[-1:], REST_ROWS, axis=0)])
    speed, acceleration, jerk = (
        float(np.abs(np.diff(ways, order, axis=0)).max()) * rate_hz**order for order in (1, 2, 3)
    )
    return Smoothness(speed, acceleration, jerk, float(np.linalg.norm(np.diff(ways, axis=0), axis=1).sum()))
