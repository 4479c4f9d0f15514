"""How many scenes a comparison of two policies needs, if they differ as much as it seems now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log2, sqrt
from statistics import NormalDist

import numpy as np
from scipy.stats import binom

POWER = 0.8
"""Wanted chance that a difference which is there is found."""
MOST_SCENES = 100_000
"""Numbers above this are not named: nobody will run them."""


def mcnemar_power(scenes: int, only_first: float, only_second: float, alpha: float) -> float:
    """Chance that McNemar's exact test finds a difference, summed over all that can come out.

    Args:
        scenes: Number of scenes.
        only_first: Share of the scenes with a success under the first alone.
        only_second: Share with a success under the second alone.
        alpha: Level of the test.
    """
    # The numbers of differing scenes that can come up; beyond them are chances below 1e-12 in all.
    differing = np.arange(*binom.interval(1 - 1e-12, scenes, only_first + only_second) + np.array([0, 1]))
    # The largest count on the smaller side that is still significant, -1 for none.
    last = binom.ppf(alpha / 2, differing, 0.5)
    last -= 2 * binom.cdf(last, differing, 0.5) > alpha
    share = only_first / (only_first + only_second) if only_first + only_second else 0.5
    found = binom.cdf(last, differing, share) + binom.cdf(last, differing, 1 - share)
    return float(binom.pmf(differing, scenes, only_first + only_second) @ found)


def scenes_for_mcnemar(only_first: float, only_second: float, alpha: float, power: float = POWER) -> int | None:
    """Scenes with which McNemar's exact test finds a difference with a chance of `power`.

    Args:
        only_first: Share of the scenes with a success under the first alone.
        only_second: Share with a success under the second alone.
        alpha: Level of the test.
        power: Wanted chance.

    Returns:
        The number; None where the shares are equal, or where it would be over MOST_SCENES.
    """
    if only_first == only_second:
        return None
    return _first_with(lambda scenes: mcnemar_power(scenes, only_first, only_second, alpha) >= power)


def scenes_for_pairs(mean: float, variance: float, alpha: float, power: float = POWER) -> int | None:
    """Scenes with which a paired test finds the mean of differences, by the normal approximation (Connor 1987).

    The test takes the signs of the differences for chance, and then their variance is their mean square.

    Args:
        mean: Of the differences.
        variance: Of the differences.
        alpha: Level of the two-sided test.
        power: Wanted chance.

    Returns:
        The number, at least 2; None where the mean is 0, or where it would be over MOST_SCENES.
    """
    return _scenes_for(mean, variance, variance + mean**2, alpha, power)


def scenes_for_samples(
    difference: float, first_variance: float, second_variance: float, alpha: float, power: float = POWER
) -> int | None:
    """Scenes on each side with which a test of two independent samples finds the difference of their means.

    By the normal approximation (Fleiss, Levin and Paik 2003, chapter 4, for rates). The test takes both samples for
    one, and then each side has their mean variance and a quarter of the squared difference.

    Args:
        difference: Of the means.
        first_variance: Of single scenes of the first sample.
        second_variance: Of the second.
        alpha: Level of the two-sided test.
        power: Wanted chance.

    Returns:
        The number, at least 2; None where the difference is 0, or where it would be over MOST_SCENES.
    """
    variance = first_variance + second_variance
    return _scenes_for(difference, variance, variance + difference**2 / 2, alpha, power)


def scenes_for_sign_flip(differences: Sequence[float], alpha: float, power: float = POWER) -> int | None:
    """Scenes with which `sign_flip_test` finds a difference like that of scenes seen.

    Args:
        differences: One a scene, at least one.
        alpha: Level of the test.
        power: Wanted chance.

    Returns:
        What `scenes_for_pairs` says, and no fewer than the exact test needs to be significant at all: with m scenes
        that differ, its smallest p-value is 2 / 2^m.
    """
    values = np.asarray(differences, dtype=np.float64)
    wanted = scenes_for_pairs(float(values.mean()), float(values.var()), alpha, power)
    if wanted is None:
        return None
    return max(wanted, ceil(ceil(log2(2 / alpha)) / np.count_nonzero(values) * values.size))


def _scenes_for(mean: float, variance: float, variance_under_test: float, alpha: float, power: float) -> int | None:
    if mean == 0:
        return None
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) * sqrt(variance_under_test) + normal.inv_cdf(power) * sqrt(variance)
    wanted = ceil((reach / mean) ** 2)
    return max(2, wanted) if wanted <= MOST_SCENES else None


def _first_with(enough: Callable[[int], bool]) -> int | None:
    """Smallest number for which it is enough and from which doubling goes on; power is not quite monotone in it."""
    high = 1
    while not enough(high):
        high *= 2
        if high > MOST_SCENES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
