"""One outcome of two samples of episodes: both estimates, the difference, a test, and what it would take to tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import permutation_test

from imove_analysis.intervals import mean_interval, mean_score, proportion
from imove_analysis.paired import compare_paired, difference_interval, holm
from imove_analysis.statistics import unpaired
from imove_analysis.statistics.differences import recovered_interval
from imove_analysis.statistics.named_intervals import proportion_interval
from imove_analysis.statistics.paired_scores import mean_difference_interval, sign_flip_test
from imove_analysis.statistics.planning import scenes_for_mcnemar, scenes_for_samples, scenes_for_sign_flip
from imove_analysis.statistics.sequential import anytime_p_values, confidence_sequence
from imove_core.errors import ImoveError

BETTER, WORSE, UNDECIDED = "better", "worse", "undecided"
Scores = Sequence[float]
Flags = Sequence[bool]


@dataclass(frozen=True)
class Measure:
    """An outcome of two samples, the second against the first.

    Attributes:
        name: Stage, or `s_pick` or `s_pnp`.
        first: `k`, `n`, `rate` and `ci95` of a stage, `n`, `mean` and `ci95` of a score.
        second: The same of the second.
        difference: Second less first.
        interval: Of the difference, with confidence 1 - alpha.
        test: Where `p` comes from.
        p: Two-sided p-value; of a sequential test one that holds wherever one stops.
        p_adjusted: For the number of outcomes of its family.
        direction: `better` or `worse`: where the evidence points.
        verdict: The direction where `p_adjusted` is at most alpha, else `undecided`.
        scenes_needed: Scenes in all with which a new run shows such a difference with a chance of 80 %; None where that
            would be too many to name, and for sequential tests.
    """

    name: str
    first: Mapping[str, Any]
    second: Mapping[str, Any]
    difference: float
    interval: tuple[float, float]
    test: str
    p: float
    p_adjusted: float
    direction: str
    verdict: str
    scenes_needed: int | None

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "interval": list(self.interval)}


def paired_stage(name: str, first: Flags, second: Flags, alpha: float) -> Measure:
    """McNemar's exact test of a stage over the scenes."""
    pairs = list(zip(first, second, strict=True))
    counted = compare_paired(pairs)
    n = counted["n"]
    return _measure(
        name,
        _rates(first, second),
        difference=counted["difference"],
        interval=difference_interval(pairs, 1 - alpha),
        test="McNemar exact",
        p=counted["p"],
        alpha=alpha,
        needed=scenes_for_mcnemar(counted["only_first"] / n, counted["only_second"] / n, alpha),
    )


def paired_score(name: str, first: Scores, second: Scores, parts: int, alpha: float) -> Measure:
    """Exact sign-flip test of a score over the scenes, which is made of `parts` equal parts."""
    pairs = list(zip(first, second, strict=True))
    changes = np.array([two - one for one, two in pairs])
    return _measure(
        name,
        _means(first, second),
        difference=float(changes.mean()),
        interval=mean_difference_interval(pairs, 1 - alpha),
        test="sign flip exact",
        p=sign_flip_test([round(change * parts) for change in changes.tolist()]),
        alpha=alpha,
        needed=scenes_for_sign_flip(changes.tolist(), alpha),
    )


def sequential_stage(name: str, first: Flags, second: Flags, alpha: float) -> Measure:
    """Betting test of a stage, see `imove_analysis.statistics.sequential`."""
    return _sequential(name, _rates(first, second), first, second, alpha)


def sequential_score(name: str, first: Scores, second: Scores, alpha: float) -> Measure:
    """Betting test of a score."""
    return _sequential(name, _means(first, second), first, second, alpha)


def unpaired_stage(name: str, first: Flags, second: Flags, alpha: float) -> Measure:
    """Barnard's test of a stage of different scenes (Fisher's for large runs)."""
    one, two = (unpaired.Count(sum(flags), len(flags)) for flags in (first, second))
    test, p = unpaired.unpaired_test(one, two)
    first_variance, second_variance = (count.rate * (1 - count.rate) for count in (one, two))
    return _measure(
        name,
        _rates(first, second),
        difference=two.rate - one.rate,
        interval=unpaired.difference_interval(one, two, 1 - alpha),
        test=test,
        p=p,
        alpha=alpha,
        needed=scenes_for_samples(two.rate - one.rate, first_variance, second_variance, alpha),
    )


def unpaired_score(name: str, first: Scores, second: Scores, alpha: float, rng: np.random.Generator) -> Measure:
    """Permutation test of the mean scores of different scenes, with drawn permutations.

    Raises:
        ImoveError: There are fewer than 2 scenes on a side.
    """
    if min(len(first), len(second)) < 2:
        raise ImoveError(
            f"{name} of {len(first)} and {len(second)} scenes; an unpaired comparison needs at least 2 on each side"
        )
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    difference = float(two.mean() - one.mean())
    means = (float(one.mean()), mean_interval(first, 1 - alpha), float(two.mean()), mean_interval(second, 1 - alpha))
    found = permutation_test((one, two), _mean_difference, vectorized=True, rng=rng)
    return _measure(
        name,
        _means(first, second),
        difference=difference,
        interval=recovered_interval(*means),
        test="permutation",
        p=min(1.0, float(found.pvalue)),
        alpha=alpha,
        needed=scenes_for_samples(difference, float(one.var()), float(two.var()), alpha),
    )


def adjust(measures: Sequence[Measure], alpha: float) -> tuple[Measure, ...]:
    """The same measures as a family: p-values adjusted by Holm's method, and verdicts by them."""
    adjusted = holm([measure.p for measure in measures])
    return tuple(
        replace(measure, p_adjusted=p, verdict=measure.direction if p <= alpha else UNDECIDED)
        for measure, p in zip(measures, adjusted, strict=True)
    )


def with_interval(measure: Measure, name: str) -> Measure:
    """The same stage, with the named interval of both rates."""

    def estimate(found: Mapping[str, Any]) -> dict[str, Any]:
        return {**found, "ci95": list(proportion_interval(name, found["k"], found["n"]))}

    return replace(measure, first=estimate(measure.first), second=estimate(measure.second))


def _sequential(
    name: str, estimates: tuple[dict[str, Any], dict[str, Any]], first: Scores, second: Scores, alpha: float
) -> Measure:
    changes = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    better, worse = anytime_p_values(changes)
    return _measure(
        name,
        estimates,
        difference=float(changes.mean()),
        interval=confidence_sequence(changes, alpha),
        test="betting",
        p=min(better, worse),
        alpha=alpha,
        needed=None,
        is_better=better < worse,
    )


def _measure(
    name: str,
    estimates: tuple[dict[str, Any], dict[str, Any]],
    *,
    difference: float,
    interval: tuple[float, float],
    test: str,
    p: float,
    alpha: float,
    needed: int | None,
    is_better: bool | None = None,
) -> Measure:
    direction = BETTER if (difference > 0 if is_better is None else is_better) else WORSE
    return Measure(
        name=name,
        first=estimates[0],
        second=estimates[1],
        difference=difference,
        interval=interval,
        test=test,
        p=p,
        p_adjusted=p,
        direction=direction,
        verdict=direction if p <= alpha else UNDECIDED,
        scenes_needed=needed,
    )


def _rates(first: Flags, second: Flags) -> tuple[dict[str, Any], dict[str, Any]]:
    return (proportion(sum(first), len(first)), proportion(sum(second), len(second)))


def _means(first: Scores, second: Scores) -> tuple[dict[str, Any], dict[str, Any]]:
    return (mean_score(first), mean_score(second))


def _mean_difference(first: Any, second: Any, axis: int = -1) -> Any:
    return second.mean(axis=axis) - first.mean(axis=axis)
