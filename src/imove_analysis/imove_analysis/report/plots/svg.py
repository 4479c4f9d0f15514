"""A drawing made of a few kinds of marks; every text is escaped, every colour is a class of the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from markupsafe import Markup

WIDTH = 360.0
"""Width of every plot in its own units: a phone shows it at its true size, so texts stay readable there."""
SERIES = 4
"""Looks of series; further ones begin again."""
_CHARACTER_WIDTH = 6.1


class Drawing:
    """Collects marks; x runs to the right, y down, in units of about a pixel."""

    def __init__(self, height: float, label: str, width: float = WIDTH) -> None:
        """Begins an empty drawing.

        Args:
            height: In units.
            label: What a person who does not see the drawing is told.
            width: In units.
        """
        head = Markup('<svg class="plot" viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">')
        self._parts = [head.format(width, height, label)]

    def line(self, x1: float, y1: float, x2: float, y2: float, look: str) -> None:
        """A straight line."""
        self._add('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>', x1, y1, x2, y2, look)

    def path(self, points: list[tuple[float, float]], look: str) -> None:
        """Straight lines from point to point."""
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._add('<polyline points="{}" class="{}"/>', corners, look)

    def box(self, x: float, y: float, width: float, height: float, look: str, opacity: float = 1.0) -> None:
        """A filled rectangle."""
        form = '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="{}"{}/>'
        see_through = Markup(' fill-opacity="{:.2f}"').format(opacity) if opacity < 1 else ""
        self._add(form, x, y, max(width, 0.0), height, look, see_through)

    def text(self, x: float, y: float, text: str, look: str = "", anchor: str = "start") -> None:
        """A text with its base line at y."""
        self._add('<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}</text>', x, y, anchor, look, text)

    def slanted(self, x: float, y: float, text: str, tip: str) -> None:
        """A text that rises to the right from a point, with a longer one where the pointer rests on it."""
        form = '<text transform="translate({:.1f} {:.1f}) rotate(-50)"><title>{}</title>{}</text>'
        self._add(form, x, y, tip, text)

    def marker(self, x: float, y: float, series: int) -> None:
        """The sign of a series: its form tells it as well as its colour does."""
        forms = (
            '<circle cx="0" cy="0" r="4"/>',
            '<rect x="-3.6" y="-3.6" width="7.2" height="7.2"/>',
            '<path d="M0-5.2 5.2 0 0 5.2-5.2 0z"/>',
            '<path d="M0-4.8 4.8 3.8-4.8 3.8z"/>',
        )
        form = Markup('<g transform="translate({:.1f} {:.1f})" class="marker s{}">{}</g>')
        self._parts.append(form.format(x, y, series % SERIES, Markup(forms[series % SERIES])))

    @contextmanager
    def told(self, tip: str) -> Iterator[None]:
        """What is drawn within shows a text where the pointer rests on it."""
        self._add("<g><title>{}</title>", tip)
        yield
        self._parts.append(Markup("</g>"))

    def finish(self) -> Markup:
        """The drawing as markup that is safe to put into a page."""
        return Markup("").join([*self._parts, Markup("</svg>")])

    def _add(self, form: str, *values: object) -> None:
        self._parts.append(Markup(form).format(*values))


def text_width(text: str) -> float:
    """About how wide a text is, in units."""
    return _CHARACTER_WIDTH * len(text)


def shortened(text: str, width: float) -> str:
    """A text that fits into a width in units, cut with an ellipsis where it has to be."""
    most = max(3, int(width / _CHARACTER_WIDTH))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
