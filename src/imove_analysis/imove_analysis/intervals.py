"""Counts as rates with honest intervals."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

CONFIDENCE = 0.95
WILSON, CLOPPER_PEARSON = INTERVAL_NAMES = ("wilson", "clopper-pearson")
"""What intervals of proportions can be asked for, see `imove_analysis.statistics.named_intervals`."""


def wilson_interval(rate: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson score interval of a proportion (Wilson 1927); (0, 1) without trials.

    Args:
        rate: Successes by trials.
        n: Number of trials.
        confidence: Between 0 and 1.
    """
    if n == 0:
        return (0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Exact at the ends, where rounding would leave a remainder.
    return (0.0 if rate == 0 else max(0.0, centre - half), 1.0 if rate == 1 else min(1.0, centre + half))


def proportion(k: int, n: int) -> dict[str, Any]:
    """A count as plain data: k, n, rate and 95 % Wilson interval."""
    rate = k / n if n else None
    return {"k": k, "n": n, "rate": rate, "ci95": list(wilson_interval(rate or 0.0, n))}


def mean_score(values: Sequence[float]) -> dict[str, Any]:
    """The mean of scores between 0 and 1 as plain data: n, mean (None without values) and 95 % interval."""
    mean = float(np.mean(values)) if values else None
    return {"n": len(values), "mean": mean, "ci95": list(mean_interval(values))}


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Interval of the mean of scores between 0 and 1: Wilson's with the mean as the rate of n trials.

    A score in [0, 1] has at most the variance of a yes-or-no outcome with the same mean, so the interval is never too
    narrow for that reason.
    """
    return wilson_interval(float(np.mean(values)) if values else 0.0, len(values), confidence)
