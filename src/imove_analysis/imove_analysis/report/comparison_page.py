"""Two runs side by side: which is better, by how much, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from imove_analysis.comparing import compare_runs
from imove_analysis.counterfactual import BASELINE
from imove_analysis.episodes import Episode
from imove_analysis.failures import ClassedEpisode, FailureTable
from imove_analysis.report.domains_section import domains_section
from imove_analysis.report.failure_section import class_title
from imove_analysis.report.measure_rows import MeasureRow, change_plot, measure_rows, side_by_side_plot
from imove_analysis.report.pages import write_page
from imove_analysis.report.plots import Mark, PlotRow, interval_plot
from imove_analysis.report.progress import Progress, Silent
from imove_analysis.report.run_section import RunSection, run_section
from imove_analysis.report.tables_section import table_views
from imove_analysis.report.words import mark_of
from imove_analysis.runs import Run
from imove_analysis.tables.comparable import check_same
from imove_analysis.tables.rows import rows_of
from imove_analysis.verdicts import verdict_sentence
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS
from imove_tasks.stages import RUBRICS

MOST_SCENES = 200
"""Scenes that are listed one by one."""


@dataclass(frozen=True)
class ConditionView:
    """Both runs under one condition by one rubric.

    Attributes:
        condition: Name.
        rubric: Name.
        verdict: `better`, `worse` or `undecided`, of the second against the first; "" where they cannot be compared.
        sentence: The verdict in words, or why there is none.
        sides: Plot of both.
        change: Plot of the differences.
        rows: Stages and score.
        notes: What must be known to read it.
    """

    condition: str
    rubric: str
    verdict: str
    sentence: str
    sides: Markup | None = None
    change: Markup | None = None
    rows: tuple[MeasureRow, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SceneRow:
    """A scene in which only one of both succeeded.

    Attributes:
        scene: Its id.
        text: What both were told.
        better: Name of the one that succeeded.
        first: What became of the first.
        second: Of the second.
    """

    scene: str
    text: str
    better: str
    first: str
    second: str


def build_comparison(
    first: Run, second: Run, out: Path, *, mixed: bool = False, seed: int = 0, progress: Progress | None = None
) -> Path:
    """Writes the page of two runs into a folder.

    Args:
        first: The run that is compared with.
        second: The run in question.
        out: Folder of the page.
        mixed: Whether they may differ in what decides results besides the policy; the page then says so.
        seed: Of the resamples that intervals are drawn from.
        progress: Is told how far it is.

    Returns:
        The page.

    Raises:
        ImoveError: They differ in what decides results, or the folder cannot be written.
    """
    progress = progress or Silent()
    runs = (first, second)
    warnings = check_same(runs, mixed)
    rows = rows_of(runs)
    names = _told_apart([row.name for row in rows])
    sections, failures = [], []
    for number, row in enumerate(rows):
        progress.begin(f"{row.name} on {row.suite}", len(row.run.episodes))
        section, table = run_section(row, number, np.random.default_rng(seed), progress.advance)
        sections.append(section)
        failures.append(table)
    progress.begin("comparison", 0)
    views = [
        _condition(first, second, condition, rubric, seed)
        for condition in CONDITIONS
        if condition in first.conditions and condition in second.conditions
        for rubric in RUBRICS
    ]
    scenes = _scenes(first, second, names, failures)
    values: dict[str, Any] = {
        "title": f"{names[1]} against {names[0]}",
        "names": names,
        "warnings": warnings,
        "runs": sections,
        "views": views,
        "head": next((view for view in views if view.condition == BASELINE), None),
        "classes": _classes(names, failures),
        "language": _language_plot(names, sections),
        "scenes": scenes[:MOST_SCENES],
        "scenes_in_all": len(scenes),
        "tables": table_views([run for run in runs if run.episodes], mixed),
        "domains": domains_section(runs, np.random.default_rng(seed)),
    }
    return write_page(out, "comparison.html", (), values)


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names of both, with A and B where they are the same, as for one policy on two suites."""
    if names[0] != names[1]:
        return list(names)
    return [f"{name} ({letter})" for name, letter in zip(names, "AB", strict=True)]


def _condition(first: Run, second: Run, condition: str, rubric: str, seed: int) -> ConditionView:
    paired = first.settings["suite_hash"] == second.settings["suite_hash"]
    try:
        found = compare_runs(
            first, second, np.random.default_rng(seed), rubric=rubric, condition=condition, paired=paired
        )
    except ImoveError as error:
        return ConditionView(condition, rubric, "", f"Not compared: {error}.")
    return ConditionView(
        condition=condition,
        rubric=rubric,
        verdict=found.verdict,
        sentence=verdict_sentence(found),
        sides=side_by_side_plot(found, f"Both under {condition}, {rubric} rubric"),
        change=change_plot(found, f"Second less first under {condition}, {rubric} rubric"),
        rows=tuple(measure_rows(found)),
        notes=found.notes,
    )


def _classes(names: Sequence[str], failures: Sequence[FailureTable | None]) -> Markup | None:
    tables = [table for table in failures if table is not None and table.episodes]
    if len(tables) < len(names):
        return None
    counted = [table.counts() for table in tables]
    rows = [
        PlotRow(class_title(name), tuple(_share(counts[name], series) for series, counts in enumerate(counted)))
        for name in counted[0]
        if any(counts[name]["k"] for counts in counted)
    ]
    return interval_plot(rows, f"Share of each class of episodes, {names[0]} and {names[1]}")


def _share(count: Mapping[str, Any], series: int) -> Mark:
    return mark_of({**count, "value": count["rate"]}, series)


def _language_plot(names: Sequence[str], sections: Sequence[RunSection]) -> Markup | None:
    figures = [section.dependence for section in sections]
    if not all(figures):
        return None
    rows = [
        PlotRow(act, tuple(mark_of(found[act], series) for series, found in enumerate(figures)))
        for act in figures[0]
        if all(act in found for found in figures)
    ]
    return interval_plot(rows, f"Language-dependence index, {names[0]} and {names[1]}", low=-1.0)


def _scenes(first: Run, second: Run, names: Sequence[str], failures: Sequence[FailureTable | None]) -> list[SceneRow]:
    """Scenes under normal in which only one of both succeeded, by the strict rubric."""
    if first.settings["suite_hash"] != second.settings["suite_hash"]:
        return []
    ones, others = _normal(first), _normal(second)
    classed = [_classed(table) for table in failures]
    rows = []
    for scene in ones.keys() & others.keys():
        pair = (ones[scene], others[scene])
        if _won(pair[0]) != _won(pair[1]):
            entry = classed[0].get(scene)
            became = [_became(found.get(scene), episode) for found, episode in zip(classed, pair, strict=True)]
            text = entry.text if entry else pair[0].prompt
            rows.append(SceneRow(scene, text, names[0] if _won(pair[0]) else names[1], became[0], became[1]))
    return sorted(rows, key=lambda row: (row.better != names[0], row.scene))


def _normal(run: Run) -> dict[str, Episode]:
    return {episode.spec_id: episode for episode in run.episodes if episode.condition == BASELINE}


def _classed(table: FailureTable | None) -> dict[str, ClassedEpisode]:
    return {entry.spec_id: entry for entry in table.episodes if entry.condition == BASELINE} if table else {}


def _became(entry: ClassedEpisode | None, episode: Episode) -> str:
    return class_title(entry.name) if entry else "Success" if _won(episode) else "Failed"


def _won(episode: Episode) -> bool:
    return episode.rubrics["strict"].success
