"""Outcomes of two samples as rows of a table and of a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from imove_analysis.comparing import Comparison
from imove_analysis.measures import Measure
from imove_analysis.report.plots import Mark, PlotRow, interval_plot
from imove_analysis.report.words import interval, number, signed
from imove_analysis.scores import SCORE_TITLES
from imove_tasks.stages import PLACE_STAGES, stage_title


@dataclass(frozen=True)
class MeasureRow:
    """One outcome.

    Attributes:
        name: Stage or score as people call it.
        first: Estimate of the first sample with count and interval.
        second: Of the second one.
        change: Second less first, with interval.
        p: P-value, and in brackets the one adjusted for the number of stages.
        verdict: Of the second against the first: better, worse or undecided.
        test: Where `p` comes from.
    """

    name: str
    first: str
    second: str
    change: str
    p: str
    verdict: str
    test: str


def measure_rows(comparison: Comparison) -> list[MeasureRow]:
    """The stages and the score of a comparison."""
    return [
        *(_row(measure, f"{measure.p:.3g} ({measure.p_adjusted:.3g})") for measure in comparison.stages),
        _row(comparison.score, f"{comparison.score.p:.3g}"),
    ]


def change_plot(comparison: Comparison, alt: str) -> Markup:
    """Differences with their intervals, from -1 to 1."""
    rows = [
        PlotRow(outcome_title(measure.name), (_change_mark(measure),))
        for measure in (*comparison.stages, comparison.score)
    ]
    return interval_plot(rows, alt, low=-1.0)


def side_by_side_plot(comparison: Comparison, alt: str) -> Markup:
    """Both samples with their intervals, from 0 to 1."""
    rows = [
        PlotRow(
            outcome_title(measure.name),
            tuple(_sample_mark(found, series) for series, found in enumerate((measure.first, measure.second))),
        )
        for measure in (*comparison.stages, comparison.score)
    ]
    return interval_plot(rows, alt)


def outcome_title(name: str) -> str:
    """A stage or score as people call it."""
    return stage_title(name) if name in PLACE_STAGES else SCORE_TITLES[name]


def _row(measure: Measure, p: str) -> MeasureRow:
    return MeasureRow(
        name=outcome_title(measure.name),
        first=_estimate(measure.first),
        second=_estimate(measure.second),
        change=f"{signed(measure.difference)} {interval(measure.interval)}",
        p=p,
        verdict=measure.verdict,
        test=measure.test,
    )


def _estimate(found: Mapping[str, Any]) -> str:
    count = f"{found['k']}/{found['n']} = " if "k" in found else ""
    return f"{count}{number(_value(found))} {interval(_ci95(found))}"


def _sample_mark(found: Mapping[str, Any], series: int) -> Mark:
    low, high = _ci95(found)
    return Mark(_value(found), low, high, _estimate(found), series)


def _change_mark(measure: Measure) -> Mark:
    series = {"better": 2, "worse": 1}.get(measure.verdict, 0)
    tip = f"{signed(measure.difference)} {interval(measure.interval)}, {measure.verdict}"
    return Mark(measure.difference, *measure.interval, tip, series)


def _value(found: Mapping[str, Any]) -> float | None:
    value: float | None = found["rate"] if "k" in found else found["mean"]
    return value


def _ci95(found: Mapping[str, Any]) -> Sequence[float]:
    bounds: Sequence[float] = found["ci95"]
    return bounds
