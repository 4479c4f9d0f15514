"""Scores episodes again from their control steps, under other thresholds, without a simulator."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from imove_analysis.episodes import Episode
from imove_analysis.runs import EPISODES, Run
from imove_analysis.tables.comparable import REAL, domain_of
from imove_analysis.traces import states_of
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec, Rubrics
from imove_core.state import StepState, pose_hash
from imove_core.values import first_fault
from imove_tasks.stages import EpisodeScore, StageMachine

Thresholds = Mapping[str, Mapping[str, float]]
"""By rubric and name; what is not named stays as the scenes have it."""


def read_thresholds(path: Path) -> Thresholds:
    """Reads a YAML file with `strict` and `reference`, each with thresholds of that rubric.

    Raises:
        ImoveError: The file cannot be read, is no YAML, names what is no threshold, or has a value that is none.
    """
    try:
        found = yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise ImoveError(f"rubric {path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ImoveError(f"rubric {path} is not YAML: {' '.join(str(error).split())}") from error
    return checked_thresholds(found if found is not None else {}, str(path))


def checked_thresholds(found: Any, where: str) -> Thresholds:
    """Checks thresholds that came from outside.

    Args:
        found: A mapping as in a rubric file.
        where: How to call it in errors.

    Raises:
        ImoveError: It names what is no threshold, or has a value that is none.
    """
    try:
        rubrics = Rubrics.model_validate(found)
    except ValidationError as error:
        raise ImoveError(f"rubric {where}: {first_fault(error, 'the rubric')}") from error
    given = rubrics.model_dump(exclude_unset=True)
    for rubric, thresholds in given.items():
        for name, value in thresholds.items():
            if value < 0:
                raise ImoveError(f"rubric {where}: {rubric}.{name} is {value:g}; a threshold is 0 or more")
    return given


def with_thresholds(spec: EpisodeSpec, thresholds: Thresholds) -> EpisodeSpec:
    """The scene with other thresholds."""
    rubrics = {
        rubric: getattr(spec.rubrics, rubric).model_copy(update=changed) for rubric, changed in thresholds.items()
    }
    return spec.model_copy(update={"rubrics": spec.rubrics.model_copy(update=rubrics)})


def score_of(rig: Rig, spec: EpisodeSpec, condition: str, states: Sequence[StepState]) -> EpisodeScore:
    """Scores control steps under the thresholds of a scene, as the episode itself was scored."""
    machine = StageMachine(rig, spec, condition)
    for state in states:
        machine.update(state)
    return machine.score()


def checked_states(run: Run, episode: Episode) -> tuple[StepState, ...]:
    """The control steps of an episode, which are those of its scene.

    Raises:
        ImoveError: They were not kept, are damaged, or are those of another episode; or the suite is not at hand.
    """
    spec = run.specs.get(episode.spec_id)
    if spec is None:
        raise ImoveError(f"suite {run.suite_name} has no scene {episode.spec_id}, of which {run.folder} has an episode")
    states = states_of(run.folder, episode)
    ids = [item.id for item in states[0].objects]
    # Where objects are measured, what was laid out is not what is measured a moment later.
    is_other = domain_of(run) != REAL and pose_hash(states[0].objects) != episode.settled_pose_hash
    if ids != [item.id for item in spec.objects] or is_other:
        raise ImoveError(f"{run.folder / str(episode.trace)} is the trace of another episode than {episode.key}")
    return states


def finished_records(run: Run) -> Iterator[tuple[Episode, dict[str, Any]]]:
    """The finished episodes of a run and their records as they stand in the file, in its order."""
    wanted = {episode.key: episode for episode in run.episodes}
    with (run.folder / EPISODES).open("rb") as lines:
        for line in lines:
            try:
                record = json.loads(line)
                key = f"{record['spec_id']}/{record['condition']}"
            except (ValueError, KeyError, TypeError):
                continue
            episode = wanted.get(key)
            # Of what stands there twice, the first counts, as `open_run` says.
            if episode is not None and record.get("outcome") == episode.outcome:
                del wanted[key]
                yield episode, record


def rescored(record: Mapping[str, Any], score: EpisodeScore) -> dict[str, Any]:
    """The record of an episode with another score.

    Bag and video stay with the run that made them: they are as they were, under whatever thresholds.

    Args:
        record: As it was.
        score: From `score_of`.
    """
    return {**record, "score": score.to_record(), "bag": None, "video": None}
