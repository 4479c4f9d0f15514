"""Constraints on where objects lie relative to each other; places are their origins seen from above."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from imove_tasks.layout.arrangement import Arrangement
from imove_tasks.layout.constraint import Constraint, Violation
from imove_tasks.layout.constraints.bounds import area_of
from imove_tasks.layout.regions import about, failing, holding, ring, steady
from imove_tasks.relations import Verdict

MARGIN_M = 0.005
"""Relations still are as they should be when both objects move that far."""


def _words(relation: str) -> str:
    return relation.replace("_", " ")


def _pair_region(
    layout: Arrangement, subject: str, reference: str, offsets: BaseGeometry, object_id: str, newest: str | None
) -> BaseGeometry | None:
    """Where one of a pair may lie when the newest object is the other one of them."""
    if (object_id, newest) == (subject, reference):
        return about(offsets, layout.placed[reference].place)
    if (object_id, newest) == (reference, subject):
        return about(offsets, layout.placed[subject].place, reverse=True)
    return None


@dataclass(frozen=True)
class _Judged(Constraint):
    """A relation of two objects is clearly decided, and still is when both of them move by a margin.

    Attributes:
        subject_id: The object that is somewhere.
        relation: One of `imove_core.meaning.SPATIAL_RELATIONS`.
        reference_id: The object from which it is seen.
        margin_m: How far each of them may move.
    """

    subject_id: str
    relation: str
    reference_id: str
    margin_m: float = MARGIN_M

    @property
    def ids(self) -> tuple[str, ...]:
        """The two objects."""
        return (self.subject_id, self.reference_id)

    def __str__(self) -> str:
        """The constraint in words."""
        return f"{self.subject_id} is {self.name} {self.reference_id}"

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """Where the relation is so decided to the one of them that was placed."""
        offsets = self._offsets(self._room_m(layout))
        return _pair_region(layout, self.subject_id, self.reference_id, offsets, object_id, newest)

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields the subject when the relation is not clearly so decided."""
        if _is_settled(layout, self.ids, newest):
            return
        subject, reference = (layout.placed[key].place for key in self.ids)
        if not self._as_wanted(steady(self.relation, subject, reference, self._room_m(layout))):
            yield Violation(self.subject_id, f"it is not clear that {self}")

    def _room_m(self, layout: Arrangement) -> float:
        return 2 * (self.margin_m + layout.slack_m)

    @abstractmethod
    def _offsets(self, room_m: float) -> BaseGeometry:
        """Where the subject may be, seen from the reference, with room around."""

    @abstractmethod
    def _as_wanted(self, verdict: Verdict) -> bool:
        """Whether the relation is decided as it should be."""


@dataclass(frozen=True)
class Relation(_Judged):
    """A relation holds, and still does when both objects move by a margin."""

    @property
    def name(self) -> str:
        """A few words for messages."""
        return _words(self.relation)

    def _offsets(self, room_m: float) -> BaseGeometry:
        return holding(self.relation, room_m)

    def _as_wanted(self, verdict: Verdict) -> bool:
        return verdict.holds


@dataclass(frozen=True)
class NotRelation(_Judged):
    """A relation clearly fails, and still does when both objects move by a margin."""

    @property
    def name(self) -> str:
        """A few words for messages."""
        return f"not {_words(self.relation)}"

    def _offsets(self, room_m: float) -> BaseGeometry:
        return failing(self.relation, room_m)

    def _as_wanted(self, verdict: Verdict) -> bool:
        return verdict.fails


@dataclass(frozen=True)
class Distance(Constraint):
    """Two objects are a distance within a band from each other.

    Attributes:
        first_id: One of them.
        second_id: The other.
        low_m: Least distance between their origins.
        high_m: Largest distance.
    """

    first_id: str
    second_id: str
    low_m: float
    high_m: float

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "distance"

    @property
    def ids(self) -> tuple[str, ...]:
        """The two objects."""
        return (self.first_id, self.second_id)

    def __str__(self) -> str:
        """The constraint in words."""
        return f"{self.first_id} is {self.low_m:.2f} to {self.high_m:.2f} m from {self.second_id}"

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """The ring about the one of them that was placed."""
        slack_m = 2 * layout.slack_m
        offsets = ring(self.low_m + slack_m if self.low_m > 0 else 0.0, self.high_m - slack_m)
        return _pair_region(layout, self.first_id, self.second_id, offsets, object_id, newest)

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields the first object when it is too near or too far."""
        if _is_settled(layout, self.ids, newest):
            return
        first, second = (layout.placed[key].place for key in self.ids)
        distance_m, slack_m = float(np.hypot(*(first - second))), 2 * layout.slack_m
        too_near = self.low_m > 0 and distance_m < self.low_m + slack_m
        if too_near or distance_m > self.high_m - slack_m:
            yield Violation(self.first_id, f"{self.first_id} is {distance_m:.3f} m from {self.second_id}")


def _is_settled(layout: Arrangement, ids: tuple[str, ...], newest: str | None) -> bool:
    """Whether there is nothing to judge: an object is missing, or the newest one is none of them."""
    return any(key not in layout.placed for key in ids) or newest not in (None, *ids)


@dataclass(frozen=True)
class FreeSpot(Constraint):
    """There is room to put down any of some objects where a relation to a reference object holds.

    An object that is put down counts as the circle about it, whatever its yaw will be; the hand that lets go of it
    needs a distance to the other objects. While one of the objects is carried, its old place is free.

    Attributes:
        relation: One of `imove_core.meaning.SPATIAL_RELATIONS`.
        reference_id: The object from which the spot is seen.
        object_ids: Those that may be put there, one at a time.
        distance_m: Least distance between an object that was put down and the outlines of the others.
        beyond_m: How far outside of the workspace, but on the table, a spot may be.
        margin_m: The relation holds even when the reference and what was put down move that far.
        area_m2: Least area of the places at which the origin can come to lie.
    """

    relation: str
    reference_id: str
    object_ids: tuple[str, ...]
    distance_m: float = 0.02
    beyond_m: float = 0.08
    margin_m: float = MARGIN_M
    area_m2: float = 4e-4

    @property
    def name(self) -> str:
        """A few words for messages."""
        return f"free spot {_words(self.relation)}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The reference and the objects that may be put down."""
        return (self.reference_id, *self.object_ids)

    def __str__(self) -> str:
        """The constraint in words."""
        return f"there is room {_words(self.relation)} {self.reference_id} for {', '.join(self.object_ids)}"

    def spots(self, layout: Arrangement, object_id: str) -> BaseGeometry:
        """The places at which the origin of an object can come to lie; its reference must have been placed."""
        reach_m = layout.solids[object_id].reach_m
        rig, slack_m = layout.station.rig, layout.slack_m
        holds = about(holding(self.relation, 2 * (self.margin_m + slack_m)), layout.placed[self.reference_id].place)
        room = area_of(rig.workspace, -self.beyond_m) & area_of(rig.table, reach_m) & holds
        taken = [
            placed.outline.buffer(reach_m + self.distance_m + slack_m, quad_segs=4)
            for _, placed in layout.others(object_id)
        ]
        return room.difference(shapely.union_all(taken))

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields objects for which there is no room."""
        if self.reference_id not in layout.placed:
            return
        for key in self.object_ids:
            if self.spots(layout, key).area < self.area_m2:
                where = f"{_words(self.relation)} {self.reference_id}"
                yield Violation(key, f"there is no room {where} for {key}")
