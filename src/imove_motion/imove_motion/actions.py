"""The atomic actions that demonstrations are made of, and which of them carry out an errand."""

from __future__ import annotations

from dataclasses import dataclass

from imove_motion.spots import IN
from imove_tasks.goals import Goal


@dataclass(frozen=True)
class Errand:
    """What is to be done in an episode.

    Attributes:
        target: Id of the object to pick.
        destination: Id of the container or reference object, None where the object is only picked.
        relation: Of where to put it: `in`, or one of `imove_tasks.relations`.
    """

    target: str
    destination: str | None = None
    relation: str = IN

    @classmethod
    def of(cls, goal: Goal) -> Errand:
        """What a goal asks for."""
        place = goal.meaning.place
        return cls(goal.target, goal.destination, IN if place is None else place.relation)


@dataclass(frozen=True)
class Pick:
    """Go to an object, close the hand around it and lift it.

    Attributes:
        target: Id of the object.
    """

    target: str

    name = "pick"


@dataclass(frozen=True)
class Move:
    """Carry what is held over where it is to go.

    Attributes:
        destination: Id of the container or reference object.
        relation: To it.
    """

    destination: str
    relation: str

    name = "move"


@dataclass(frozen=True)
class Place:
    """Lower what is held, let go of it and draw the hand back.

    Attributes:
        destination: Id of the container or reference object.
        relation: To it.
    """

    destination: str
    relation: str

    name = "place"


@dataclass(frozen=True)
class Home:
    """Go back to where an episode starts."""

    name = "home"


Action = Pick | Move | Place | Home


def recipe_of(errand: Errand) -> tuple[Action, ...]:
    """The actions of an errand: families that only pick end with the object up, the others with the arm at home."""
    pick = Pick(errand.target)
    if errand.destination is None:
        return (pick,)
    return (
        pick,
        Move(errand.destination, errand.relation),
        Place(errand.destination, errand.relation),
        Home(),
    )
