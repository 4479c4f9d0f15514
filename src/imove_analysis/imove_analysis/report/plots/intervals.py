"""Values with their intervals, one line each, against what chance would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from imove_analysis.report.plots.axis import Axis
from imove_analysis.report.plots.svg import SERIES, WIDTH, Drawing, shortened, text_width

_LEAST_LABELS, _MOST_LABELS, _VALUES = 60.0, 150.0, 46.0
_MARK_HEIGHT, _ROW_GAP = 15.0, 7.0


@dataclass(frozen=True)
class Mark:
    """A value with its interval.

    Attributes:
        value: None where nothing was measured.
        low: Of the interval.
        high: Of the interval.
        tip: All of it in words.
        series: Which run or kind it belongs to.
        chance: Value that chance would give, None for none.
    """

    value: float | None
    low: float
    high: float
    tip: str
    series: int = 0
    chance: float | None = None


@dataclass(frozen=True)
class PlotRow:
    """What stands behind one label.

    Attributes:
        label: Of the row.
        marks: One a series.
    """

    label: str
    marks: tuple[Mark, ...]


def interval_plot(rows: Sequence[PlotRow], alt: str, low: float = 0.0, high: float = 1.0) -> Markup:
    """Draws rows below each other.

    Args:
        rows: From the top.
        alt: What the plot shows, for people who do not see it; the values are added.
        low: Left end of the axis.
        high: Right end.
    """
    heights = [max(1, len(row.marks)) * _MARK_HEIGHT + _ROW_GAP for row in rows]
    bottom = 4 + sum(heights)
    spoken = "; ".join(f"{row.label}: {mark.tip}" for row in rows for mark in row.marks)
    drawing = Drawing(bottom + 20, f"{alt}. {spoken}")
    labels = min(_MOST_LABELS, max([_LEAST_LABELS, *(text_width(row.label) + 10 for row in rows)]))
    axis = Axis(low, high, labels, WIDTH - _VALUES)
    axis.draw(drawing, 2, bottom)
    y = 4.0
    for row, height in zip(rows, heights, strict=True):
        _draw_row(drawing, axis, row, y, height)
        y += height
    return drawing.finish()


def _draw_row(drawing: Drawing, axis: Axis, row: PlotRow, top: float, height: float) -> None:
    with drawing.told(row.label):
        drawing.text(0, top + height / 2 + 4, shortened(row.label, axis.left - 8))
    for number, mark in enumerate(row.marks):
        y = top + _ROW_GAP / 2 + (number + 0.5) * _MARK_HEIGHT
        if mark.chance is not None:
            x = axis.at(mark.chance)
            drawing.line(x, y - _MARK_HEIGHT / 2, x, y + _MARK_HEIGHT / 2, "chance")
        with drawing.told(f"{row.label}: {mark.tip}"):
            look = f"whisker s{mark.series % SERIES}"
            if mark.value is None:
                drawing.text(WIDTH, y + 4, "–", "soft", "end")
                continue
            drawing.line(axis.at(mark.low), y, axis.at(mark.high), y, look)
            drawing.marker(axis.at(mark.value), y, mark.series)
            signed = "+.2f" if axis.low < 0 else ".2f"
            drawing.text(WIDTH, y + 4, format(mark.value, signed), "value", "end")
