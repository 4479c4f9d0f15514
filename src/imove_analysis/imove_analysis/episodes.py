"""An episode of a run as its record tells it, small enough that a hundred thousand fit into memory."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from imove_analysis.records import COMPLETED
from imove_tasks.stages import PLACE_STAGES, RUBRICS


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """A stage that an object reached, the first time in the episode.

    Attributes:
        stage: One of `imove_tasks.stages.PLACE_STAGES`.
        object_id: As in the spec.
        destination_id: Where it was put, "" for the stages of a pick.
        step: Control steps since the first observation.
        is_target: Whether object, and destination where the stage has one, are the instructed ones.
    """

    stage: str
    object_id: str
    destination_id: str
    step: int
    is_target: bool


@dataclass(frozen=True, slots=True)
class RubricResult:
    """What one rubric says of an episode.

    Attributes:
        reached: The stages that count for the result: of the target, or of any object where the text has none.
        stages: The stages of the episode's primitive, in order.
        events: In the order in which they happened, of all objects.
        success: Whether all stages were reached.
    """

    reached: frozenset[str]
    stages: tuple[str, ...]
    events: tuple[ObjectEvent, ...]
    success: bool

    @property
    def score(self) -> float:
        """The share of the stages that were reached: S_pick of a pick, S_pnp of a pick-and-place."""
        return len(self.reached) / len(self.stages)

    def first(self, stage: str) -> str | None:
        """The first object that reached a stage."""
        return next((event.object_id for event in self.events if event.stage == stage), None)

    def did(self, stage: str, object_id: str | None, destination_id: str | None) -> bool:
        """Whether an object reached a stage; one of a place at that destination, or at any where it is None."""
        return any(
            event.stage == stage
            and event.object_id == object_id
            and (not event.destination_id or destination_id in (None, event.destination_id))
            for event in self.events
        )

    def any_object(self, stage: str) -> bool:
        """Whether any object reached a stage."""
        return any(event.stage == stage for event in self.events)


@dataclass(frozen=True, slots=True)
class Episode:
    """One line of episodes.jsonl.

    Attributes:
        spec_id: Scene.
        condition: Which of its instructions was given.
        outcome: `completed`, or `aborted: REASON`.
        message: Why it was aborted, "" otherwise.
        target: The instructed object, None where the text is about no single one.
        destination: The instructed destination, None where there is none.
        first_contact: First object that an arm touched, None for none or where nothing senses contacts.
        candidates: Objects of the scene that could be acted on.
        steps: Control steps that were scored.
        rubrics: Results by rubric; empty for an episode that was not scored.
        prompt: Text that the policy says it received.
        prompt_verified: Whether that is the text that it was to receive.
        settled_pose_hash: Of the first observation.
        trace: File of the control steps within the run's folder, None where there is none.
        bag: Folder of the bag within the run's folder, None where nothing was recorded.
        video: File of the video, None where there is none.
        safety: Counts of what the safety layer changed; empty for none.
        inferences: Questions that the policy answered.
        operator: What a person says of a trial on the real table, None in simulation.
    """

    spec_id: str
    condition: str
    outcome: str
    message: str
    target: str | None
    destination: str | None
    first_contact: str | None
    candidates: int
    steps: int
    rubrics: Mapping[str, RubricResult]
    prompt: str
    prompt_verified: bool
    settled_pose_hash: str
    trace: str | None
    bag: str | None
    video: str | None
    safety: Mapping[str, Any]
    inferences: int
    operator: Mapping[str, Any] | None

    @property
    def finished(self) -> bool:
        """Whether it ran to its end and counts."""
        return self.outcome == COMPLETED

    @property
    def key(self) -> str:
        """Its name in the run."""
        return f"{self.spec_id}/{self.condition}"


def episode_from(record: Mapping[str, Any]) -> Episode:
    """Reads a record.

    Raises:
        KeyError, TypeError or ValueError: It is no record of an episode.
    """
    score = record["score"]
    return Episode(
        spec_id=str(record["spec_id"]),
        condition=_shared(record["condition"]),
        outcome=_shared(record["outcome"]),
        message=str(record.get("message", "")),
        target=_shared_or_none(score["target"] if score else None),
        destination=_shared_or_none(score.get("destination") if score else None),
        first_contact=_shared_or_none(score["first_contact"] if score else None),
        candidates=int(record["candidates"]),
        steps=int(score["steps"]) if score else 0,
        rubrics={name: _rubric(score["rubrics"][name]) for name in RUBRICS} if score else {},
        prompt=str(record["prompt_echoed"]),
        prompt_verified=bool(record["prompt_verified"]),
        settled_pose_hash=str(record["settled_pose_hash"]),
        trace=record.get("trace"),
        bag=record.get("bag"),
        video=record.get("video"),
        safety=record.get("safety") or {},
        inferences=int(record["inferences"]),
        operator=record.get("operator"),
    )


def _rubric(found: Mapping[str, Any]) -> RubricResult:
    stages = tuple(stage for stage in PLACE_STAGES if stage in found)
    if not stages:
        raise ValueError("a rubric without stages")
    reached = frozenset(stage for stage in stages if found[stage])
    events = tuple(
        ObjectEvent(
            _shared(event["stage"]),
            _shared(event["object_id"]),
            _shared(event.get("destination_id", "")),
            int(event["step"]),
            bool(event["is_target"]),
        )
        for event in found["events"]
    )
    return RubricResult(reached, stages, events, len(reached) == len(stages))


def _shared(word: str) -> str:
    """Words that come again in every record are kept once."""
    return sys.intern(word)


def _shared_or_none(word: str | None) -> str | None:
    return None if word is None else sys.intern(word)
