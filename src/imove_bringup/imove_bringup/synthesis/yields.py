"""The yield of a synthesis: how many specs become demonstrations, why others do not, and what is in the kept set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from imove_analysis.intervals import wilson_interval
from imove_bringup.synthesis.outcome import Motion, Outcome
from imove_core.values import FrozenValue


class Share(FrozenValue):
    """Of so many specs, so many were kept."""

    tried: int
    kept: int


class Reason(FrozenValue):
    """Specs that were rejected for one kind of reason.

    Attributes:
        at: Where they were given up, see `RejectedAt`.
        kind: What was wrong in few words.
        count: How many.
        example: The sentence of the first of them.
    """

    at: str
    kind: str
    count: int
    example: str


class Figure(FrozenValue):
    """A figure over the kept set."""

    median: float
    largest: float


class Yield(FrozenValue):
    """What came of a synthesis.

    Attributes:
        specs: That were tried.
        kept: Of them, those that became demonstrations.
        rate: Share of these.
        ci95: Its Wilson interval.
        rejections: Why the others did not, most frequent first.
        by_category: By category of the object to pick.
        by_asset: By UUID of the object to pick.
        by_region: By ninth of the workspace in which the object lies.
        balance: Of the kept set: counts by kind, and by value in each.
        instructions: Different texts in the kept set.
        smoothness: Peak speed, acceleration and jerk, and joint travel, of the kept motions.
        cpu_s: Mean processor time by part of one kept demonstration, all specs that were tried counted.
    """

    specs: int
    kept: int
    rate: float
    ci95: tuple[float, float]
    rejections: tuple[Reason, ...]
    by_category: dict[str, Share]
    by_asset: dict[str, Share]
    by_region: dict[str, Share]
    balance: dict[str, dict[str, int]]
    instructions: int
    smoothness: dict[str, Figure]
    cpu_s: dict[str, float]


def summarise(outcomes: Sequence[Outcome], costs: Mapping[int, Mapping[str, float]]) -> Yield:
    """The yield of at least one outcome.

    Args:
        outcomes: What became of each spec.
        costs: Processor time by part, by number of the spec.
    """
    kept = [outcome for outcome in outcomes if outcome.bag is not None]
    rate = len(kept) / len(outcomes)
    asked = [outcome for outcome in outcomes if outcome.asked is not None]
    return Yield(
        specs=len(outcomes),
        kept=len(kept),
        rate=rate,
        ci95=wilson_interval(rate, len(outcomes)),
        rejections=_reasons(outcomes),
        by_category=_shares(asked, lambda outcome: _asked(outcome, "category")),
        by_asset=_shares(asked, lambda outcome: _asked(outcome, "asset")),
        by_region=_shares(asked, lambda outcome: _asked(outcome, "region")),
        balance={
            "categories": _counts(_asked(outcome, "category") for outcome in kept),
            "destinations": _counts(_asked(outcome, "destination") for outcome in kept),
            "relations": _counts(_asked(outcome, "relation") for outcome in kept),
            "regions": _counts(_asked(outcome, "region") for outcome in kept),
            "arms": _counts(outcome.motion.arm for outcome in kept if outcome.motion is not None),
        },
        instructions=len({_asked(outcome, "instruction") for outcome in kept}),
        smoothness=_smoothness([outcome.motion for outcome in kept if outcome.motion is not None]),
        cpu_s=_costs([costs[outcome.index] for outcome in outcomes if outcome.index in costs], len(kept)),
    )


def _asked(outcome: Outcome, field: str) -> str:
    return str(getattr(outcome.asked, field))


def _reasons(outcomes: Iterable[Outcome]) -> tuple[Reason, ...]:
    rejected = [outcome.rejection for outcome in outcomes if outcome.rejection is not None]
    examples = {(found.at, found.kind): found.reason for found in reversed(rejected)}
    counts = Counter((found.at, found.kind) for found in rejected)
    return tuple(
        Reason(at=at, kind=kind, count=count, example=examples[at, kind]) for (at, kind), count in counts.most_common()
    )


def _shares(outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> dict[str, Share]:
    tried, kept = Counter(map(key, outcomes)), Counter(key(outcome) for outcome in outcomes if outcome.bag is not None)
    return {name: Share(tried=tried[name], kept=kept[name]) for name in sorted(tried)}


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(value for value in values if value).items()))


def _smoothness(motions: Sequence[Motion]) -> dict[str, Figure]:
    names = ("steps", "peak_speed_rad_s", "peak_acceleration_rad_s2", "peak_jerk_rad_s3", "path_length_rad")
    columns: dict[str, list[Any]] = {name: [getattr(motion, name) for motion in motions] for name in names}
    return {
        name: Figure(median=float(median(values)), largest=float(max(values)))
        for name, values in columns.items()
        if values
    }


def _costs(costs: Sequence[Mapping[str, float]], kept: int) -> dict[str, float]:
    parts = sorted({name for cost in costs for name in cost})
    return {name: sum(cost.get(name, 0.0) for cost in costs) / kept for name in parts} if kept else {}
