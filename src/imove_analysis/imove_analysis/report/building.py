"""The report page of one run, or of several together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from imove_analysis.failures import CLASSES
from imove_analysis.report.browser_rows import UNCLASSED, UNKNOWN, browser_rows
from imove_analysis.report.domains_section import domains_section
from imove_analysis.report.failure_section import class_title
from imove_analysis.report.pages import write_page
from imove_analysis.report.progress import Progress, Silent
from imove_analysis.report.run_section import run_section
from imove_analysis.report.tables_section import table_views
from imove_analysis.report.videos import VideoShelf
from imove_analysis.runs import Run
from imove_analysis.tables.comparable import check_same
from imove_analysis.tables.rows import rows_of
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS

MOST_EPISODES = 2000
"""Rows of the failure browser: a page from disk cannot fetch more of them, and 2,000 open within a second."""


def build_report(
    runs: Sequence[Run],
    out: Path,
    *,
    mixed: bool = False,
    seed: int = 0,
    most_episodes: int = MOST_EPISODES,
    beside: Sequence[str] = (),
    progress: Progress | None = None,
) -> Path:
    """Writes `index.html` and what it shows into a folder.

    Args:
        runs: At least one; several stand in common tables.
        out: Folder of the page.
        mixed: Whether runs that may not be compared stand in one table all the same, which then says so.
        seed: Of the resamples that intervals are drawn from.
        most_episodes: Rows of the failure browser over all runs.
        beside: Names of files in that folder that the page names, e.g. a result card.
        progress: Is told how far it is.

    Returns:
        The page.

    Raises:
        ImoveError: There is no run, runs differ in what decides results, or the folder cannot be written.
    """
    if not runs:
        raise ImoveError("a report needs at least one run; none was given")
    progress = progress or Silent()
    warnings = check_same(runs, mixed)
    rows = rows_of(runs)
    sections, episodes = [], []
    for number, row in enumerate(rows):
        progress.begin(f"{row.name} on {row.suite}", len(row.run.episodes))
        section, failures = run_section(row, number, np.random.default_rng(seed), progress.advance)
        sections.append(section)
        shelf = VideoShelf(row.run, number, out)
        episodes += browser_rows(row.run, number, failures, shelf, most_episodes // len(runs))
    progress.begin("tables", 0)
    values: dict[str, Any] = {
        "title": _title(runs),
        "runs": sections,
        "warnings": warnings,
        "beside": beside,
        "tables": table_views([run for run in runs if run.episodes], mixed),
        "domains": domains_section(runs, np.random.default_rng(seed)),
        "episodes": episodes,
        "episodes_in_all": sum(len(run.episodes) + len(run.aborted) for run in runs),
        "browser": _choices(runs, [section.name for section in sections], episodes),
    }
    return write_page(out, "report.html", ("browser.js",), values)


def _title(runs: Sequence[Run]) -> str:
    policies = list(dict.fromkeys(run.policy for run in runs))
    suites = list(dict.fromkeys(run.suite_name for run in runs))
    names = ", ".join(policies) if len(policies) < 5 else f"{len(policies)} policies"
    return f"{names} on {', '.join(suites) if len(suites) < 3 else f'{len(suites)} suites'}"


def _choices(runs: Sequence[Run], names: Sequence[str], episodes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the browser can filter by."""
    classes = {row["class"] for row in episodes}
    conditions = {row["condition"] for row in episodes}
    known = [name for name in (*CLASSES, UNCLASSED, UNKNOWN) if name in classes]
    return {
        "runs": [f"{name}, {run.suite_name}" for name, run in zip(names, runs, strict=True)],
        "classes": [[name, class_title(name)] for name in known],
        "conditions": [name for name in CONDITIONS if name in conditions],
    }
