"""How smooth a movement is, told from its speed over time: SPARC and log dimensionless jerk.

Both are those of Balasubramanian, Melendez-Calderon, Roby-Brami and Burdet, "On the analysis of movement smoothness",
Journal of NeuroEngineering and Rehabilitation 12:112 (2015). Both are negative, without unit, and the nearer to 0 the
smoother; neither depends on how far or how fast a movement goes. A single reach of least jerk has -1.4 and -5.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CUTOFF_HZ = 10.0
"""What is faster than this is no movement of an arm but noise; the paper takes 10 or 20 Hz."""
AMPLITUDE = 0.05
"""Share of the largest amplitude below which the end of the spectrum is left out, as in the paper."""
PADDING = 4
"""The spectrum is sampled 2 ** PADDING times more finely than the profile is long, as in the paper."""


def sparc(speed: Floats, rate_hz: float) -> float | None:
    """Spectral arc length: minus the length of the curve of a speed profile's normalised amplitude spectrum.

    The spectrum is |V(f)| / max |V|, over frequencies up to the last one within CUTOFF_HZ at which it is at least
    AMPLITUDE; these frequencies count as an interval of length 1.

    Args:
        speed: (N,) speed at equal intervals, not negative, any unit.
        rate_hz: Samples a second.

    Returns:
        The arc length, at most -1; None where nothing moves.
    """
    if not len(speed) or not speed.max() > 0:
        return None
    size = 2 ** (int(np.ceil(np.log2(len(speed)))) + PADDING)
    amplitude = np.abs(np.fft.rfft(speed, size))
    amplitude /= amplitude.max()
    frequency = np.fft.rfftfreq(size, 1.0 / rate_hz)
    loud = np.flatnonzero((frequency <= CUTOFF_HZ) & (amplitude >= AMPLITUDE))
    shown = slice(loud[0], loud[-1] + 1)
    steps = np.diff(frequency[shown])
    if not len(steps):
        return None
    return -float(np.hypot(steps / steps.sum(), np.diff(amplitude[shown])).sum())


def log_dimensionless_jerk(speed: Floats, rate_hz: float) -> float | None:
    """Log dimensionless jerk: -ln(T^3 / v_peak^2 * integral of (d^2 v / dt^2)^2 dt) of a speed profile v of duration T.

    Args:
        speed: (N,) speed at equal intervals from the begin to the end of the movement, any unit.
        rate_hz: Samples a second.

    Returns:
        The value; None for fewer than 4 samples, where nothing moves, or where speed changes evenly throughout.
    """
    if len(speed) < 4 or not speed.max() > 0:
        return None
    duration_s = (len(speed) - 1) / rate_hz
    jerk = np.diff(speed, 2) * rate_hz**2
    total = float((jerk**2).sum()) / rate_hz
    return -float(np.log(duration_s**3 / speed.max() ** 2 * total)) if total > 0 else None


def movement(speed: Floats, share: float = AMPLITUDE) -> Floats:
    """The profile from the first to the last sample that is faster than a share of the peak.

    Standing still before and after a movement is no part of it.

    Args:
        speed: (N,) with a peak above 0.
        share: Of the peak.
    """
    moving = np.flatnonzero(speed > share * speed.max())
    return speed[moving[0] : moving[-1] + 1]
