"""Which objects of a scene a meaning is true of: symbolic evaluation over labels, boxes and poses.

An object's labels and box come from the spec; places come from the spec's settled poses or, while an episode runs, from
object states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Meaning
from imove_core.spec import SceneObject
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_tasks.relations import judge

SIZE_RATIO = 1.2
"""Longest sides must differ by this factor for a word such as "largest" to be true of one of them only."""


@dataclass(frozen=True, eq=False)
class Thing:
    """What a description is evaluated over.

    Attributes:
        id: Of the object.
        labels: Words by field, see `imove_core.meaning.LABEL_FIELDS`.
        longest_side_m: Of its box.
        place: (2,) x, y of its origin, world frame, m.
    """

    id: str
    labels: Mapping[str, str]
    longest_side_m: float
    place: Array


def things_of(objects: Sequence[SceneObject], states: Sequence[ObjectState] = ()) -> tuple[Thing, ...]:
    """The objects of a spec as things, where they are in `states`, or settled where there are none."""
    places = {state.id: state.position[:2] for state in states}
    return tuple(
        Thing(
            item.id,
            item.labels,
            float(np.max(np.subtract(item.box_max, item.box_min))),
            places.get(item.id, np.array(item.position[:2])),
        )
        for item in objects
    )


@dataclass(frozen=True)
class Referents:
    """What a description is true of.

    Attributes:
        certain: Ids of objects of which it is clearly true.
        possible: Ids of objects of which it might be held to be true; they lie in the band of a relation or size.
    """

    certain: tuple[str, ...]
    possible: tuple[str, ...]

    @property
    def only(self) -> str | None:
        """Id of the only object it can be about, None when there is none, or more than one that it might be."""
        return self.certain[0] if len(self.certain) == 1 and not self.possible else None

    @property
    def nothing(self) -> bool:
        """Whether it clearly is true of no object."""
        return not self.certain and not self.possible


def referents(description: Description, things: Sequence[Thing]) -> Referents:
    """Evaluates a description.

    A relation to something that is not exactly one object is true of none. An object is not in relation to itself.
    """
    matching = [thing for thing in things if _has(thing, description.fields)]
    certain, possible = _of_size(matching, description.size)
    if description.relation is None:
        return Referents(_ids(certain), _ids(possible))
    reference_id = referents(description.relation.reference, things).only
    reference = next((thing for thing in things if thing.id == reference_id), None)
    if reference is None:
        return Referents((), ())
    clear, unclear = [], []
    for thing in (*certain, *possible):
        if thing is reference:
            continue
        verdict = judge(description.relation.relation, thing.place, reference.place)
        if verdict.holds and thing in certain:
            clear.append(thing)
        elif not verdict.fails:
            unclear.append(thing)
    return Referents(_ids(clear), _ids(unclear))


def _has(thing: Thing, fields: Mapping[str, str]) -> bool:
    return all(thing.labels[name] == word for name, word in fields.items())


def _of_size(things: list[Thing], size: str | None) -> tuple[list[Thing], list[Thing]]:
    """Things that clearly are the smallest, medium or largest of all, and those that might be."""
    if size is None:
        return things, []
    ordered = sorted(things, key=lambda thing: thing.longest_side_m)
    if size == "medium":
        if len(ordered) != 3:
            return [], []
        return ([ordered[1]], []) if _apart(ordered[:2]) and _apart(ordered[1:]) else ([], ordered)
    ends = ordered[:2] if size == "smallest" else ordered[:-3:-1]
    if len(ends) < 2:
        return [], []
    return (ends[:1], []) if _apart(ends) else ([], [t for t in ordered if not _apart([t, ends[0]])])


def _apart(pair: Sequence[Thing]) -> bool:
    low, high = sorted(thing.longest_side_m for thing in pair)
    return high >= SIZE_RATIO * low


def _ids(things: Sequence[Thing]) -> tuple[str, ...]:
    return tuple(thing.id for thing in things)


@dataclass(frozen=True)
class Grounded:
    """The objects that a meaning is about.

    Attributes:
        target: Id of the only object to pick, None when there is no such object.
        destination: Id of the only object to put it at, None when there is none or nothing is to be put anywhere.
    """

    target: str | None
    destination: str | None


def ground(meaning: Meaning | None, things: Sequence[Thing]) -> Grounded:
    """Evaluates a meaning on a scene; a text without meaning is about nothing."""
    if meaning is None:
        return Grounded(None, None)
    target = None if meaning.pick.is_generic else referents(meaning.pick, things).only
    if meaning.place is None:
        return Grounded(target, None)
    reference = meaning.place.reference
    return Grounded(target, None if reference.is_generic else referents(reference, things).only)


def check_goal(meaning: Meaning, things: Sequence[Thing], target: str, destination: str | None) -> None:
    """Raises ImoveError unless a meaning is about exactly the target, and exactly the destination."""
    found = ground(meaning, things)
    if (found.target, found.destination) != (target, destination):
        raise ImoveError(
            f"meaning {meaning.model_dump(exclude_none=True)} is about pick {found.target} and destination "
            f"{found.destination}; the goal is {target} and {destination}"
        )


def is_fulfilled(meaning: Meaning, things: Sequence[Thing]) -> bool:
    """Whether what is to be put somewhere on the table might be held to be there already."""
    if meaning.place is None or meaning.place.relation == "in":
        return False
    found = ground(meaning, things)
    places = {thing.id: thing.place for thing in things}
    if found.target is None or found.destination is None:
        return False
    return judge(meaning.place.relation, places[found.target], places[found.destination]).holds
