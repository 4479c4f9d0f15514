"""How the arms moved, by condition, as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from imove_analysis.motion_summary import FIGURES, measure_run, summarise_motion
from imove_analysis.report.words import interval, number, plural
from imove_analysis.runs import Run
from imove_core.errors import ImoveError


@dataclass(frozen=True)
class MotionTable:
    """Figures by condition.

    Attributes:
        columns: Conditions with their numbers of episodes.
        rows: Name with unit, and for each condition value and interval.
    """

    columns: tuple[tuple[str, int], ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def motion_section(run: Run, rng: np.random.Generator, advance: Callable[[], None]) -> tuple[MotionTable | None, str]:
    """Measures the episodes of a run whose control steps were kept.

    Args:
        run: The run.
        rng: Draws the resamples of intervals.
        advance: Called after each episode.

    Returns:
        The table, None where there is nothing to measure; and what it leaves out, "" for nothing.
    """
    try:
        measured, missing = measure_run(run, run.open_rig(), advance)
    except ImoveError as error:
        return None, f"Not known: {error}."
    if not measured:
        return None, "Not known: no control steps were kept (traces:=false, or an older run)."
    summary = summarise_motion(measured, rng)
    rows = []
    for name, what in FIGURES.items():
        figures = [found["figures"][name] for found in summary.values()]
        title = f"{what.title[0].upper()}{what.title[1:]}{f', {what.unit}' if what.unit else ''}"
        rows.append((title, tuple((number(figure["value"]), interval(figure["ci95"])) for figure in figures)))
    columns = tuple((condition, found["episodes"]) for condition, found in summary.items())
    return MotionTable(columns, tuple(rows)), f"{plural(missing, 'episode')} without control steps." if missing else ""
