"""Intervals of any statistic by resampling whole scenes (percentile bootstrap: Efron and Tibshirani 1993, chapter 13).

Episodes of one scene resemble each other, whatever instruction they got: a scene is drawn with all that belongs to it,
or not at all. With few scenes (fewer than about 20) such intervals are too narrow, and with one they have no width; for
plain rates `imove_analysis.intervals` has better ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from imove_analysis.intervals import CONFIDENCE
from imove_core.errors import ImoveError

ClusterT = TypeVar("ClusterT")
Floats = npt.NDArray[np.float64]
RESAMPLES = 2000
_CHUNK_DRAWS = 4_000_000


def bootstrap_interval(
    clusters: Sequence[ClusterT],
    statistic: Callable[[Sequence[ClusterT]], float],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """Percentile interval of a statistic over clusters.

    Args:
        clusters: Whole scenes, each with all its episodes.
        statistic: Of as many clusters, in which some come several times; NaN where it is not defined for them.
        rng: Draws the resamples.
        resamples: How often the statistic is computed; those that are NaN are left out.
        confidence: Between 0 and 1.

    Raises:
        ImoveError: There are no clusters, or the statistic is defined for no resample.
    """
    n = len(clusters)
    _check_any(n)
    values = [statistic([clusters[index] for index in rng.integers(n, size=n).tolist()]) for _ in range(resamples)]
    return _percentiles(np.asarray(values, dtype=np.float64), confidence)


def totals_interval(
    totals: npt.ArrayLike,
    statistic: Callable[[Floats], Floats],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """The same for statistics of sums over scenes, such as rates and their differences; fast with many scenes.

    Args:
        totals: What each scene adds, of shape (scenes, quantities), e.g. its successes and its episodes.
        statistic: Of sums of shape (resamples, quantities), one value a row; NaN where it is not defined.
        rng: Draws the resamples.
        resamples: How many sums are drawn; those for which the statistic is NaN are left out.
        confidence: Between 0 and 1.

    Raises:
        ImoveError: There are no scenes, or the statistic is defined for no resample.
    """
    scenes = np.asarray(totals, dtype=np.float64)
    n = len(scenes)
    _check_any(n)
    # Scenes that add the same are drawn by their number: few kinds of many scenes, in an order that is no file's.
    rows, counts = np.unique(scenes, axis=0, return_counts=True)
    at_once = max(1, _CHUNK_DRAWS // len(rows))
    sums = [
        rng.multinomial(n, counts / n, size=min(at_once, resamples - done)) @ rows
        for done in range(0, resamples, at_once)
    ]
    return _percentiles(statistic(np.concatenate(sums)), confidence)


def _check_any(clusters: int) -> None:
    if clusters == 0:
        raise ImoveError("a bootstrap got no scenes; it needs one or more")


def _percentiles(values: Floats, confidence: float) -> tuple[float, float]:
    defined = values[~np.isnan(values)]
    if defined.size == 0:
        raise ImoveError(f"the statistic is defined for none of {values.size} resamples of the scenes")
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
