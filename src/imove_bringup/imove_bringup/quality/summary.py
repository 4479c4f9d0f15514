"""The figures of a report page, from the results of the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from imove_bringup.quality.results import Result

BINS = 20
"""Of the distribution of successes, from 0 to 100 %."""
WORST = 24
"""How many assets are shown as worst."""


@dataclass(frozen=True)
class CategoryFigures:
    """One category, or all of a domain.

    Attributes:
        name: Of the category.
        domain: Its domain.
        assets: How many were checked.
        passed: How many of them passed.
        graspable: How many were grasped.
        mean_share: Mean share of held trials of those, 0 where there are none.
        worst_share: The least of them.
    """

    name: str
    domain: str
    assets: int
    passed: int
    graspable: int
    mean_share: float
    worst_share: float


@dataclass(frozen=True)
class Summary:
    """All figures.

    Attributes:
        assets: How many were checked.
        passed: How many passed.
        graspable: How many were grasped.
        trials: All trial grasps.
        held: Those that succeeded.
        failures: Reasons of the others with their numbers, most frequent first.
        distribution: Number of graspable assets in each of `BINS` bins of the share of held trials.
        poses: All resting poses.
        poses_holding: Those that hold.
        unstable: Assets with a pose that does not hold.
        checks: Labels and figures that were measured.
        disagreements: Checks that disagreed and how often, most frequent first.
        disagreeing: Assets with a disagreement.
        categories: In the order in which they first come.
        worst: Failed assets first, then those held least, `WORST` at most; those held always are left out.
        cpu_s: Processor time of all checks.
    """

    assets: int
    passed: int
    graspable: int
    trials: int
    held: int
    failures: tuple[tuple[str, int], ...]
    distribution: tuple[int, ...]
    poses: int
    poses_holding: int
    unstable: tuple[Result, ...]
    checks: int
    disagreements: tuple[tuple[str, int], ...]
    disagreeing: tuple[Result, ...]
    categories: tuple[CategoryFigures, ...]
    worst: tuple[Result, ...]
    cpu_s: float


def held_share(result: Result) -> float:
    """Share of held trials of a graspable asset, 1 for another one."""
    grasps = result.grasps
    return grasps.successes / grasps.trials if grasps is not None and grasps.trials else 1.0


def summarise(results: Sequence[Result]) -> Summary:
    """Adds up results, one an asset."""
    grasps = [result.grasps for result in results if result.grasps is not None]
    failures: Counter[str] = Counter()
    distribution = [0] * BINS
    for item in grasps:
        failures.update(item.failures)
        distribution[min(BINS - 1, item.successes * BINS // max(1, item.trials))] += 1
    poses = [pose for result in results for pose in result.poses]
    checks = Counter(item.check for result in results for item in result.disagreements)
    ranked = sorted(results, key=lambda result: (result.passed, held_share(result), result.name, result.uuid))
    return Summary(
        assets=len(results),
        passed=sum(result.passed for result in results),
        graspable=len(grasps),
        trials=sum(item.trials for item in grasps),
        held=sum(item.successes for item in grasps),
        failures=tuple(failures.most_common()),
        distribution=tuple(distribution),
        poses=len(poses),
        poses_holding=sum(pose.holds for pose in poses),
        unstable=tuple(result for result in results if not all(pose.holds for pose in result.poses)),
        checks=sum(result.checks for result in results),
        disagreements=tuple(checks.most_common()),
        disagreeing=tuple(result for result in results if result.disagreements),
        categories=tuple(_by_category(results)),
        worst=tuple(result for result in ranked if not result.passed or held_share(result) < 1.0)[:WORST],
        cpu_s=sum(result.cpu_s for result in results),
    )


def _by_category(results: Sequence[Result]) -> Iterable[CategoryFigures]:
    for name in dict.fromkeys(result.category for result in results):
        own = [result for result in results if result.category == name]
        shares = [held_share(result) for result in own if result.grasps is not None]
        yield CategoryFigures(
            name=name,
            domain=own[0].domain,
            assets=len(own),
            passed=sum(result.passed for result in own),
            graspable=len(shares),
            mean_share=sum(shares) / len(shares) if shares else 0.0,
            worst_share=min(shares, default=0.0),
        )
