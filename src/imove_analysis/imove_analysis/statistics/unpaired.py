"""Two rates from different scenes: tests, and the interval of the difference.

Runs on the same scenes are compared by `imove_analysis.paired`, which sees smaller differences.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from scipy.stats import barnard_exact, beta, boschloo_exact, fisher_exact

from imove_analysis.intervals import CONFIDENCE, wilson_interval
from imove_analysis.statistics.differences import recovered_interval
from imove_core.errors import ImoveError

BARNARD_LIMIT = 400
"""Trials of a side up to which Barnard's test is computed; its cost grows with their product."""


@dataclass(frozen=True)
class Count:
    """Successes of trials.

    Attributes:
        k: Successes.
        n: Trials.
    """

    k: int
    n: int

    def __post_init__(self) -> None:
        """Checks that it is possible."""
        if not 0 <= self.k <= self.n:
            raise ImoveError(f"{self.k} successes of {self.n} trials are not possible; 0 to {self.n} are")

    @property
    def rate(self) -> float:
        """Successes by trials, 0 without trials."""
        return self.k / self.n if self.n else 0.0


def clopper_pearson(count: Count, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Exact interval of a proportion (Clopper and Pearson 1934): never covers less often than it says, so it is wide.

    Args:
        count: Successes and trials; (0, 1) without trials.
        confidence: Between 0 and 1.
    """
    k, n, tail = count.k, count.n, (1 - confidence) / 2
    low = 0.0 if k == 0 else float(beta.ppf(tail, k, n - k + 1))
    high = 1.0 if k == n else float(beta.ppf(1 - tail, k + 1, n - k))
    return (low, high)


def difference_interval(first: Count, second: Count, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Interval of the second rate less the first (Newcombe 1998, method 10: hybrid of the Wilson intervals)."""
    return recovered_interval(
        first.rate,
        wilson_interval(first.rate, first.n, confidence),
        second.rate,
        wilson_interval(second.rate, second.n, confidence),
    )


def barnard(first: Count, second: Count) -> float:
    """Two-sided p-value of Barnard's exact test with the pooled score statistic (Barnard 1945).

    It is 1 where both rates are 0 or both are 1.
    """
    if first.k + second.k in (0, first.n + second.n):
        return 1.0
    with warnings.catch_warnings():
        # Tables with an empty row or column are among those that it sums over, and have no statistic.
        warnings.simplefilter("ignore", RuntimeWarning)
        return min(1.0, float(barnard_exact(_table(first, second)).pvalue))


def boschloo(first: Count, second: Count) -> float:
    """Two-sided p-value of Boschloo's exact test (Boschloo 1970): Fisher's p-value as the statistic, never weaker."""
    if first.k + second.k in (0, first.n + second.n):
        return 1.0
    return min(1.0, float(boschloo_exact(_table(first, second)).pvalue))


def fisher(first: Count, second: Count) -> float:
    """Two-sided p-value of Fisher's exact test; larger than needed, since it takes the sum of successes as given."""
    return float(fisher_exact(_table(first, second)).pvalue)


def unpaired_test(first: Count, second: Count) -> tuple[str, float]:
    """Name and two-sided p-value of the test for two independent rates: Barnard's; Fisher's above BARNARD_LIMIT."""
    if max(first.n, second.n) <= BARNARD_LIMIT:
        return "Barnard", barnard(first, second)
    return "Fisher", fisher(first, second)


def _table(first: Count, second: Count) -> list[list[int]]:
    """Columns are the samples, as Barnard's test wants them."""
    return [[first.k, second.k], [first.n - first.k, second.n - second.k]]
