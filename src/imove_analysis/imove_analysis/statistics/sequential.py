"""Test of two policies that may be looked at after every scene, and stopped whenever the answer is clear.

A gambler who believes that the second policy is better stakes a share of the capital on every scene: differences d_i in
[-1, 1] multiply it by 1 + bet * d_i. If the second is not better, no way of betting gains on average, so the capital is
a non-negative supermartingale and the chance that it *ever* reaches c is at most 1/c (Ville 1939). One gambler for
"better" and one for "worse", with half of the capital each, hold alpha for both answers together when the test stops at
1/alpha: **under any stopping rule the chance of a false answer is at most alpha**, as long as the rule, and which scene
comes next, do not look ahead. For that, scenes are drawn alike (as those of a suite are), or each has no difference of
its own on average, and their order is that of the suite.

Each gambler spreads the capital evenly over fixed bets, which needs no tuning and makes the capital after n scenes
independent of their order (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting",
section 4 and appendix B on diversified Kelly bets; its confidence sequence is that of `confidence_sequence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

Floats = npt.NDArray[np.float64]
BETS: Floats = np.arange(1, 20) / 20
"""Shares of the largest bet that cannot lose more than everything."""
_EDGE = 1e-9
_LARGEST_LOG = 690.0


@dataclass(frozen=True)
class SequentialResult:
    """What the test says after the scenes that it looked at.

    Attributes:
        verdict: `better`, `worse` or `undecided`, of the second against the first.
        scenes: How many it looked at: up to the one that settled it, all that there are otherwise.
        mean: Of their differences, 0 without any.
        interval: Holds the true mean with a chance of 1 - alpha, wherever the test is stopped.
        evidence: By how much the capital has grown; the verdict falls at 1/alpha.
        p: Anytime-valid p-value: 1 by the largest evidence so far, at most 1.
    """

    verdict: str
    scenes: int
    mean: float
    interval: tuple[float, float]
    evidence: float
    p: float


def sequential_test(differences: Sequence[float], alpha: float) -> SequentialResult:
    """Looks at differences one by one until they settle whether their mean is above or below 0.

    Args:
        differences: Of the second less the first, each in [-1, 1], in the order of the scenes.
        alpha: Largest chance of a false verdict.
    """
    values = np.asarray(differences, dtype=np.float64)
    better, worse = log_capital(values), log_capital(-values)
    logs = np.maximum(better, worse) - log(2)
    settled = np.flatnonzero(logs >= log(1 / alpha))
    scenes = int(settled[0]) + 1 if settled.size else len(values)
    seen = values[:scenes]
    verdict = "undecided"
    if settled.size:
        verdict = "better" if better[scenes - 1] > worse[scenes - 1] else "worse"
    return SequentialResult(
        verdict=verdict,
        scenes=scenes,
        mean=float(seen.mean()) if scenes else 0.0,
        interval=confidence_sequence(seen, alpha),
        evidence=exp(min(_LARGEST_LOG, logs[scenes - 1])) if scenes else 0.5,
        p=min(anytime_p_values(seen)),
    )


def log_capital(differences: npt.ArrayLike) -> Floats:
    """Natural logarithm of the capital of the gambler for "better" after each scene, of 1 at the start.

    Args:
        differences: Of shape (..., scenes), each in [-1, 1].

    Returns:
        Of the same shape.
    """
    values = np.asarray(differences, dtype=np.float64)
    total = np.full(values.shape, -np.inf)
    for bet in BETS:
        total = np.logaddexp(total, np.log1p(bet * values).cumsum(axis=-1))
    return total - log(len(BETS))


def anytime_p_values(differences: npt.ArrayLike) -> tuple[float, float]:
    """P-values for "better" and for "worse" that hold wherever they are looked at, both 1 without scenes.

    Each is twice that of its own one-sided test, so the smaller of them is the p-value of the two-sided one.

    Args:
        differences: Of shape (scenes,), each in [-1, 1].
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size == 0:
        return (1.0, 1.0)
    better, worse = (log_capital(side).max() - log(2) for side in (values, -values))
    return (exp(-max(0.0, better)), exp(-max(0.0, worse)))


def confidence_sequence(differences: npt.ArrayLike, alpha: float) -> tuple[float, float]:
    """The means that the two gamblers could not refute: holds the true one at all times with a chance of 1 - alpha.

    Args:
        differences: Of shape (scenes,), each in [-1, 1]; (-1, 1) without any.
        alpha: Between 0 and 1.
    """
    values, counts = np.unique(np.asarray(differences, dtype=np.float64), return_counts=True)
    return (_lower_end(values, counts, alpha), -_lower_end(-values, counts, alpha))


def _lower_end(values: Floats, counts: npt.NDArray[np.intp], alpha: float) -> float:
    """The smallest mean against which the gambler for a larger one has less than 2/alpha."""

    def excess(mean: float) -> float:
        # The largest bet on "more than `mean`" that can lose no more than everything is 1 / (1 + mean).
        gains = np.log1p(BETS[:, None] * (values - mean) / (1 + mean)) @ counts
        return float(np.logaddexp.reduce(gains)) - log(len(BETS)) - log(2 / alpha)

    # The capital falls as the mean grows: where it is too small at the lower end, nothing is refuted.
    if excess(-1 + _EDGE) < 0:
        return -1.0
    return float(brentq(excess, -1 + _EDGE, 1.0, xtol=1e-10))
