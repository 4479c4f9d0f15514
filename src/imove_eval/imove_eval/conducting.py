"""Episodes one after another: each is run, its result is announced, and it is recorded where a recorder is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.recording import BagName, Dossier, EpisodeRecorder
from imove_core.spec import EpisodeSpec
from imove_eval.records import COMPLETED, RECORDER_LOST, Execution, episode_id
from imove_eval.runner import Job
from imove_tasks.assets.model import Asset
from imove_tasks.labels import episode_labels


def bag_name(job: Job, scenes: Sequence[EpisodeSpec]) -> BagName:
    """The bag of a job.

    Args:
        job: Of a scene of the suite.
        scenes: Of the whole suite.
    """
    task = job.spec.family if job.condition == "normal" else f"{job.spec.family}-{job.condition}"
    return BagName(task, next(index for index, spec in enumerate(scenes) if spec.id == job.spec.id))


def dossier_of(job: Job, execution: Execution, asset: Callable[[str], Asset], provenance: Mapping[str, Any]) -> Dossier:
    """What the bag of a finished episode is told.

    Args:
        job: What was run.
        execution: What came of it, with a score.
        asset: Gives the asset of an id.
        provenance: Of the run.
    """
    score = execution.score
    if score is None:
        raise ValueError("an episode that was never scored has no labels")
    assets = {item.id: asset(item.asset) for item in job.spec.objects}
    labels = episode_labels(job.spec, job.condition, score, execution.phases, assets)
    facts = {
        "success": "true" if labels.success else "false",
        "stages": ",".join(stage for stage in score.stages if score.reached_stage("strict", stage)),
        "engine": str(execution.simulator.get("engine", "")),
        "policy": execution.policy_id,
    }
    origin = {
        **provenance,
        "simulator": dict(execution.simulator),
        "policy_id": execution.policy_id,
        "policy_seed": job.seed,
        "settled_pose_hash": execution.settled_pose_hash,
    }
    return Dossier(facts, labels.to_json(), canonical_json(origin))


class Conductor:
    """Runs jobs one after another."""

    def __init__(
        self,
        run: Callable[[Job], Execution],
        announce: Callable[[Job, Execution], None],
        recorder: EpisodeRecorder | None,
        name: Callable[[Job], BagName],
        dossier: Callable[[Job, Execution], Dossier],
        output: Path,
    ) -> None:
        """Collaborators.

        Args:
            run: Runs one episode to its end, whatever that is.
            announce: Tells everybody what came of an episode.
            recorder: Makes a bag of each finished episode; None where nothing is recorded.
            name: Names bags.
            dossier: Describes finished episodes.
            output: Folder to which the bags' folders are relative in records.
        """
        self._run, self._announce, self._recorder = run, announce, recorder
        self._name, self._dossier, self._output = name, dossier, output

    def __call__(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Execution]]:
        """Runs the jobs and yields each with what came of it."""
        for job in jobs:
            yield job, self._episode(job) if self._recorder is None else self._recorded(job, self._recorder)

    def _episode(self, job: Job) -> Execution:
        execution = self._run(job)
        self._announce(job, execution)
        return execution

    def _recorded(self, job: Job, recorder: EpisodeRecorder) -> Execution:
        key = episode_id(job.spec, job.condition)
        execution = Execution(RECORDER_LOST, None)
        try:
            folder = recorder.start(key, self._name(job))
            execution = self._run(job)
            if execution.outcome == COMPLETED:
                execution = replace(execution, bag=str(folder.relative_to(self._output)))
            # Before the recording ends: the result belongs to the episode.
            self._announce(job, execution)
            if execution.outcome == COMPLETED:
                recorder.finish(key, self._dossier(job, execution))
            else:
                recorder.discard()
        except ImoveError as error:
            # What has ended an episode already says more than what that did to its recording.
            if execution.outcome in (COMPLETED, RECORDER_LOST):
                return replace(execution, outcome=RECORDER_LOST, message=str(error), bag=None)
        return execution
