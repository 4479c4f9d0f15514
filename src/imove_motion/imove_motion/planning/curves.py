"""Smooth curves along joint waypoints."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline

from imove_core.transforms import Array

DEGREE = 3
"""Cubic: the jerk along the curve is bounded."""
LEAST_SPANS = 4


def rounded(waypoints: Array, lengths: Array, span: float) -> BSpline:
    """A curve from the first waypoint to the last that cuts the corners between.

    It is a clamped cubic B-spline whose control points lie on the straight parts: where three neighbours lie on the
    same part it runs along that part at even speed, and it never leaves the hull of four neighbours. The shorter the
    spans, the closer it keeps to the corners.

    Args:
        waypoints: (m, size), m of at least 2.
        lengths: (m - 1,) of the parts between them, in any measure; not all 0.
        span: Length between knots, in the same measure; made shorter to fit, and to have a few of them.

    Returns:
        The curve over [0, sum of lengths], values (size,).
    """
    total = float(lengths.sum())
    spans = max(LEAST_SPANS, int(np.ceil(total / span)))
    inner = np.linspace(0.0, total, spans + 1)
    knots = np.concatenate([np.zeros(DEGREE), inner, np.full(DEGREE, total)])
    greville = np.lib.stride_tricks.sliding_window_view(knots[1:-1], DEGREE).mean(axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    control = np.column_stack([np.interp(greville, marks, column) for column in waypoints.T])
    # Sums of lengths differ in the last digit by how they are taken; the ends must not.
    control[0], control[-1] = waypoints[0], waypoints[-1]
    return BSpline(knots, control, DEGREE)
