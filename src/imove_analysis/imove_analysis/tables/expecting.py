"""The row of chance: what a policy that ignores the text would score in the scenes of a column."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from imove_analysis.chance import chance_level
from imove_analysis.runs import SUMMARY
from imove_analysis.tables.counting import chance_cell
from imove_analysis.tables.rows import Row
from imove_analysis.tables.table import Cell
from imove_core.errors import ImoveError


class Expectations:
    """Chance levels of columns, each looked up once."""

    def __init__(self) -> None:
        """Knows none."""
        self._known: dict[tuple[str, str, frozenset[str]], Mapping[str, Any]] = {}

    def cell(self, rows: Sequence[Row], condition: str, rubric: str) -> Cell | None:
        """The level over all scenes of a column; None where its suite or rig is not at hand.

        Args:
            rows: Runs on one suite.
            condition: One whose text is about one object.
            rubric: `strict` or `reference`.
        """
        level = self.level(rows, condition)
        if not level:
            return None
        episodes = next(found for row in rows if (found := row.episodes(condition)))
        return chance_cell(level[rubric], episodes[0].rubrics[rubric].stages)

    def level(self, rows: Sequence[Row], condition: str) -> Mapping[str, Any]:
        """The same as from `imove_analysis.chance.chance_level`; empty where it is not known.

        Args:
            rows: Runs on one suite.
            condition: One whose text is about one object.
        """
        scenes = frozenset(episode.spec_id for row in rows for episode in row.episodes(condition))
        key = (str(rows[0].run.settings["suite_hash"]), condition, scenes)
        if key not in self._known:
            self._known[key] = _summed_up(rows, condition, len(scenes)) or _computed(rows[0], condition, scenes)
        return self._known[key]


def _summed_up(rows: Sequence[Row], condition: str, scenes: int) -> Mapping[str, Any]:
    """The level as one of the runs has written it, over exactly these scenes; empty where none has."""
    for row in rows:
        try:
            summary = json.loads((row.run.folder / SUMMARY).read_text(encoding="utf-8"))
            found = summary.get("by_condition", {condition: summary})[condition]
            level: Mapping[str, Any] = found["chance"]
            if found["n"] == scenes == len(row.episodes(condition)) and "strict" in level and "reference" in level:
                return level
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return {}


def _computed(row: Row, condition: str, scenes: frozenset[str]) -> Mapping[str, Any]:
    try:
        specs = row.run.specs
        return chance_level(row.run.open_rig(), [specs[name] for name in specs if name in scenes], condition)
    except ImoveError:
        return {}
