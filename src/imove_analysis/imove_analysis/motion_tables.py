"""The motion of a run as a table for a terminal: rates and figures, a column a condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from imove_analysis.motion_summary import FIGURES
from imove_analysis.terminal_tables import NOTHING, new_table
from imove_tasks.stages import stage_title


def motion_table(title: str, summary: Mapping[str, Any]) -> Table:
    """Makes the table.

    Args:
        title: What was run.
        summary: From `summarise_motion`, of one condition or more.
    """
    columns = [f"{escape(condition)}, n = {found['episodes']}" for condition, found in summary.items()]
    table = new_table(title, ("Mean over episodes (95 % interval)",), columns)
    stages = next(iter(summary.values()))["rates"]
    for stage in stages:
        rates = [found["rates"][stage] for found in summary.values()]
        cells = [f"{rate['rate']:.2f} ({rate['ci95'][0]:.2f} to {rate['ci95'][1]:.2f})" for rate in rates]
        table.add_row(f"{stage_title(stage)}, strict", *cells)
    table.add_section()
    for name, called in FIGURES.items():
        cells = [_cell(found["figures"][name], found["episodes"]) for found in summary.values()]
        table.add_row(f"{called.title}{', ' if called.unit else ''}{called.unit}", *cells)
    return table


def _cell(figure: Mapping[str, Any], episodes: int) -> str:
    if figure["value"] is None:
        return NOTHING
    low, high = figure["ci95"]
    few = "" if figure["n"] == episodes else f", n = {figure['n']}"
    return f"{figure['value']:.3g} ({low:.3g} to {high:.3g}{few})"
