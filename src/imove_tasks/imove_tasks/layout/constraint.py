"""What a constraint on layouts is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from shapely.geometry.base import BaseGeometry

from imove_tasks.layout.arrangement import Arrangement
from imove_tasks.layout.placement import Placement


class Violation(NamedTuple):
    """That a constraint does not hold: for which object ("" when no single one is to blame), and how, in words."""

    object_id: str
    words: str


class Constraint(Protocol):
    """Something that a layout must fulfil; a small frozen value whose `str()` says it in words.

    A constraint that a part of the objects violates must stay violated whatever is placed beside them.
    """

    @property
    def name(self) -> str:
        """A few words for messages."""
        ...

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the objects that it speaks of by name; none where it speaks of all."""
        return ()

    @property
    def costly(self) -> bool:
        """Whether it is judged only on complete layouts, once each."""
        return False

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """Where the origin of an object that is not placed yet may lie, whatever its yaw; None for everywhere.

        May be larger than what is allowed in the end, never smaller by more than the corners of a polygonised circle.

        Args:
            layout: What is placed.
            object_id: Of the object.
            newest: Only what this placed object demands; None for what is demanded before anything is placed.
        """
        return None

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields how it is violated, exactly.

        Args:
            layout: What is placed.
            newest: Only what this object has to do with, the rest is known to hold; None for everything.
        """
        ...


class Feasibility(Protocol):
    """Says of a complete layout, by id, "" when its objects can be picked, else the reason why not."""

    def __call__(self, layout: Mapping[str, Placement]) -> str:
        """Judges a layout."""
        ...
