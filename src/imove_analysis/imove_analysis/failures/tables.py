"""The failures of a run as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from imove_analysis.failures.classes import MEANINGS, REACHED_WRONG_OBJECT, WRONG_OBJECT_LIFTED
from imove_analysis.failures.confusion import Confusion
from imove_analysis.failures.table import ClassedEpisode, FailureTable
from imove_analysis.terminal_tables import NOTHING, new_table

SHOWN_CONFUSIONS = 12


def failure_tables(table: FailureTable, shown: Sequence[ClassedEpisode]) -> Iterator[Table]:
    """Makes the tables: classes, confusions of categories and roles, cues, episodes.

    Args:
        table: Of a run.
        shown: Episodes to list, in this order.
    """
    title = f"{table.suite}, policy {table.policy}"
    yield _classes(f"{title}: what came of {len(table.episodes)} episodes, with 95 % intervals", table)
    for kind in ("category", "role"):
        wrong = [cell for cell in table.confusions[kind] if kind == "role" or cell.named != cell.acted_on]
        if wrong:
            yield _confusions(f"Named against acted on, by {kind}", wrong)
    if table.cues:
        yield _cues(f"Cues in {table.cues[0].n} wrong choices, against a random other candidate", table)
    if shown:
        yield _episodes(f"{len(shown)} episodes", shown)


def _classes(title: str, table: FailureTable) -> Table:
    made = new_table(title, ("Class", "Meaning"), ("k/n", "95 %", "certain"))
    for name, found in table.counts().items():
        if found["k"]:
            low, high = found["ci95"]
            numbers = (f"{found['k']}/{found['n']}", f"{low:.2f}-{high:.2f}", f"{found['certain']}/{found['k']}")
            made.add_row(name, MEANINGS[name], *numbers)
    return made


def _confusions(title: str, cells: Sequence[Confusion]) -> Table:
    left = len(cells) - SHOWN_CONFUSIONS
    made = new_table(f"{title}; {left} more are in --json" if left > 0 else title, ("Named", "Acted on"), ("k/n",))
    for cell in cells[:SHOWN_CONFUSIONS]:
        made.add_row(escape(cell.named), escape(cell.acted_on), f"{cell.k}/{cell.n}")
    return made


def _cues(title: str, table: FailureTable) -> Table:
    made = new_table(title, ("Cue",), ("k/n", "rate", "base", "difference", "95 %"))
    for cue in table.cues:
        low, high = cue.difference_ci95
        made.add_row(
            cue.cue.replace("_", " "),
            f"{cue.k}/{cue.n}",
            f"{cue.rate:.2f}",
            f"{cue.base:.2f}",
            f"{cue.difference:+.2f}",
            f"{low:+.2f} to {high:+.2f}",
        )
    return made


def _episodes(title: str, episodes: Sequence[ClassedEpisode]) -> Table:
    made = new_table(title, (), ())
    made.add_column("Episode and class", no_wrap=True)
    made.add_column("Told, and what was seen")
    made.add_column("step", justify="right")
    for episode in episodes:
        name = episode.name if episode.certain else f"{episode.name}?"
        step = NOTHING if episode.step is None else str(episode.step)
        made.add_row(escape(f"{episode.key}\n{name}"), escape(f"{episode.text}\n{_seen(episode)}"), step)
    return made


def _seen(episode: ClassedEpisode) -> str:
    if episode.name not in (WRONG_OBJECT_LIFTED, REACHED_WRONG_OBJECT):
        return episode.detail
    shared = ", ".join(name.replace("_", " ") for name in episode.cues)
    return f"{episode.acted_on_called[0]} instead of {episode.called[0]}" + (f": {shared}" if shared else "")
