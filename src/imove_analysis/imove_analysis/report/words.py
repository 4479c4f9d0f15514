"""Numbers as the pages write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from imove_analysis.report.plots import Mark

NOTHING = "–"


def number(value: float | None, digits: int = 2) -> str:
    """A number with a fixed count of digits; a dash for none."""
    return NOTHING if value is None or not isfinite(value) else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    """The same with its sign."""
    return NOTHING if value is None or not isfinite(value) else f"{value:+.{digits}f}"


def interval(bounds: Sequence[float] | None, digits: int = 2) -> str:
    """An interval in square brackets; a dash for none."""
    return NOTHING if bounds is None else f"[{number(bounds[0], digits)}, {number(bounds[1], digits)}]"


def whole(count: int) -> str:
    """A count with its thousands parted."""
    return f"{count:,}"


def plural(count: int, word: str, words: str = "") -> str:
    """A count with its noun, e.g. `1 episode`, `2,000 episodes`."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def mark_of(figure: Mapping[str, Any], series: int = 0) -> Mark:
    """A figure of plain data (`value`, `ci95`, `n`) as a mark of a plot."""
    value, ci95 = figure["value"], figure["ci95"]
    if value is None or ci95 is None:
        return Mark(None, 0.0, 0.0, str(figure.get("reason", "not known")), series)
    return Mark(value, ci95[0], ci95[1], f"{number(value)} {interval(ci95)}, n = {figure['n']}", series)
