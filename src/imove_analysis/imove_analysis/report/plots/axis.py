"""The horizontal axis that plots share."""

from __future__ import annotations

from dataclasses import dataclass

from imove_analysis.report.plots.svg import Drawing


@dataclass(frozen=True)
class Axis:
    """A linear scale from values to places on a drawing.

    Attributes:
        low: Value at the left end.
        high: Value at the right end.
        left: Place of the left end, in units of the drawing.
        right: Place of the right end.
    """

    low: float
    high: float
    left: float
    right: float

    def at(self, value: float) -> float:
        """Place of a value; one beyond an end stands at that end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def draw(self, drawing: Drawing, top: float, bottom: float, steps: int = 4) -> None:
        """Draws lines through the plot with their values below them."""
        for step in range(steps + 1):
            value = self.low + (self.high - self.low) * step / steps
            look = "zero" if abs(value) < 1e-9 and self.low < 0 else "grid"
            drawing.line(self.at(value), top, self.at(value), bottom, look)
            drawing.text(self.at(value), bottom + 13, f"{value:g}", "soft", "middle")
