"""Values over steps that have names, with whiskers and a line from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from imove_analysis.report.plots.axis import Axis
from imove_analysis.report.plots.intervals import Mark
from imove_analysis.report.plots.svg import SERIES, WIDTH, Drawing, shortened

_TOP, _BOTTOM, _LEFT = 10.0, 190.0, 30.0


@dataclass(frozen=True)
class Curve:
    """A line of the plot.

    Attributes:
        name: Of the series.
        marks: One a step.
    """

    name: str
    marks: tuple[Mark, ...]


def curve_plot(steps: Sequence[str], curves: Sequence[Curve], alt: str) -> Markup:
    """Draws curves from 0 to 1.

    Args:
        steps: Names along the bottom.
        curves: Each with a mark a step.
        alt: What the plot shows, for people who do not see it; the values are added.
    """
    spoken = "; ".join(
        f"{curve.name}, {step}: {mark.tip}" for curve in curves for step, mark in zip(steps, curve.marks, strict=True)
    )
    drawing = Drawing(_BOTTOM + 22, f"{alt}. {spoken}")
    upwards = Axis(0.0, 1.0, _BOTTOM, _TOP)
    for quarter in range(5):
        y = upwards.at(quarter / 4)
        drawing.line(_LEFT, y, WIDTH, y, "grid")
        drawing.text(_LEFT - 6, y + 4, f"{quarter / 4:g}", "soft", "end")
    width = (WIDTH - _LEFT) / max(1, len(steps))
    places = [_LEFT + (number + 0.5) * width for number in range(len(steps))]
    for x, step in zip(places, steps, strict=True):
        with drawing.told(step):
            drawing.text(x, _BOTTOM + 16, shortened(step, width * 1.12), "soft", "middle")
    for number, curve in enumerate(curves):
        _draw_curve(drawing, upwards, places, curve, number, len(curves))
    return drawing.finish()


def _draw_curve(
    drawing: Drawing, upwards: Axis, places: Sequence[float], curve: Curve, number: int, curves: int
) -> None:
    # Side by side, so that whiskers of equal values do not cover each other.
    aside = (number - (curves - 1) / 2) * 9
    known = [(x + aside, mark) for x, mark in zip(places, curve.marks, strict=True) if mark.value is not None]
    drawing.path([(x, upwards.at(mark.value or 0.0)) for x, mark in known], f"curve s{number % SERIES}")
    for x, mark in known:
        with drawing.told(f"{curve.name}: {mark.tip}"):
            drawing.line(x, upwards.at(mark.low), x, upwards.at(mark.high), f"whisker s{number % SERIES}")
            drawing.marker(x, upwards.at(mark.value or 0.0), number)
