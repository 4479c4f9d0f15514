"""What the stages are, what an event of one is, and how they chain."""

from dataclasses import dataclass
from typing import NamedTuple

RUBRICS = ("strict", "reference")
PICK_STAGES = ("reach", "lift")
PLACE_STAGES = (*PICK_STAGES, "reach_place", "place")


def stages_of(primitive: str) -> tuple[str, ...]:
    """The stages of an episode with this primitive (`pick` or `pick_and_place`), in their order."""
    return PICK_STAGES if primitive == "pick" else PLACE_STAGES


def stage_title(stage: str) -> str:
    """Name of a stage in tables, e.g. `ReachPlace`."""
    return stage.title().replace("_", "")


@dataclass(frozen=True)
class StageEvent:
    """A stage that an object reached, the first time in an episode.

    Attributes:
        rubric: `strict` or `reference`.
        stage: One of `PLACE_STAGES`.
        object_id: The object it happened to.
        is_target: Whether that object is the instructed one, and the destination too where the stage has one.
        step: Control steps since the first observation.
        elapsed_s: The same in seconds.
        destination_id: The object where it was put; "" for the stages of a pick.
    """

    rubric: str
    stage: str
    object_id: str
    is_target: bool
    step: int
    elapsed_s: float
    destination_id: str = ""


class Claim(NamedTuple):
    """A stage that holds for an object at a control step; the destination is "" for the stages of a pick."""

    stage: str
    object_id: str
    destination_id: str = ""


class Chain:
    """What was reached so far under one rubric: stages latch, and a stage counts after the one before it."""

    def __init__(self) -> None:
        """Begins with nothing reached."""
        self._reached: set[Claim] = set()

    def reached(self, stage: str, object_id: str, destination_id: str = "") -> bool:
        """Whether an object has reached a stage; of the stages of a place, at that destination."""
        return Claim(stage, object_id, destination_id if stage not in PICK_STAGES else "") in self._reached

    def add(self, claim: Claim) -> bool:
        """Notes a claim; returns False where it was noted before or its stage before it is missing."""
        number = PLACE_STAGES.index(claim.stage)
        if claim in self._reached:
            return False
        if number and not self.reached(PLACE_STAGES[number - 1], claim.object_id, claim.destination_id):
            return False
        self._reached.add(claim)
        return True
