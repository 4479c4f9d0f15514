"""Where the policy of a run fails: classes, confusion and cues as plots."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup

from imove_analysis.failures import MEANINGS, SUCCESS, FailureTable
from imove_analysis.report.plots import Mark, PlotRow, heat_map, interval_plot
from imove_analysis.report.words import interval, mark_of, number, plural

MOST_NAMES = 10
"""Rows and columns of a confusion; the others are told by their number."""
KIND = "category"


@dataclass(frozen=True)
class FailureSection:
    """Failures of a run as a page shows them.

    Attributes:
        missing: Why there is nothing else, "" where there is.
        classes: Plot of the share of each class among the episodes whose text names an object.
        meanings: What each class that occurs means, name and sentence.
        confusion: Heat map of named against acted-on categories, None without episodes.
        confusion_note: What it leaves out.
        cues: Plot of cue overlaps, None where nothing was taken wrongly.
        cue_sentences: What each says.
        notes: What must be known to read all this.
    """

    missing: str = ""
    classes: Markup | None = None
    meanings: tuple[tuple[str, str], ...] = ()
    confusion: Markup | None = None
    confusion_note: str = ""
    cues: Markup | None = None
    cue_sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def failure_section(table: FailureTable | None, missing: str) -> FailureSection:
    """Makes the section.

    Args:
        table: Of the run, None where it cannot be made.
        missing: Why not.
    """
    if table is None or not table.episodes:
        return FailureSection(missing or "No episode has a text that names an object.")
    confusion, left_out = _confusion(table)
    return FailureSection(
        classes=_classes(table),
        meanings=tuple((class_title(name), MEANINGS[name]) for name, count in table.counts().items() if count["k"] > 0),
        confusion=confusion,
        confusion_note=left_out,
        cues=_cues(table),
        cue_sentences=tuple(cue.sentence for cue in table.cues),
        notes=_notes(table),
    )


def class_title(name: str) -> str:
    """A class as people call it."""
    return _spaced(name).capitalize()


def _classes(table: FailureTable) -> Markup:
    rows = []
    for name, count in table.counts().items():
        if count["k"]:
            mark = mark_of({"value": count["rate"], **count})
            tip = f"{count['k']}/{count['n']} = {mark.tip}"
            series = 2 if name == SUCCESS else 1
            rows.append(PlotRow(class_title(name), (Mark(mark.value, mark.low, mark.high, tip, series),)))
    return interval_plot(rows, "Share of each class among the episodes whose text names an object")


def _confusion(table: FailureTable) -> tuple[Markup, str]:
    cells = table.confusions[KIND]
    named: Counter[str] = Counter()
    acted: Counter[str] = Counter()
    for cell in cells:
        named[cell.named] += cell.k
        acted[cell.acted_on] += cell.k
    # Rows with most mistakes first: what went well needs no picture.
    right = {cell.named: cell.k for cell in cells if cell.named == cell.acted_on}
    wrong = {name: count - right.get(name, 0) for name, count in named.items()}
    rows = sorted(named, key=lambda name: (-wrong[name], -named[name], name))[:MOST_NAMES]
    rest = sorted((name for name in acted if name not in rows), key=lambda name: (-acted[name], name))
    columns = [*(name for name in rows if name in acted), *rest][:MOST_NAMES]
    counts = {(cell.named, cell.acted_on): cell.k for cell in cells if cell.named in rows and cell.acted_on in columns}
    hidden = len(table.episodes) - sum(counts.values())
    note = f"{plural(hidden, 'episode')} with further categories not drawn." if hidden else ""
    shown = {(_spaced(row), _spaced(column)): count for (row, column), count in counts.items()}
    rows, columns = [_spaced(row) for row in rows], [_spaced(column) for column in columns]
    return heat_map(shown, rows, columns, "Named category against the one that was acted on"), note


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _cues(table: FailureTable) -> Markup | None:
    if not table.cues:
        return None
    rows = []
    for cue in table.cues:
        low, high = cue.difference_ci95
        tip = (
            f"{cue.k}/{cue.n} = {number(cue.rate)} against {number(cue.base)} by chance, difference "
            f"{interval(cue.difference_ci95)}"
        )
        rows.append(PlotRow(class_title(cue.cue), (Mark(cue.difference, low, high, tip, 1),)))
    return interval_plot(rows, "Share of wrong choices that a cue speaks for, less the share by chance", low=-1.0)


def _notes(table: FailureTable) -> tuple[str, ...]:
    unsure = sum(not episode.certain for episode in table.episodes)
    notes = [f"{plural(count, 'episode')} left out: {reason}." for reason, count in table.left_out.items()]
    if unsure:
        notes.append(f"{plural(unsure, 'class', 'classes')} would be finer with control steps, which were not kept.")
    return (*notes, *table.problems)
