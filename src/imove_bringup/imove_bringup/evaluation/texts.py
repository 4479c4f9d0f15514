"""Jobs and answers as texts of JSON, for workers that are reached over a network: nothing is unpickled there."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from imove_analysis.records import Execution
from imove_bringup.evaluation.steady_worker import Answer
from imove_bringup.in_process import WorkerSettings
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_eval.runner import Job
from imove_tasks.stages import EpisodeScore, StageEvent


def settings_text(settings: WorkerSettings) -> str:
    """What a worker needs to be made."""
    return canonical_json({**asdict(settings), "assets": [str(folder) for folder in settings.assets]})


def settings_from(text: str) -> WorkerSettings:
    """Reads `settings_text`."""
    values = json.loads(text)
    assets = tuple(Path(folder) for folder in values.pop("assets"))
    return WorkerSettings(**{**values, "image_size": tuple(values["image_size"])}, assets=assets)


def job_text(job: Job) -> str:
    """An episode to run."""
    return canonical_json({**asdict(job), "spec": job.spec.to_json()})


def job_from(text: str) -> Job:
    """Reads `job_text`."""
    values = json.loads(text)
    return Job(**{**values, "spec": EpisodeSpec.from_json(values["spec"])})


def answer_text(answer: Answer) -> str:
    """What came of an episode."""
    found = answer.execution
    record = None if found is None else _execution_record(found)
    return canonical_json({"execution": record, "notes": list(answer.notes), "error": answer.error})


def answer_from(text: str) -> Answer:
    """Reads `answer_text`.

    Raises:
        ImoveError: The text is none.
    """
    try:
        values = json.loads(text)
        found = values["execution"]
        execution = None if found is None else _execution_from(found)
        return Answer(execution, tuple(str(note) for note in values["notes"]), str(values["error"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ImoveError(
            f"a worker answered what is no answer ({error!r}); is its imove of the same version?"
        ) from error


def _execution_record(execution: Execution) -> dict[str, Any]:
    trace = execution.trace
    return {
        # A shallow copy: `asdict` cannot copy the read-only maps within.
        **{name: getattr(execution, name) for name in execution.__dataclass_fields__},
        "score": None if execution.score is None else asdict(execution.score),
        "trace": None if trace is None else base64.b64encode(trace).decode(),
    }


def _execution_from(values: dict[str, Any]) -> Execution:
    score, trace = values["score"], values["trace"]
    if score is not None:
        events = tuple(StageEvent(**event) for event in score["events"])
        score = EpisodeScore(**{**score, "events": events, "stages": tuple(score["stages"])})
    return Execution(
        **{
            **values,
            "score": score,
            "trace": None if trace is None else base64.b64decode(trace),
            "phases": tuple(values["phases"]),
        }
    )
