"""The chance level of a run by condition, from its summary or suite or, without both, from its records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.runs import Run
from imove_analysis.tables.expecting import Expectations
from imove_analysis.tables.rows import Row
from imove_tasks.stages import PICK_STAGES


def chance_levels(row: Row) -> Mapping[str, Mapping[str, Any]]:
    """Level by condition whose text is about one object, each as from `imove_analysis.chance.chance_level`.

    Where neither summary nor suite tell it, only what follows from the number of objects alone is told: the stages of a
    pick under the strict rubric, and the first contact.
    """
    known = Expectations()
    return {
        condition: known.level([row], condition) or _from_records(row.run, condition)
        for condition in row.run.conditions
        if condition in TARGETED_CONDITIONS
    }


def _from_records(run: Run, condition: str) -> Mapping[str, Any]:
    shares = [1 / episode.candidates for episode in run.episodes if episode.condition == condition and episode.target]
    if not shares:
        return {}
    level = sum(shares) / len(shares)
    strict = dict.fromkeys(PICK_STAGES, level)
    placing = any("place" in rubric.stages for episode in run.episodes[:1] for rubric in episode.rubrics.values())
    return {"strict": strict if placing else {**strict, "s_pick": level}, "first_contact": level}
