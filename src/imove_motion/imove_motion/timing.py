"""Time parameterisation of joint waypoints at the control rate."""

import numpy as np

from imove_core.transforms import Array


def ease(
    waypoints: Array,
    peak_speed: float | Array,
    rate_hz: float,
    least_s: float = 0.0,
    peak_acceleration: float | Array = np.inf,
) -> Array:
    """Passes through waypoints without stopping, easing in at the first and out at the last.

    The share of the way follows 3 u^2 - 2 u^3, whose peak speed is 1.5 times the mean and whose peak acceleration, at
    both ends, is 6 times the way by the square of the time.

    Args:
        waypoints: (n, size) with n of at least 2.
        peak_speed: Largest speed of any column, per second; or (size,) one for each column.
        rate_hz: Rate of the rows that are returned.
        least_s: Least duration.
        peak_acceleration: Largest acceleration of any column at both ends, per second squared; or (size,).

    Returns:
        (T, size): rows one period apart, the first one period after the start, the last at the last waypoint.
    """
    steps = np.abs(np.diff(waypoints, axis=0))
    lengths_s = (steps / peak_speed).max(axis=1)
    total_s = float(lengths_s.sum())
    least_s = max(least_s, 1.5 * total_s, _launch_s(steps, lengths_s, peak_acceleration))
    count = max(1, int(np.ceil(least_s * rate_hz)))
    progress = np.arange(1, count + 1) / count
    eased = progress**2 * (3 - 2 * progress)
    if total_s == 0.0:
        return np.repeat(waypoints[-1:], count, axis=0)
    marks = np.concatenate([[0.0], np.cumsum(lengths_s)]) / total_s
    return np.column_stack([np.interp(eased, marks, column) for column in waypoints.T])


def _launch_s(steps: Array, lengths_s: Array, peak_acceleration: float | Array) -> float:
    """Least duration at which the first and the last step do not exceed an acceleration."""
    ends = [end for end in (0, -1) if lengths_s[end] > 0.0]
    ways = [steps[end] / lengths_s[end] * lengths_s.sum() for end in ends]
    return max((float(np.sqrt(6.0 * (way / peak_acceleration).max())) for way in ways), default=0.0)


def hold(position: Array, duration_s: float, rate_hz: float) -> Array:
    """Stays at a position (size,) for a time; returns (T, size)."""
    return np.repeat(position[None], max(1, round(duration_s * rate_hz)), axis=0)
