"""Counts of pairs as shades, each with its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from imove_analysis.report.plots.svg import Drawing, shortened

_LABELS, _CELL, _LEAST_WIDTH = 112.0, 34.0, 360.0
_HEAD = 96.0


def heat_map(counts: Mapping[tuple[str, str], int], rows: Sequence[str], columns: Sequence[str], alt: str) -> Markup:
    """Draws a field a pair; its shade is the share of its row.

    Args:
        counts: By row and column; a pair that is missing counts 0.
        rows: From the top.
        columns: From the left.
        alt: What the plot shows, for people who do not see it; the largest counts are added.
    """
    largest = sorted(counts.items(), key=lambda item: -item[1])[:5]
    spoken = "; ".join(f"{row} and {column}: {count}" for (row, column), count in largest)
    width = max(_LEAST_WIDTH, _LABELS + _CELL * len(columns) + 40)
    drawing = Drawing(_HEAD + _CELL * len(rows) + 2, f"{alt}. Most often {spoken}", width)
    for number, column in enumerate(columns):
        drawing.slanted(_LABELS + (number + 0.5) * _CELL, _HEAD - 6, shortened(column, _HEAD), column)
    for line, row in enumerate(rows):
        y = _HEAD + line * _CELL
        with drawing.told(row):
            drawing.text(_LABELS - 8, y + _CELL / 2 + 4, shortened(row, _LABELS - 8), "", "end")
        total = sum(counts.get((row, column), 0) for column in columns)
        for number, column in enumerate(columns):
            count = counts.get((row, column), 0)
            share = count / total if total else 0.0
            x = _LABELS + number * _CELL
            with drawing.told(f"{row}, acted on {column}: {count} of {total}"):
                drawing.box(
                    x + 1, y + 1, _CELL - 2, _CELL - 2, "same" if row == column else "other", 0.08 + 0.5 * share
                )
                if count:
                    drawing.text(x + _CELL / 2, y + _CELL / 2 + 4, str(count), "value", "middle")
    return drawing.finish()
