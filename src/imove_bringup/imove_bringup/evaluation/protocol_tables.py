"""The tables at the end of a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from imove_analysis.runs import open_run
from imove_analysis.tables import paper_tables


def print_tables(folders: Sequence[Path], console: Console) -> None:
    """Prints results in the layouts of the paper's tables; runs without a finished episode are left out."""
    runs = [run for run in map(open_run, folders) if run.episodes]
    for table in paper_tables(runs) if runs else ():
        console.print(table.text(), markup=False, highlight=False, soft_wrap=True)
