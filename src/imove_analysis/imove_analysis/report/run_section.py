"""Everything that a page shows of one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from imove_analysis.counterfactual import BASELINE
from imove_analysis.failures import FailureTable, failures, traces_of
from imove_analysis.language import language_dependence
from imove_analysis.report.chance_levels import chance_levels
from imove_analysis.report.counterfactual_section import PairedRow, counterfactual_plots, paired_rows
from imove_analysis.report.facts import Headline, Tile, headline, origin_rows, setting_rows, tiles
from imove_analysis.report.failure_section import FailureSection, failure_section
from imove_analysis.report.language_section import LanguagePanel, dependence_figures, language_panels, robustness_panel
from imove_analysis.report.motion_section import MotionTable, motion_section
from imove_analysis.report.plots import PlotRow, interval_plot
from imove_analysis.report.rates import ConditionRates, first_contact_rate, rates_of
from imove_analysis.tables.rows import Row
from imove_core.errors import ImoveError
from imove_tasks.stages import RUBRICS


@dataclass(frozen=True)
class RunSection:
    """A run as a page shows it.

    Attributes:
        anchor: Of its part of the page.
        name: As short as runs of the page can be told apart.
        suite: Name.
        conditions: That were run.
        headline: The answer in one sentence.
        tiles: Key figures.
        problems: What is wrong with its files.
        aborted: Reasons of aborted episodes with their counts.
        rate_plots: Title and plot for each condition whose text is about one object, both rubrics in each.
        counterfactual_plots: Title and plot for each stage, strict rubric.
        paired: Other conditions against normal, strict rubric.
        language: Panels of language dependence.
        dependence: The language-dependence index by act as plain data, for comparisons; empty where it is not known.
        language_missing: Why there are none, "" where there are.
        language_notes: What must be known to read them.
        robustness: The curve over other texts, None where none was run.
        failures: Where it fails.
        motion: How the arms moved, None where that is not known.
        motion_missing: What is not known of that, "" for nothing.
        settings: What decides results.
        origin: Where it comes from.
    """

    anchor: str
    name: str
    suite: str
    conditions: tuple[str, ...]
    headline: Headline
    tiles: tuple[Tile, ...]
    problems: tuple[str, ...]
    aborted: Mapping[str, int]
    rate_plots: tuple[tuple[str, Markup], ...]
    counterfactual_plots: tuple[tuple[str, Markup], ...]
    paired: tuple[PairedRow, ...]
    language: tuple[LanguagePanel, ...]
    dependence: Mapping[str, dict[str, Any]]
    language_missing: str
    language_notes: tuple[str, ...]
    robustness: LanguagePanel | None
    failures: FailureSection
    motion: MotionTable | None
    motion_missing: str
    settings: Sequence[tuple[str, str]]
    origin: Sequence[tuple[str, str]]


def run_section(
    row: Row, number: int, rng: np.random.Generator, advance: Callable[[], None]
) -> tuple[RunSection, FailureTable | None]:
    """Makes the section, and hands over the failures for the browser of the page.

    Args:
        row: The run with its name.
        number: Its place on the page.
        rng: Draws the resamples of intervals.
        advance: Called after each episode whose motion was measured.
    """
    run = row.run
    chance = chance_levels(row)
    rates = {rubric: rates_of(run, rubric, chance) for rubric in RUBRICS}
    normal = next((entry for entry in rates["strict"] if entry.condition == BASELINE), None)
    language, missing = _language(row, rng)
    table, not_classed = _failures(row, rng)
    motion, motion_missing = motion_section(run, rng, advance)
    section = RunSection(
        anchor=f"run-{number}",
        name=row.name,
        suite=run.suite_name,
        conditions=run.conditions,
        headline=headline(run, language, normal),
        tiles=tiles(run, normal, first_contact_rate(run, chance), language),
        problems=run.problems,
        aborted=_reasons(row),
        rate_plots=tuple(_rate_plots(rates)),
        counterfactual_plots=tuple(counterfactual_plots(rates["strict"])),
        paired=tuple(paired_rows(run, "strict")),
        language=language_panels(language) if language else (),
        dependence=dependence_figures(language) if language else {},
        language_missing=missing,
        language_notes=tuple(language["notes"]) if language else (),
        robustness=robustness_panel(language) if language else None,
        failures=failure_section(table, not_classed),
        motion=motion,
        motion_missing=motion_missing,
        settings=setting_rows(run),
        origin=origin_rows(run),
    )
    return section, table


def _language(row: Row, rng: np.random.Generator) -> tuple[dict[str, Any] | None, str]:
    try:
        return language_dependence(row.run, rng), ""
    except ImoveError as error:
        return None, f"{error}."


def _failures(row: Row, rng: np.random.Generator) -> tuple[FailureTable | None, str]:
    try:
        return failures(row.run, traces_of(row.run), rng=rng), ""
    except ImoveError as error:
        return None, f"{error}."


def _reasons(row: Row) -> dict[str, int]:
    reasons: dict[str, int] = {}
    for episode in row.run.aborted:
        reasons[episode.outcome] = reasons.get(episode.outcome, 0) + 1
    return reasons


def _rate_plots(rates: Mapping[str, Sequence[ConditionRates]]) -> list[tuple[str, Markup]]:
    plots = []
    for entries in zip(*rates.values(), strict=True):
        if not entries[0].target:
            continue
        by_rubric = [(*entry.target, *((entry.score,) if entry.score else ())) for entry in entries]
        rows = [
            PlotRow(same[0].name, tuple(rate.mark(series) for series, rate in enumerate(same)))
            for same in zip(*by_rubric, strict=True)
        ]
        condition = entries[0].condition
        title = f"{condition.capitalize()}, n = {entries[0].n:,}"
        plots.append((title, interval_plot(rows, f"Rates of the stages under {condition}, strict and reference")))
    return plots
