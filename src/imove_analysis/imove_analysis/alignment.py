"""Lays the episodes of runs beside each other, scene by scene, or says why that would mean nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.episodes import Episode, RubricResult
from imove_analysis.runs import Run
from imove_analysis.scores import score_key
from imove_core.errors import ImoveError, unknown_name
from imove_tasks.stages import RUBRICS


@dataclass(frozen=True)
class Alignment:
    """The results of runs under one condition and rubric.

    Attributes:
        stages: Of the primitive, in order.
        results: By run, in the order of the scenes; where `paired`, each beside those of the same scene.
        paired: Whether they are from the same scenes.
        notes: What a reader must know of the data, one sentence each.
    """

    stages: tuple[str, ...]
    results: tuple[tuple[RubricResult, ...], ...]
    paired: bool
    notes: tuple[str, ...]

    @property
    def scenes(self) -> int:
        """How many every run has."""
        return min(len(found) for found in self.results)

    @property
    def score_name(self) -> str:
        """`s_pick` or `s_pnp`."""
        return score_key(self.stages)

    def scores(self) -> list[list[float]]:
        """By run, S of each scene."""
        return [[result.score for result in found] for found in self.results]

    def reached(self, stage: str) -> list[list[bool]]:
        """By run, whether the stage was reached in each scene."""
        return [[stage in result.reached for result in found] for found in self.results]


def align_runs(
    runs: Sequence[Run], rubric: str, condition: str, paired: bool = True, allow_invalid: bool = False
) -> Alignment:
    """Lays the finished episodes of runs beside each other.

    Args:
        runs: At least one.
        rubric: Which results to take.
        condition: Of the episodes.
        paired: Whether the runs are on the same scenes; those that not all of them have finished are left out.
        allow_invalid: Whether episodes count whose policy did not get the text that it was to get.

    Raises:
        ImoveError: The rubric is unknown; the suites differ, although `paired`; a run has no episode of the condition,
            or one with an invalid prompt; no scene is in all; or they are of several primitives.
    """
    if rubric not in RUBRICS:
        raise unknown_name("rubric", rubric, RUBRICS)
    if paired:
        _check_same_suite(runs)
    found = [_of_condition(run, condition) for run in runs]
    notes = [note for run, episodes in zip(runs, found, strict=True) for note in _notes(run, episodes, condition)]
    for run, episodes in zip(runs, found, strict=True):
        notes += _invalid_prompts(run, episodes, allow_invalid)
    if paired:
        found, told = _shared(runs, found)
        notes += told
    else:
        notes.append("the runs are taken as independent samples of scenes; runs on the same scenes tell more")
    if condition not in TARGETED_CONDITIONS:
        notes.append(f"the text of condition {condition} is about no single object: a stage counts for any object")
    results = tuple(_in_order(episodes, rubric) for episodes in found)
    stages = results[0][0].stages
    odd = {result.stages for of_run in results for result in of_run} - {stages}
    if odd:
        raise ImoveError(
            f"{' and '.join(str(run.folder) for run in runs)} have episodes with the stages {', '.join(stages)} and "
            f"others with {', '.join(odd.pop())}; one primitive at a time can be compared"
        )
    return Alignment(stages, results, paired, tuple(notes))


def _check_same_suite(runs: Sequence[Run]) -> None:
    first, *others = runs
    wanted = str(first.settings["suite_hash"])
    for run in others:
        got = str(run.settings["suite_hash"])
        if got != wanted:
            raise ImoveError(
                f"{first.folder} was run on suite {first.suite_name} {wanted[:12]} and {run.folder} on "
                f"{run.suite_name} {got[:12]}; pairs need one suite, other runs can be compared as unpaired"
            )


def _of_condition(run: Run, condition: str) -> Mapping[str, Episode]:
    found = {episode.spec_id: episode for episode in run.episodes if episode.condition == condition}
    if not found:
        has = f"it has {', '.join(run.conditions)}" if run.conditions else "it has no finished episode at all"
        raise ImoveError(f"{run.folder} has no finished episode under condition {condition!r}; {has}")
    return found


def _notes(run: Run, episodes: Mapping[str, Episode], condition: str) -> list[str]:
    lost = {episode.spec_id for episode in run.aborted if episode.condition == condition} - episodes.keys()
    told = [f"{run.folder}: {len(lost)} scenes were aborted and do not count"] if lost else []
    return [*told, *run.problems]


def _invalid_prompts(run: Run, episodes: Mapping[str, Episode], allowed: bool) -> list[str]:
    invalid = sum(not episode.prompt_verified for episode in episodes.values())
    if not invalid:
        return []
    told = f"{run.folder}: in {invalid} of {len(episodes)} episodes the policy was not told the instruction"
    if not allowed:
        raise ImoveError(f"{told}; such a run says nothing about language, and counts only where invalid is allowed")
    return [f"{told}, and they count all the same"]


def _shared(
    runs: Sequence[Run], found: Sequence[Mapping[str, Episode]]
) -> tuple[list[Mapping[str, Episode]], list[str]]:
    """The episodes of scenes that all have finished, and what is to be told of that."""
    shared = reduce(and_, (set(episodes) for episodes in found))
    if not shared:
        folders = " and ".join(str(run.folder) for run in runs)
        raise ImoveError(f"{folders} share no finished scene; at least 1 is needed")
    told = [
        f"{len(episodes) - len(shared)} scenes of {run.folder} are left out: not every run has finished them"
        for run, episodes in zip(runs, found, strict=True)
        if len(episodes) > len(shared)
    ]
    drifted = sum(len({episodes[key].settled_pose_hash for episodes in found}) > 1 for key in shared)
    if drifted:
        told.append(f"{drifted} of {len(shared)} scenes did not start from the same settled poses in every run")
    return [{key: episodes[key] for key in shared} for episodes in found], told


def _in_order(episodes: Mapping[str, Episode], rubric: str) -> tuple[RubricResult, ...]:
    return tuple(episodes[key].rubrics[rubric] for key in sorted(episodes, key=_scene_order))


def _scene_order(spec_id: str) -> list[tuple[str, int]]:
    """That of the suite, whatever came out: by the numbers in the names of scenes, which are given in its order."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D*)(\d*)", spec_id)]
