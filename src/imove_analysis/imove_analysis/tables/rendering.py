"""Rows of texts as a table for a terminal, Markdown, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

CSV_HEADER = ("table", "row", "column", "figure", "value", "k", "n", "low95", "high95")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "†": r"\textdagger{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def text(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """Columns of equal width, names to the left and figures to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    drawn = ["  ".join(_padded(line, widths)).rstrip() for line in lines]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([title, rule, drawn[0], rule, *drawn[1:], rule, *notes]) + "\n"


def markdown(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """A table of GitHub's Markdown, with title above and notes below."""
    head, *body = ("| " + " | ".join(for_markdown(cell) for cell in line) + " |" for line in (header, *rows))
    rule = "| " + " | ".join(["---", *["---:"] * (len(header) - 1)]) + " |"
    below = ["", *(f"- {for_markdown(note)}" for note in notes)] if notes else []
    return "\n".join([f"**{for_markdown(title)}**", "", head, rule, *body, *below]) + "\n"


def latex(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """A `table` environment; it needs the package booktabs."""
    lines = [" & ".join(_for_latex(cell) for cell in line) + r" \\" for line in (header, *rows)]
    return (
        "\n".join(
            [
                r"\begin{table}[t]",
                r"\centering",
                rf"\caption{{{_for_latex(title)}}}",
                rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
                *(rf"\par\smallskip{{\footnotesize {_for_latex(note)}}}" for note in notes),
                r"\end{table}",
            ]
        )
        + "\n"
    )


def csv_text(lines: Iterable[Sequence[object]]) -> str:
    """Lines of values as CSV (RFC 4180)."""
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    return out.getvalue()


def _padded(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    name, *cells = line
    return [name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))]


def for_markdown(cell: str) -> str:
    """A text in which no sign means anything to Markdown."""
    signs = {sign: f"\\{sign}" for sign in "\\|*_`<>[]"}
    return " ".join("".join(signs.get(sign, sign) for sign in cell).split())


def _for_latex(cell: str) -> str:
    return " ".join("".join(_LATEX.get(sign, sign) for sign in cell).split())
