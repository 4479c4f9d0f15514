"""A table of results: figures in cells, and what it looks like as text, Markdown, CSV and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from imove_analysis.intervals import wilson_interval
from imove_analysis.tables import rendering

NOTHING = "–"
"""Stands where there is no figure."""


@dataclass(frozen=True)
class Figure:
    """One number of a cell.

    Attributes:
        name: Stage or score, e.g. `Reach` or `S_pick`.
        value: Between 0 and 1, exact; None without episodes.
        k: What was counted: episodes, of a score stages; None for an expected value.
        n: Episodes; 0 for an expected value.
    """

    name: str
    value: Fraction | None
    k: int | None = None
    n: int = 0

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % Wilson interval, of a score with its mean as the rate of n trials; None for an expected value."""
        return wilson_interval(float(self.value), self.n) if self.value is not None and self.n else None

    def text(self, intervals: bool) -> str:
        """Two digits, with the interval in square brackets where it is asked for."""
        shown = two_digits(self.value)
        if intervals and self.interval is not None:
            low, high = self.interval
            return f"{shown} [{low:.2f}, {high:.2f}]"
        return shown


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table.

    Attributes:
        stages: Figures that are joined by strokes.
        score: The figure in brackets behind them, None for none.
        counts: Whether stages are shown as k/n in place of rates.
        remark: Behind everything, e.g. a mark that a note explains.
    """

    stages: tuple[Figure, ...]
    score: Figure | None = None
    counts: bool = False
    remark: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All its numbers."""
        return self.stages if self.score is None else (*self.stages, self.score)

    def text(self, intervals: bool) -> str:
        """E.g. `0.82/0.57 (0.70)` or `19/50`."""
        if self.counts:
            shown = "/".join(_count(figure, intervals) for figure in self.stages)
        else:
            shown = "/".join(figure.text(intervals) for figure in self.stages)
        if self.score is not None:
            shown += f" ({self.score.text(intervals)})"
        return shown + self.remark


@dataclass(frozen=True)
class PaperTable:
    """A table.

    Attributes:
        title: One line.
        header: Heads of the columns, that of the rows' names first.
        names: Of the rows.
        cells: By row and column; None where nothing was run.
        notes: What must be known to read it, one sentence each.
        intervals: Whether texts show 95 % intervals.
    """

    title: str
    header: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    notes: tuple[str, ...] = ()
    intervals: bool = False

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The texts of the rows, their names first."""
        return tuple(
            (name, *(NOTHING if cell is None else cell.text(self.intervals) for cell in cells))
            for name, cells in zip(self.names, self.cells, strict=True)
        )

    def with_intervals(self) -> PaperTable:
        """The same table with 95 % intervals in its texts."""
        return replace(self, intervals=True)

    def text(self) -> str:
        """For a terminal."""
        return rendering.text(self.title, self.header, self.rows, self.notes)

    def markdown(self) -> str:
        """For documents."""
        return rendering.markdown(self.title, self.header, self.rows, self.notes)

    def latex(self) -> str:
        """For papers: a `table` with `booktabs` rules; every sign of LaTeX in a name is escaped."""
        return rendering.latex(self.title, self.header, self.rows, self.notes)

    def csv(self) -> str:
        """For programs: one line a figure, with counts, rate and interval unrounded; always with a header line."""
        lines: list[tuple[object, ...]] = [rendering.CSV_HEADER]
        for name, cells in zip(self.names, self.cells, strict=True):
            for column, cell in zip(self.header[1:], cells, strict=True):
                for figure in cell.figures if cell is not None else ():
                    low, high = figure.interval or ("", "")
                    value = "" if figure.value is None else float(figure.value)
                    k = "" if figure.k is None else figure.k
                    lines.append((self.title, name, column, figure.name, value, k, figure.n or "", low, high))
        return rendering.csv_text(lines)


def two_digits(value: Fraction | None) -> str:
    """A number between 0 and 1 rounded to two digits, halves up: no half is lost to binary fractions."""
    if value is None:
        return NOTHING
    hundredths = (value * 200 + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _count(figure: Figure, intervals: bool) -> str:
    if figure.k is None:
        return two_digits(figure.value)
    shown = f"{figure.k}/{figure.n}"
    if intervals and figure.interval is not None:
        low, high = figure.interval
        return f"{shown} [{low:.2f}, {high:.2f}]"
    return shown
