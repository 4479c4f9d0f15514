"""Smooth curves through what an arm is to do, as a trajectory controller follows them.

Targets at equal times are taken as the control points of a uniform cubic B-spline. Between its knots it is a cubic,
which a controller that is given position and velocity at both ends reproduces exactly. Position, velocity and
acceleration of such a curve are averages of the control points and of their first and second differences: they keep to
every limit that those keep to. Its jerk is at most twice the largest acceleration, divided by the period.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array

NS = 1_000_000_000
State = tuple[Array, Array]
"""Position and velocity, (n,) each."""


def knots(control: Array, period_s: float) -> tuple[Array, Array]:
    """Positions and velocities at the knots, (T - 2, n) each, of control points (T, n); the first and last are lost."""
    before, here, after = control[:-2], control[1:-1], control[2:]
    return (before + 4.0 * here + after) / 6.0, (after - before) / (2.0 * period_s)


def cubic(
    start: tuple[Array, Array], end: tuple[Array, Array], duration_s: float, time_s: float
) -> tuple[Array, Array]:
    """Position and velocity, (n,) each, on the cubic between two ends.

    Args:
        start: Position and velocity.
        end: Position and velocity.
        duration_s: From start to end.
        time_s: Since the start.
    """
    (p0, v0), (p1, v1) = start, end
    u = time_s / duration_s
    slope = (p1 - p0) / duration_s
    bend, twist = 3.0 * slope - 2.0 * v0 - v1, v0 + v1 - 2.0 * slope
    position = p0 + time_s * (v0 + u * (bend + u * twist))
    return position, v0 + u * (2.0 * bend + 3.0 * u * twist)


@dataclass(frozen=True, eq=False)
class Way:
    """A motion that ends at rest, as it is sent.

    Attributes:
        stamp_ns: When it begins.
        offsets_ns: (T,) int64 times of its points after the beginning, increasing from 0.
        positions: (T, n) rad.
        velocities: (T, n) rad/s; nothing at the last.
    """

    stamp_ns: int
    offsets_ns: NDArray[np.int64]
    positions: Array
    velocities: Array

    def at(self, stamp_ns: int) -> tuple[Array, Array]:
        """Position and velocity, (n,) each, at a time; those of its ends before and after it."""
        offset = int(np.clip(stamp_ns - self.stamp_ns, 0, self.offsets_ns[-1]))
        first = min(int(np.searchsorted(self.offsets_ns, offset, side="right")) - 1, len(self.offsets_ns) - 2)
        start_ns, end_ns = int(self.offsets_ns[first]), int(self.offsets_ns[first + 1])
        return cubic(
            (self.positions[first], self.velocities[first]),
            (self.positions[first + 1], self.velocities[first + 1]),
            (end_ns - start_ns) / NS,
            (offset - start_ns) / NS,
        )
