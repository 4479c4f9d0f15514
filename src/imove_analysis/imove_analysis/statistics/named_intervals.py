"""The intervals of a proportion, by the names under which they can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from imove_analysis.intervals import CLOPPER_PEARSON, CONFIDENCE, WILSON, wilson_interval
from imove_analysis.statistics.unpaired import Count, clopper_pearson
from imove_core.errors import unknown_name

INTERVALS: Mapping[str, Callable[[Count, float], tuple[float, float]]] = MappingProxyType(
    {
        WILSON: lambda count, confidence: wilson_interval(count.rate, count.n, confidence),
        CLOPPER_PEARSON: clopper_pearson,
    }
)
"""`wilson` covers as often as it says on average over the rates, `clopper-pearson` at every rate."""


def proportion_interval(name: str, k: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Interval of a proportion by name; (0, 1) without trials.

    Args:
        name: One of INTERVALS.
        k: Successes.
        n: Trials.
        confidence: Between 0 and 1.

    Raises:
        ImoveError: There is no interval of that name, or no such count.
    """
    if name not in INTERVALS:
        raise unknown_name("interval", name, INTERVALS)
    return INTERVALS[name](Count(k, n), confidence)
