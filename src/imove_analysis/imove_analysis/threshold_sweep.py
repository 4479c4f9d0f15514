"""Rates of a run over a threshold: whether a result hangs on where a line was drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_analysis.intervals import proportion
from imove_analysis.rescoring import checked_states, checked_thresholds, score_of, with_thresholds
from imove_analysis.runs import Run
from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Rig
from imove_core.spec import Rubrics

DEFAULT_RUBRIC = "strict"
MOST_VALUES = 100


@dataclass(frozen=True)
class Sweep:
    """Values of one threshold.

    Attributes:
        rubric: `strict` or `reference`.
        name: Of the threshold.
        values: In rising order.
    """

    rubric: str
    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class SweptRates:
    """Rates under one value of the threshold and one condition.

    Attributes:
        value: Of the threshold.
        condition: What the policy was told.
        rates: By stage: k, n, rate and Wilson interval, of the target or, where the text has none, of any object.
    """

    value: float
    condition: str
    rates: Mapping[str, dict[str, Any]]


def parse_sweep(text: str) -> Sweep:
    """Reads `NAME=LOW:HIGH:N`, with `RUBRIC.` before the name for another rubric than the strict one.

    Raises:
        ImoveError: It is written otherwise, there is no such threshold, or no such values.
    """
    place, _, numbers = text.partition("=")
    rubric, _, name = place.rpartition(".")
    rubric = rubric or DEFAULT_RUBRIC
    try:
        low, high, count = numbers.split(":")
        bounds, steps = (float(low), float(high)), int(count)
    except ValueError as error:
        raise ImoveError(f"sweep '{text}' is not NAME=LOW:HIGH:N, e.g. reach_distance_m=0.01:0.10:10") from error
    if not 2 <= steps <= MOST_VALUES or not bounds[0] < bounds[1]:
        raise ImoveError(f"sweep '{text}' must rise from LOW to HIGH in 2 to {MOST_VALUES} values")
    if rubric not in Rubrics.model_fields:
        raise unknown_name("rubric", rubric, Rubrics.model_fields)
    values = tuple(float(value) for value in np.linspace(*bounds, steps))
    for value in bounds:
        checked_thresholds({rubric: {name: value}}, f"of sweep '{text}'")
    return Sweep(rubric, name, values)


def sweep_rates(run: Run, rig: Rig, sweep: Sweep, progress: Callable[[], None] = lambda: None) -> list[SweptRates]:
    """Scores every finished episode under each value.

    Args:
        run: With control steps and suite.
        rig: Its embodiment.
        sweep: Which threshold, and its values.
        progress: Called after each episode.

    Returns:
        One entry for each value and condition, conditions after one another.

    Raises:
        ImoveError: An episode has no control steps, or damaged ones; or the suite is not at hand.
    """
    reached: Counter[tuple[str, float, str]] = Counter()
    counts: Counter[str] = Counter()
    stages: Sequence[str] = ()
    for episode in run.episodes:
        states = checked_states(run, episode)
        counts[episode.condition] += 1
        for value in sweep.values:
            spec = with_thresholds(run.specs[episode.spec_id], {sweep.rubric: {sweep.name: value}})
            score = score_of(rig, spec, episode.condition, states)
            stages = score.stages
            for stage in stages:
                reached[episode.condition, value, stage] += score.reached_stage(sweep.rubric, stage)
        progress()
    return [
        SweptRates(
            value,
            condition,
            {stage: proportion(reached[condition, value, stage], counts[condition]) for stage in stages},
        )
        for condition in counts
        for value in sweep.values
    ]
