"""Episodes one after another: each is run, its result is announced, and it is recorded where a recorder is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from imove_analysis.records import COMPLETED, RECORDER_LOST, REDONE, Execution
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.recording import BagName, Dossier, EpisodeRecorder
from imove_core.spec import EpisodeSpec
from imove_eval.runner import Job
from imove_eval.verdicts import JUDGED_OUTCOMES
from imove_tasks.assets.model import Asset
from imove_tasks.labels import episode_labels


def bag_name(job: Job, scenes: Sequence[EpisodeSpec]) -> BagName:
    """The bag of a job.

    Args:
        job: Of a scene of the suite.
        scenes: Of the whole suite.
    """
    parts = (job.spec.family, "" if job.condition == "normal" else job.condition, job.label)
    task = "-".join(part for part in parts if part)
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
        # Bags of a blinded comparison are looked at before its end.
        "policy": job.label or execution.policy_id,
        **_operator_facts(execution),
    }
    origin = {
        **provenance,
        "simulator": dict(execution.simulator),
        "policy_id": job.label or execution.policy_id,
        "policy_seed": job.seed,
        "settled_pose_hash": execution.settled_pose_hash,
    }
    return Dossier(facts, labels.to_json(), canonical_json(origin))


def _operator_facts(execution: Execution) -> dict[str, str]:
    """What the operator says of the episode, where one was there."""
    if execution.operator is None:
        return {}
    success = execution.operator["success"]
    return {
        "operator_success": "unknown" if success is None else ("true" if success else "false"),
        "interventions": str(len(execution.operator["interventions"])),
        "note": str(execution.operator["note"]),
    }


def unjudged(job: Job, execution: Execution) -> Execution:
    """The result as it came out, where no person is asked."""
    return execution


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
        judge: Callable[[Job, Execution], Execution] = unjudged,
    ) -> None:
        """Collaborators.

        Args:
            run: Runs one episode to its end, whatever that is.
            announce: Tells everybody what came of an episode.
            recorder: Makes a bag of each finished episode; None where nothing is recorded.
            name: Names bags.
            dossier: Describes finished episodes.
            output: Folder to which the bags' folders are relative in records.
            judge: Gives the result after a person has had a word, who may ask for the episode once more.
        """
        self._run, self._announce, self._recorder = run, announce, recorder
        self._name, self._dossier, self._output, self._judge = name, dossier, output, judge

    def __call__(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Execution]]:
        """Runs the jobs and yields each with what came of it."""
        for job in jobs:
            redone = True
            while redone:
                execution = self._episode(job) if self._recorder is None else self._recorded(job, self._recorder)
                redone = execution.outcome == REDONE
                yield job, execution

    def _episode(self, job: Job) -> Execution:
        execution = self._run(job)
        self._announce(job, execution)
        return self._judge(job, execution)

    def _recorded(self, job: Job, recorder: EpisodeRecorder) -> Execution:
        execution = Execution(RECORDER_LOST, None)
        try:
            folder = recorder.start(job.key, self._name(job))
            execution = self._run(job)
            if execution.outcome in JUDGED_OUTCOMES:
                execution = replace(execution, bag=str(folder.relative_to(self._output)))
            # Before the recording ends: the result belongs to the episode.
            self._announce(job, execution)
            execution = self._judge(job, execution)
            if execution.outcome == COMPLETED:
                recorder.finish(job.key, self._dossier(job, execution))
            else:
                recorder.discard()
                execution = replace(execution, bag=None)
        except ImoveError as error:
            # What has ended an episode already says more than what that did to its recording.
            if execution.outcome in (COMPLETED, RECORDER_LOST):
                return replace(execution, outcome=RECORDER_LOST, message=str(error), bag=None)
        return execution
