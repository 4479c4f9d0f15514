"""Paired comparison of two yes-or-no outcomes of the same scenes."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

from imove_analysis.intervals import CONFIDENCE, wilson_interval
from imove_analysis.statistics.differences import recovered_interval


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p-value of McNemar's exact test (McNemar 1947; exact binomial form).

    Under equal rates each scene in which the outcomes differ falls to either side with probability 1/2; scenes in which
    they agree say nothing. Without a differing scene the value is 1.

    Args:
        only_first: Scenes with a success under the first condition alone.
        only_second: Scenes with a success under the second alone.
    """
    differing = only_first + only_second
    # Whole numbers up to the division: exact for any number of scenes. Each coefficient comes from the one before.
    ways, tail = 1, 0
    for count in range(min(only_first, only_second) + 1):
        tail += ways
        ways = ways * (differing - count) // (count + 1)
    share: float = 2 * tail / 2**differing
    return min(1.0, share)


def compare_paired(outcomes: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """Counts how often two conditions agree and differ.

    Args:
        outcomes: Success under the first and under the second condition, one pair a scene.

    Returns:
        `n`, the counts `both`, `only_first`, `only_second` and `neither`, `difference` (rate under the second less rate
        under the first, None without scenes) and `p` of `mcnemar_exact`.
    """
    n = len(outcomes)
    counts = {
        "both": outcomes.count((True, True)),
        "only_first": outcomes.count((True, False)),
        "only_second": outcomes.count((False, True)),
        "neither": outcomes.count((False, False)),
    }
    only_first, only_second = counts["only_first"], counts["only_second"]
    return {
        "n": n,
        **counts,
        "difference": (only_second - only_first) / n if n else None,
        "p": mcnemar_exact(only_first, only_second),
    }


def difference_interval(outcomes: Sequence[tuple[bool, bool]], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Interval of the rate under the second condition less the rate under the first (Newcombe 1998, method 10).

    Built from the Wilson intervals of both rates and their correlation over the scenes, it stays within -1 and 1, and
    has a width also where no scene differs.

    Args:
        outcomes: Success under the first and under the second condition, one pair a scene; (-1, 1) without any.
        confidence: Between 0 and 1.
    """
    n = len(outcomes)
    if n == 0:
        return (-1.0, 1.0)
    both, neither = outcomes.count((True, True)), outcomes.count((False, False))
    only_first, only_second = outcomes.count((True, False)), outcomes.count((False, True))
    first, second = (both + only_first) / n, (both + only_second) / n
    return recovered_interval(
        first,
        wilson_interval(first, n, confidence),
        second,
        wilson_interval(second, n, confidence),
        _correlation(both, only_first, only_second, neither),
    )


def paired_difference(outcomes: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """What `compare_paired` says, with `ci95`, the 95 % interval of the difference."""
    return {**compare_paired(outcomes), "ci95": list(difference_interval(outcomes))}


def _correlation(both: int, only_first: int, only_second: int, neither: int) -> float:
    """Of two paired outcomes, with Newcombe's correction for continuity; 0 where one of them never varies."""
    n = both + only_first + only_second + neither
    sides = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    if sides == 0:
        return 0.0
    product = both * neither - only_first * only_second
    return (max(product - n / 2, 0.0) if product > 0 else product) / sqrt(sides)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number (Holm 1979), in the order in which they came."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
