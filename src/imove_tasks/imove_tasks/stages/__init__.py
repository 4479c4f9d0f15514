"""Stages of an episode: which object was reached, lifted and put where, when, under both rubrics, in one pass.

One stage machine serves synthesis, simulation and the real table. Every event names the objects it happened to, so a
wrong object, or a wrong destination, is an event too. Stages chain (a lift counts for objects that were reached) and
latch (once true, true). docs/rubrics.md states the rules.
"""

from imove_tasks.stages.events import PICK_STAGES, PLACE_STAGES, RUBRICS, StageEvent, stage_title, stages_of
from imove_tasks.stages.machine import StageMachine
from imove_tasks.stages.score import EpisodeScore

__all__ = [
    "PICK_STAGES",
    "PLACE_STAGES",
    "RUBRICS",
    "EpisodeScore",
    "StageEvent",
    "StageMachine",
    "stage_title",
    "stages_of",
]
