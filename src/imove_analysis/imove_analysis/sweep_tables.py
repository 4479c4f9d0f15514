"""Rates over a threshold as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from imove_analysis.terminal_tables import new_table
from imove_analysis.threshold_sweep import Sweep, SweptRates
from imove_tasks.stages import stage_title


def sweep_table(title: str, sweep: Sweep, found: Sequence[SweptRates]) -> Table:
    """Makes the table: a row a value, a column a stage, conditions after one another.

    Args:
        title: What was run.
        sweep: Which threshold.
        found: From `sweep_rates`.
    """
    stages = [f"{stage_title(stage)} (95 %)" for stage in (found[0].rates if found else ())]
    title = f"{title}: rates over {sweep.name} of the {sweep.rubric} rubric"
    table = new_table(title, ("Condition",), (sweep.name, *stages))
    last = ""
    for item in found:
        if last and item.condition != last:
            table.add_section()
        cells = [
            f"{rate['k']}/{rate['n']} {rate['rate']:.2f} ({rate['ci95'][0]:.2f} to {rate['ci95'][1]:.2f})"
            for rate in item.rates.values()
        ]
        table.add_row("" if item.condition == last else escape(item.condition), f"{item.value:.4g}", *cells)
        last = item.condition
    return table
