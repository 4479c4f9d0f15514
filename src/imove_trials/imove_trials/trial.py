"""A trial on the real table, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from imove_core.canonical import canonical_json
from imove_core.episode_key import label_in
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec

Decision = Literal["keep", "redo", "discard"]


@dataclass(frozen=True)
class Trial:
    """A trial.

    Attributes:
        key: The id under which its episode is announced.
        spec: Scene.
        condition: Which of its instructions is given.
        number: Of the session, from 1; a trial that is done again keeps it.
        attempt: From 1.
    """

    key: str
    spec: EpisodeSpec
    condition: str
    number: int = 1
    attempt: int = 1

    @property
    def label(self) -> str:
        """What stands for the policy in a blinded comparison, "" elsewhere."""
        return label_in(self.key, self.spec.id, self.condition)

    @property
    def instruction(self) -> str:
        """The text that the policy is told."""
        return self.spec.instruction(self.condition).text

    @cached_property
    def spec_json(self) -> str:
        """The scene as it is published, many times in the course of one trial."""
        return self.spec.to_json()

    @classmethod
    def of_request(cls, key: str, spec_json: str, condition: str) -> Trial:
        """The trial that a reset asks for; raises ImoveError where there is no such scene or condition."""
        if not key:
            raise ImoveError("a trial needs the id of its episode")
        spec = EpisodeSpec.from_json(spec_json)
        spec.instruction(condition)
        return cls(key, spec, condition)


@dataclass(frozen=True)
class Start:
    """How a trial began.

    Attributes:
        stamp_ns: Of its first observation.
        settled_pose_hash: Of the objects as they were measured.
    """

    stamp_ns: int
    settled_pose_hash: str


@dataclass
class Remarks:
    """What people said in the course of one trial.

    Attributes:
        interventions: Text and time since the start of each.
        overruled: Stage events that somebody contradicts; what was measured is kept beside them.
        notes: Texts.
        layout_accepted: Whether the trial was started though the layout was not found to be right.
        match: Share of the objects that lay where the spec says, at the start.
    """

    interventions: list[dict[str, Any]] = field(default_factory=list)
    overruled: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    layout_accepted: bool = False
    match: float = 0.0

    def to_record(self, success: bool | None, stopped_by: str) -> dict[str, Any]:
        """The record of the operator's word.

        Args:
            success: Whether the trial succeeded, None where nobody judged.
            stopped_by: Who or what ended it early, "" for none.
        """
        return {
            "success": success,
            "interventions": list(self.interventions),
            "overruled": list(self.overruled),
            "note": "\n".join(self.notes),
            "stopped_by": stopped_by,
            "layout_match": self.match,
            "layout_accepted": self.layout_accepted,
        }


@dataclass(frozen=True)
class Verdict:
    """What becomes of a trial.

    Attributes:
        decision: Whether its result is kept, it is done again, or thrown away.
        operator: Record of the operator's word.
    """

    decision: Decision
    operator: dict[str, Any]

    def to_json(self) -> str:
        """The verdict as one line."""
        return canonical_json({"decision": self.decision, "operator": self.operator})


def judged_by_person(record_json: str) -> bool:
    """Whether the record of an episode has a person's word on it, as that of a teleoperated one does.

    An evaluator's records leave success to the rubrics; what a person threw away has the word that it is none.
    """
    try:
        record = json.loads(record_json or "{}")
    except json.JSONDecodeError:
        return False
    return isinstance(record, dict) and "success" in record
