"""The chance level of a run by condition, from its suite or, where that is not at hand, from its records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from imove_analysis.chance import chance_level
from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.runs import Run
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_tasks.stages import PICK_STAGES


def chance_levels(run: Run) -> Mapping[str, Mapping[str, Any]]:
    """Level by condition whose text is about one object, each as from `imove_analysis.chance.chance_level`.

    Without suite or rig only what follows from the number of objects alone is told: the stages of a pick under the
    strict rubric, and the first contact.
    """
    try:
        specs, rig = run.specs, load_rig(str(run.settings["rig"]))
    except (ImoveError, KeyError):
        return {name: _from_records(run, name) for name in run.conditions if name in TARGETED_CONDITIONS}
    levels: dict[str, Mapping[str, Any]] = {}
    for condition in run.conditions:
        if condition in TARGETED_CONDITIONS:
            scenes = {episode.spec_id for episode in run.episodes if episode.condition == condition}
            known = [spec for name, spec in specs.items() if name in scenes]
            levels[condition] = chance_level(rig, known, condition) if known else _from_records(run, condition)
    return levels


def _from_records(run: Run, condition: str) -> Mapping[str, Any]:
    shares = [1 / episode.candidates for episode in run.episodes if episode.condition == condition and episode.target]
    if not shares:
        return {}
    level = sum(shares) / len(shares)
    strict = dict.fromkeys(PICK_STAGES, level)
    placing = any("place" in rubric.stages for episode in run.episodes[:1] for rubric in episode.rubrics.values())
    return {"strict": strict if placing else {**strict, "s_pick": level}, "first_contact": level}
