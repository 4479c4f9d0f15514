"""What came of an episode, and its record."""

from dataclasses import asdict, dataclass
from typing import Any

from imove_tasks.stages.events import PICK_STAGES, RUBRICS, StageEvent

_FIRSTS = {"reach": "first_reached", "lift": "first_lifted", "place": "first_placed"}


@dataclass(frozen=True)
class EpisodeScore:
    """What came of an episode.

    Attributes:
        target: The instructed object, None where the instruction has no single referent.
        events: In the order in which they happened.
        first_contact: First object that an arm touched, None for none or where contacts are not sensed.
        steps: Control steps that were scored.
        destination: The instructed destination, None where there is none.
        stages: The stages of the episode's primitive, see `stages_of`.
    """

    target: str | None
    events: tuple[StageEvent, ...]
    first_contact: str | None
    steps: int
    destination: str | None = None
    stages: tuple[str, ...] = PICK_STAGES

    def reached_stage(self, rubric: str, stage: str) -> bool:
        """Whether the target reached a stage where it was to be put; without a target, whether any object did."""
        return any(
            event.rubric == rubric and event.stage == stage and (event.is_target or self.target is None)
            for event in self.events
        )

    def first(self, rubric: str, stage: str) -> str | None:
        """Id of the first object that reached a stage."""
        return next((e.object_id for e in self.events if e.rubric == rubric and e.stage == stage), None)

    def s_pick(self, rubric: str) -> float:
        """Stage score (Reach + Lift) / 2 of the paper."""
        return self._mean(rubric, PICK_STAGES)

    def s_pnp(self, rubric: str) -> float:
        """Stage score of a pick-and-place episode: the mean of its four stages."""
        return self._mean(rubric, self.stages)

    def success(self, rubric: str) -> bool:
        """Whether all stages of the primitive were reached."""
        return all(self.reached_stage(rubric, stage) for stage in self.stages)

    def _mean(self, rubric: str, stages: tuple[str, ...]) -> float:
        return sum(self.reached_stage(rubric, stage) for stage in stages) / len(stages)

    def to_record(self) -> dict[str, Any]:
        """The score as plain data for episodes.jsonl."""
        return {
            "target": self.target,
            "destination": self.destination,
            "first_contact": self.first_contact,
            "steps": self.steps,
            "rubrics": {rubric: self._rubric_record(rubric) for rubric in RUBRICS},
        }

    def _rubric_record(self, rubric: str) -> dict[str, Any]:
        scores = {"s_pick": self.s_pick(rubric)}
        if self.stages != PICK_STAGES:
            scores["s_pnp"] = self.s_pnp(rubric)
        return {
            **{stage: self.reached_stage(rubric, stage) for stage in self.stages},
            **scores,
            "success": self.success(rubric),
            **{name: self.first(rubric, stage) for stage, name in _FIRSTS.items() if stage in self.stages},
            "events": [
                {key: value for key, value in asdict(event).items() if key != "rubric"}
                for event in self.events
                if event.rubric == rubric
            ],
        }
