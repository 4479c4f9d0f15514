"""The motion of a run: figures over its episodes, by condition, with intervals, beside the rates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_analysis.episodes import Episode
from imove_analysis.intervals import proportion
from imove_analysis.motion_quality import MotionQuality, motion_quality
from imove_analysis.runs import Run
from imove_analysis.statistics.bootstrap import Floats, totals_interval
from imove_analysis.traces import states_of
from imove_core.rig import Rig


@dataclass(frozen=True)
class Measured:
    """An episode and its motion."""

    episode: Episode
    motion: MotionQuality


@dataclass(frozen=True)
class Unit:
    """How a figure is called and counted.

    Attributes:
        title: For people.
        unit: Of its number, "" for none.
    """

    title: str
    unit: str


FIGURES: Mapping[str, Unit] = {
    "first_reach_s": Unit("time to first reach", "s"),
    "tool_path_m": Unit("path of the tools", "m"),
    "joint_path_rad": Unit("path of the joints", "rad"),
    "peak_speed_m_s": Unit("peak tool speed", "m/s"),
    "mean_speed_m_s": Unit("mean tool speed", "m/s"),
    "sparc": Unit("smoothness (SPARC)", ""),
    "log_dimensionless_jerk": Unit("smoothness (LDLJ)", ""),
    "idle_share": Unit("idle share", ""),
    "regrasps": Unit("regrasps", "per episode"),
    "table_contacts": Unit("contacts with the table", "per episode"),
}
"""What `MotionQuality.figures` gives, in the order of tables."""


def measure_run(run: Run, rig: Rig, progress: Callable[[], None] = lambda: None) -> tuple[list[Measured], int]:
    """Measures the finished episodes of a run whose control steps were kept.

    Args:
        run: The run.
        rig: Its embodiment.
        progress: Called after each episode.

    Returns:
        The episodes with their motion, and how many have no control steps.

    Raises:
        ImoveError: A trace is damaged.
    """
    measured = []
    for episode in run.episodes:
        if episode.trace is not None:
            strict = episode.rubrics["strict"]
            first = next((event.step for event in strict.events if event.stage == "reach"), None)
            measured.append(Measured(episode, motion_quality(rig, states_of(run.folder, episode), first)))
        progress()
    return measured, len(run.episodes) - len(measured)


def summarise_motion(measured: Sequence[Measured], rng: np.random.Generator) -> dict[str, Any]:
    """Figures over episodes, by condition.

    Args:
        measured: Episodes of one run, from `measure_run`.
        rng: Draws the resamples of the intervals.

    Returns:
        By condition: `episodes`; `figures`, each with `value` (the mean over the episodes that have it), `ci95` (by
        resampling whole scenes), `n` (episodes that have it) and `unit`; `value` and `ci95` are None where n is 0; and
        `rates`, the strict stages with k, n, rate and Wilson interval, over the same episodes.
    """
    conditions = dict.fromkeys(item.episode.condition for item in measured)
    return {
        condition: _summary([item for item in measured if item.episode.condition == condition], rng)
        for condition in conditions
    }


def _summary(measured: Sequence[Measured], rng: np.random.Generator) -> dict[str, Any]:
    strict = [item.episode.rubrics["strict"] for item in measured]
    found = [(item.episode.spec_id, item.motion.figures()) for item in measured]
    return {
        "episodes": len(measured),
        "rates": {
            stage: proportion(sum(stage in result.reached for result in strict), len(strict))
            for stage in strict[0].stages
        },
        "figures": {
            name: {**_mean([(scene, value[name]) for scene, value in found], rng), "unit": FIGURES[name].unit}
            for name in FIGURES
        },
    }


def _mean(values: Sequence[tuple[str, float | None]], rng: np.random.Generator) -> dict[str, Any]:
    scenes: dict[str, list[float]] = {}
    for scene, value in values:
        if value is not None:
            scenes.setdefault(scene, []).append(value)
    if not scenes:
        return {"value": None, "ci95": None, "n": 0}
    totals = np.array([(sum(found), len(found)) for found in scenes.values()], dtype=np.float64)

    def mean(sums: Floats) -> Floats:
        means: Floats = sums[:, 0] / sums[:, 1]
        return means

    total, n = totals.sum(axis=0)
    return {"value": float(total / n), "ci95": list(totals_interval(totals, mean, rng)), "n": int(n)}
