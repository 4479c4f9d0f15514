"""Groups of bars with whiskers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from imove_analysis.report.plots.axis import Axis
from imove_analysis.report.plots.intervals import Mark
from imove_analysis.report.plots.svg import SERIES, WIDTH, Drawing, shortened

_LABELS, _VALUES = 86.0, 38.0
_BAR, _GAP = 12.0, 10.0


@dataclass(frozen=True)
class BarGroup:
    """Bars behind one label.

    Attributes:
        label: Of the group.
        marks: One a series, from the top.
    """

    label: str
    marks: tuple[Mark, ...]


def bar_plot(groups: Sequence[BarGroup], alt: str) -> Markup:
    """Draws groups of horizontal bars from 0 to 1 below each other.

    Args:
        groups: From the top.
        alt: What the plot shows, for people who do not see it; the values are added.
    """
    heights = [max(1, len(group.marks)) * _BAR + _GAP for group in groups]
    bottom = 4 + sum(heights)
    spoken = "; ".join(f"{group.label}: {mark.tip}" for group in groups for mark in group.marks)
    drawing = Drawing(bottom + 20, f"{alt}. {spoken}")
    axis = Axis(0.0, 1.0, _LABELS, WIDTH - _VALUES)
    axis.draw(drawing, 2, bottom)
    top = 4.0
    for group, height in zip(groups, heights, strict=True):
        with drawing.told(group.label):
            drawing.text(0, top + height / 2 + 4, shortened(group.label, _LABELS - 8))
        for number, mark in enumerate(group.marks):
            _draw_bar(drawing, axis, group.label, mark, top + _GAP / 2 + number * _BAR)
        top += height
    return drawing.finish()


def _draw_bar(drawing: Drawing, axis: Axis, label: str, mark: Mark, top: float) -> None:
    middle = top + _BAR / 2 - 0.5
    with drawing.told(f"{label}: {mark.tip}"):
        if mark.value is None:
            drawing.text(WIDTH, middle + 4, "–", "soft", "end")
            return
        drawing.box(axis.left, top, axis.at(mark.value) - axis.left, _BAR - 2, f"bar s{mark.series % SERIES}")
        drawing.line(axis.at(mark.low), middle, axis.at(mark.high), middle, "error-bar")
        if mark.chance is not None:
            drawing.line(axis.at(mark.chance), top - 2, axis.at(mark.chance), top + _BAR, "chance")
        drawing.text(WIDTH, middle + 4, f"{mark.value:.2f}", "value", "end")
