"""The certificate of an episode: what was proved when it was frozen, and on which engine."""

from typing import Annotated

from pydantic import Field

from imove_core.meaning import Meaning
from imove_core.values import FrozenValue

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Candidate(FrozenValue):
    """An object that the robot could just as well pick, and the proof that it could.

    Attributes:
        object_id: The object.
        arm: Arm that picked it up.
        lift_m: How far its lowest point rose in physics, m.
        visible_share: Of its pixels in the static view, the share that no other object and no arm hides; the smallest
            over all fixed cameras.
    """

    object_id: str
    arm: str
    lift_m: float
    visible_share: Share


class Goal(FrozenValue):
    """One of the goals that an instruction could name on the scene.

    Attributes:
        text: An instruction that names it.
        meaning: What that text means; true of exactly one object, and of exactly one destination where it has one.
        target: Id of the object to pick.
        destination: Id of the container or reference object, None where the object is only picked.
        placed: Whether the object was carried there in physics and stayed; None where it is only picked.
    """

    text: str
    meaning: Meaning
    target: str
    destination: str | None = None
    placed: bool | None = None


class Certificate(FrozenValue):
    """The proof that an episode is feasible, unambiguous and text-indispensable.

    Attributes:
        engine: Name and version of the physics engine.
        drift_m: Largest way that an object moves when the scene is left alone for two seconds.
        candidates: Every object that an instruction could name, each lifted in physics.
        goals: All goals that were proved on the scene, the canonical instruction's first; every candidate is the
            target of one of them.
    """

    engine: str
    drift_m: Annotated[float, Field(ge=0.0)]
    candidates: tuple[Candidate, ...]
    goals: Annotated[tuple[Goal, ...], Field(min_length=2)]
