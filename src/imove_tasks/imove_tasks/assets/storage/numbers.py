"""Numbers as text: the shortest decimals on the grid of 1e-7, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable

from imove_tasks.assets.arrays import DECIMALS


def number(value: float) -> str:
    """A length, share or angle on the grid, such as "0.05" or "-1"."""
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(values: Iterable[float]) -> str:
    """Several of them with blanks between."""
    return " ".join(map(number, values))


def significant(value: float) -> str:
    """A quantity that the grid is too coarse for, such as a moment of inertia, in six digits."""
    return f"{value + 0.0:.6g}"
