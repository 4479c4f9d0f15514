"""Paired comparison of two scores of the same scenes, such as S, the share of the stages that were reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.stats import binom

from imove_analysis.intervals import CONFIDENCE, mean_interval
from imove_analysis.statistics.differences import recovered_interval


def sign_flip_test(differences: Sequence[int]) -> float:
    """Two-sided p-value of the exact permutation test of paired differences (Fisher 1935, chapter 3).

    Under no difference each scene's value is as likely as its opposite; the value is the share of all ways to choose
    the signs whose sum is as far from 0 as the observed one. For -1, 0 and 1 this is McNemar's exact test. It is
    computed from the distribution of the sum, not by drawing signs, so it is the same every time.

    Args:
        differences: One whole number a scene, e.g. stages reached under the second less those under the first.
    """
    distribution = np.ones(1)
    for size, count in sorted(Counter(abs(value) for value in differences if value).items()):
        # The sum of `count` values of +-size, on whole numbers from -size * count.
        sums = np.zeros(2 * size * count + 1)
        sums[:: 2 * size] = binom.pmf(np.arange(count + 1), count, 0.5)
        distribution = np.convolve(distribution, sums)
    reach = len(distribution) // 2
    far = abs(np.arange(-reach, reach + 1)) >= abs(sum(differences))
    return min(1.0, float(distribution[far].sum()))


def mean_difference_interval(
    pairs: Sequence[tuple[float, float]], confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Interval of the mean of the second less the mean of the first, of scores between 0 and 1.

    Made from the intervals of both means and their correlation over the scenes as `recovered_interval` says. Those of
    the means allow for the largest variance that such scores can have, so it is rather too wide than too narrow.

    Args:
        pairs: Score under the first and under the second, one pair a scene; (-1, 1) without any.
        confidence: Between 0 and 1.
    """
    if not pairs:
        return (-1.0, 1.0)
    first, second = np.asarray(pairs, dtype=np.float64).T
    spread = float(first.std() * second.std())
    covariance = float(((first - first.mean()) * (second - second.mean())).mean())
    return recovered_interval(
        float(first.mean()),
        mean_interval(first.tolist(), confidence),
        float(second.mean()),
        mean_interval(second.tolist(), confidence),
        covariance / spread if spread else 0.0,
    )
