"""Paired comparison of two yes-or-no outcomes of the same scenes."""

from collections.abc import Sequence
from math import comb
from typing import Any


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p-value of McNemar's exact test (McNemar 1947; exact binomial form).

    Under equal rates each scene in which the outcomes differ falls to either side with probability 1/2; scenes in which
    they agree say nothing. Without a differing scene the value is 1.

    Args:
        only_first: Scenes with a success under the first condition alone.
        only_second: Scenes with a success under the second alone.
    """
    differing = only_first + only_second
    tail = sum(comb(differing, count) for count in range(min(only_first, only_second) + 1))
    # Whole numbers up to the division: exact for any number of scenes.
    return min(1.0, 2 * tail / 2**differing)


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
