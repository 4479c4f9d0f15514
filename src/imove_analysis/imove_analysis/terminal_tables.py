"""What the tables of all analyses have in common in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

NOTHING = "–"
"""Stands where there is no figure."""


def new_table(title: str, texts: Sequence[str], numbers: Sequence[str]) -> Table:
    """An empty table: columns of texts, which may be folded, then columns of numbers, which are not.

    Args:
        title: Printed as it is, whatever signs are in it.
        texts: Heads of the first columns.
        numbers: Heads of the others.
    """
    table = Table(title=escape(title), title_justify="left")
    for name in texts:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def two_digits(value: float | None) -> str:
    """A figure, or that there is none."""
    return NOTHING if value is None else f"{value:.2f}"
