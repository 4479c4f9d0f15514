"""Rates over a threshold as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from imove_analysis.threshold_sweep import Sweep, SweptRates
from imove_tasks.stages import stage_title


def sweep_table(title: str, sweep: Sweep, found: Sequence[SweptRates]) -> Table:
    """Makes the table: a row a value, a column a stage, conditions after one another.

    Args:
        title: What was run.
        sweep: Which threshold.
        found: From `sweep_rates`.
    """
    table = Table(title=escape(f"{title}: rates over {sweep.name} of the {sweep.rubric} rubric"), title_justify="left")
    table.add_column("Condition")
    table.add_column(sweep.name, justify="right")
    for stage in found[0].rates if found else ():
        table.add_column(f"{stage_title(stage)} (95 %)", justify="right", no_wrap=True)
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
