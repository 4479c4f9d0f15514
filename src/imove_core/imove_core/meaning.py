"""What an instruction means, as a symbolic value: which object to pick, and where to put it.

A meaning is evaluated over scene metadata and poses (`imove_tasks.grounding`), never over pictures, so it says without
doubt which objects an instruction is true of.
"""

from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, model_validator

from imove_core.values import FrozenValue

SpatialRelation = Literal["left_of", "right_of", "in_front_of", "behind", "near", "far_from"]
SPATIAL_RELATIONS: tuple[str, ...] = get_args(SpatialRelation)
"""Robot-centric: left of is +y, right of -y, in front of +x (farther from the robot), behind -x; bands of distance."""
LABEL_FIELDS = ("category", "color", "material", "shape")
"""Metadata fields that a description can demand a word of."""
RELATIVE_SIZES = ("smallest", "medium", "largest")


def _known_fields(fields: dict[str, str]) -> dict[str, str]:
    for name, word in fields.items():
        if name not in LABEL_FIELDS:
            raise ValueError(f"unknown field {name!r}; allowed: {', '.join(LABEL_FIELDS)}")
        if not word:
            raise ValueError(f"field {name!r} has no word; leave it out where nothing is demanded of it")
    return dict(sorted(fields.items()))


class Description(FrozenValue):
    """Which objects a noun phrase is true of; without any demand it is true of every object.

    Attributes:
        fields: Words that the object's labels must have, e.g. {"category": "mug", "color": "red"}.
        size: How its longest side compares with those of all objects that fulfil `fields`.
        relation: Where it must be, seen from another object.
    """

    fields: Annotated[dict[str, str], AfterValidator(_known_fields)] = {}
    size: Literal["smallest", "medium", "largest"] | None = None
    relation: "Related | None" = None

    @property
    def is_generic(self) -> bool:
        """Whether nothing is demanded, as by "the object"."""
        return not self.fields and self.size is None and self.relation is None


class Related(FrozenValue):
    """A place seen from a reference object.

    Attributes:
        relation: Robot-centric relation.
        reference: True of exactly one object where the whole has a meaning.
    """

    relation: SpatialRelation
    reference: Description

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.reference.relation is not None:
            raise ValueError("the reference of a relation has a relation itself; one level is allowed")
        return self


class Destination(FrozenValue):
    """Where the picked object must end.

    Attributes:
        relation: `in` the region of the reference (inside a bowl, on a plate), or a relation to it on the table.
        reference: The container or reference object.
    """

    relation: Literal["in", "left_of", "right_of", "in_front_of", "behind", "near"]
    reference: Description


class Meaning(FrozenValue):
    """What an instruction asks for.

    Attributes:
        pick: The object to pick.
        place: Where to put it; None where it is only to be picked.
    """

    pick: Description
    place: Destination | None = None
