"""Tables in the layouts of the paper, ready for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from imove_analysis.runs import Run
from imove_analysis.tables import PaperTable, paper_tables
from imove_tasks.stages import RUBRICS


@dataclass(frozen=True)
class TableView:
    """A table with what it can be copied as.

    Attributes:
        table: The table.
        rubric: Whose results.
        copies: Form and text: Markdown, LaTeX, CSV.
    """

    table: PaperTable
    rubric: str
    copies: tuple[tuple[str, str], ...]


def table_views(runs: Sequence[Run], mixed: bool) -> list[TableView]:
    """Tables under both rubrics; none where no episode was finished.

    Args:
        runs: With finished episodes.
        mixed: Whether runs that differ in what decides results stand in one table.
    """
    if not runs:
        return []
    return [
        TableView(table, rubric, (("Markdown", table.markdown()), ("LaTeX", table.latex()), ("CSV", table.csv())))
        for rubric in RUBRICS
        for table in paper_tables(runs, mixed=mixed, rubric=rubric, intervals=True)
    ]
