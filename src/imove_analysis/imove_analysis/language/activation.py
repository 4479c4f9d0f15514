"""False activation: how often something is grasped although the text asks for nothing that is there."""

from __future__ import annotations

from collections.abc import Sequence

from imove_analysis.episodes import Episode
from imove_analysis.figures import Figure, between, figure, missing, percent
from imove_analysis.intervals import wilson_interval
from imove_analysis.language.scenes import RUBRIC, Scenes

CONDITIONS = ("empty", "generic", "absent")
STAGES = ("reach", "lift")
_WORDS = {"reach": "reached", "lift": "lifted"}


def activation(scenes: Scenes) -> dict[str, dict[str, Figure]]:
    """The rates of episodes in which any object was reached, and lifted, under texts that name none of them.

    Under `generic` ("the object") to act is no mistake, only no sign of language; under `empty` and `absent` it is one.

    Returns:
        By condition and stage: the rate with its Wilson interval; one episode a scene, so that none needs resampling.
    """
    return {condition: _rates(condition, scenes.under(condition)) for condition in CONDITIONS}


def _rates(condition: str, episodes: Sequence[Episode]) -> dict[str, Figure]:
    if not episodes:
        return {stage: missing(f"no scene was run under {condition}") for stage in STAGES}
    return {stage: _rate(condition, stage, episodes) for stage in STAGES}


def _rate(condition: str, stage: str, episodes: Sequence[Episode]) -> Figure:
    n = len(episodes)
    rate = sum(episode.rubrics[RUBRIC].any_object(stage) for episode in episodes) / n
    ci95 = wilson_interval(rate, n)
    sentence = f"Some object is {_WORDS[stage]} in {percent(rate)} of {n} episodes under {condition} ({between(ci95)})."
    return figure(rate, ci95, n, sentence)


def horizon_note(scenes: Scenes) -> str:
    """Whether all episodes had the same time, without which rates of different conditions do not compare."""
    steps = sorted({episode.steps for found in scenes.by_scene.values() for episode in found.values()})
    if len(steps) == 1:
        return f"every episode ran {steps[0]} control steps, whatever came of it: conditions can be compared"
    return f"episodes ran {steps[0]} to {steps[-1]} control steps: conditions with more time had more chances"
