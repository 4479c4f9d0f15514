"""What instructions change on the same scenes, as bars and as paired counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.counterfactual import BASELINE
from imove_analysis.paired import paired_difference
from imove_analysis.report.plots import BarGroup, Mark, bar_plot
from imove_analysis.report.rates import ConditionRates
from imove_analysis.report.words import interval, signed
from imove_analysis.runs import Run
from imove_analysis.tables.counting import titles

SERIES = ("Target of its own text", "Any object", "Target of the normal text")
NOT_APPLICABLE = Mark(None, 0.0, 0.0, "its text is about no single object")


@dataclass(frozen=True)
class PairedRow:
    """A condition compared with normal over the scenes that both have.

    Attributes:
        condition: The other one.
        stage: As people call it.
        n: Scenes.
        counts: Scenes in which the own target got there under both, under normal alone, under the other alone.
        change: Of the rate, with its sign and interval.
        p: Of McNemar's exact test.
    """

    condition: str
    stage: str
    n: int
    counts: tuple[int, int, int]
    change: str
    p: str


def counterfactual_plots(rates: Sequence[ConditionRates]) -> list[tuple[str, Markup]]:
    """A plot a stage, with a group of bars a condition; none where a run has a single condition."""
    if len(rates) < 2:
        return []
    plots = []
    for number, stage in enumerate(rates[0].any_object):
        groups = []
        for entry in rates:
            own = entry.target[number].mark(0) if entry.target else NOT_APPLICABLE
            normal = entry.normal_target[number].mark(2) if entry.normal_target else None
            marks = (own, entry.any_object[number].mark(1), *((normal,) if normal else ()))
            groups.append(BarGroup(entry.condition.capitalize(), marks))
        plots.append((stage.name, bar_plot(groups, f"{stage.name} by instruction condition")))
    return plots


def paired_rows(run: Run, rubric: str) -> list[PairedRow]:
    """Compares every other condition whose text is about one object with normal, scene by scene."""
    by_condition = {
        condition: {episode.spec_id: episode for episode in run.episodes if episode.condition == condition}
        for condition in TARGETED_CONDITIONS
    }
    first = by_condition.pop(BASELINE)
    rows = []
    for condition, second in by_condition.items():
        pairs = [(first[scene].rubrics[rubric], second[scene].rubrics[rubric]) for scene in first if scene in second]
        stages = pairs[0][0].stages if pairs else ()
        for stage, name in zip(stages, titles(stages), strict=True):
            outcomes = [(stage in before.reached, stage in after.reached) for before, after in pairs]
            found = paired_difference(outcomes)
            change = f"{signed(found['difference'])} {interval(found['ci95'])}"
            counts = (found["both"], found["only_first"], found["only_second"])
            rows.append(PairedRow(condition, name, len(pairs), counts, change, f"{found['p']:.3g}"))
    return rows
