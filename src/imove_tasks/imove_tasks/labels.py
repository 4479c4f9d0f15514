"""Labels of an episode: what was asked, in all its words, what came of it, and what the robot did when.

`episode_labels` makes them for synthesised, simulated and real episodes alike; they are attached to each episode bag as
`labels.json`, and docs/synthesis.md describes the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from imove_core.canonical import canonical_json
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.model import Asset
from imove_tasks.language.paraphrases import paraphrases
from imove_tasks.stages.phases import PhaseSpan, phase_spans
from imove_tasks.stages.score import EpisodeScore

SCHEMA = 1


@dataclass(frozen=True)
class EpisodeLabels:
    """Labels of one episode.

    Attributes:
        instruction: The text that was sent.
        condition: Instruction condition.
        meaning: What the text means, as plain data; None where it means nothing.
        target: Id of the instructed object, None where there is none.
        destination: Id of the instructed destination, None where there is none.
        candidates: Ids of all objects that could just as well be picked.
        first_contact: Id of the first object that an arm touched, None for none or where contacts are not sensed.
        paraphrases: By partition, `seen` and `unseen`, other texts that ask for the same.
        score: Both rubrics' verdicts.
        phases: What the motion was doing when.
    """

    instruction: str
    condition: str
    meaning: Mapping[str, Any] | None
    target: str | None
    destination: str | None
    candidates: tuple[str, ...]
    first_contact: str | None
    paraphrases: Mapping[str, tuple[str, ...]]
    score: EpisodeScore
    phases: tuple[PhaseSpan, ...]

    @property
    def success(self) -> bool:
        """Whether the target reached all stages under the strict rubric; False where there is no target."""
        return self.target is not None and self.score.success("strict")

    def to_record(self) -> dict[str, Any]:
        """The labels as plain data."""
        return {
            "schema": SCHEMA,
            "instruction": self.instruction,
            "condition": self.condition,
            "meaning": None if self.meaning is None else dict(self.meaning),
            "target": self.target,
            "destination": self.destination,
            "candidates": list(self.candidates),
            "first_contact": self.first_contact,
            "paraphrases": {name: list(texts) for name, texts in self.paraphrases.items()},
            "rubrics": self.score.to_record()["rubrics"],
            "events": [asdict(event) for event in self.score.events],
            "phases": [asdict(span) for span in self.phases],
            "success": self.success,
        }

    def to_json(self) -> str:
        """The record as one line of canonical JSON."""
        return canonical_json(self.to_record())


def episode_labels(
    spec: EpisodeSpec, condition: str, score: EpisodeScore, phases: Sequence[str], assets: Mapping[str, Asset]
) -> EpisodeLabels:
    """Labels of an episode that has ended.

    Args:
        spec: Of the episode.
        condition: Instruction condition.
        score: What came of it.
        phases: Phase of each control step from step 0 on; see `imove_tasks.stages.phases`.
        assets: The objects' assets by object id: their words make the paraphrases.

    Raises:
        ImoveError: The spec has no such condition, or its family is unknown.
    """
    instruction = spec.instruction(condition)
    meaning = instruction.meaning
    return EpisodeLabels(
        instruction=instruction.text,
        condition=condition,
        meaning=None if meaning is None else meaning.model_dump(mode="json"),
        target=instruction.target,
        destination=instruction.destination,
        candidates=spec.candidates,
        first_contact=score.first_contact,
        paraphrases={
            "seen": paraphrases(spec, instruction, assets, "seen"),
            "unseen": paraphrases(spec, instruction, assets, "unseen"),
        },
        score=score,
        phases=phase_spans(phases),
    )
