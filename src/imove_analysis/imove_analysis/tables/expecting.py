"""The row of chance: what a policy that ignores the text would score in the scenes of a column."""

from __future__ import annotations

from collections.abc import Sequence

from imove_analysis.chance import chance_level
from imove_analysis.tables.counting import chance_cell
from imove_analysis.tables.rows import Row
from imove_analysis.tables.table import Cell
from imove_core.errors import ImoveError
from imove_core.rig import load_rig


def chance_of(rows: Sequence[Row], condition: str, rubric: str) -> Cell | None:
    """The level over all scenes of a column; None where its suite or rig is not at hand.

    Args:
        rows: Runs on one suite.
        condition: One whose text is about one object.
        rubric: `strict` or `reference`.
    """
    episodes = [episode for row in rows for episode in row.episodes(condition)]
    try:
        run = rows[0].run
        specs = run.specs
        rig = load_rig(str(run.settings["rig"]))
        scenes = [specs[name] for name in dict.fromkeys(episode.spec_id for episode in episodes) if name in specs]
        level = chance_level(rig, scenes, condition)
    except (ImoveError, KeyError):
        return None
    return chance_cell(level[rubric], episodes[0].rubrics[rubric].stages) if level else None
