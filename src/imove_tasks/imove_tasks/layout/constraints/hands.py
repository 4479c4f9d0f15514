"""Constraints on the space that grippers need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from imove_tasks.layout.arrangement import Arrangement
from imove_tasks.layout.constraint import Constraint, Violation
from imove_tasks.layout.hands import grip_approaches
from imove_tasks.layout.solids import Placed

_HAND_REACH_M = 0.30
"""Nothing farther than this from an object is touched by a hand that holds it."""


@dataclass(frozen=True)
class JawRoom(Constraint):
    """At least one annotated grip of an object can be reached from above without touching its neighbours.

    The open hand with all its parts must fit: low neighbours need to leave room for the finger tips only, high ones
    also for the palm. Objects without grips are passed over unless they are named.

    Attributes:
        clearance_m: Least distance between hand and neighbours.
        object_ids: Objects that must have it; every object with grips when empty.
    """

    clearance_m: float = 0.005
    object_ids: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "jaw room"

    @property
    def ids(self) -> tuple[str, ...]:
        """Objects that it names."""
        return self.object_ids

    def __str__(self) -> str:
        """The constraint in words."""
        who = ", ".join(self.object_ids) or "every graspable object"
        return f"an open gripper fits around {who} with {self.clearance_m * 1e3:.0f} mm to its neighbours"

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields objects that no open gripper fits around."""
        for key in self.object_ids or tuple(layout.placed):
            placed = layout.placed.get(key)
            if placed is None or not (placed.solid.asset.grips or self.object_ids):
                continue
            if newest not in (None, key) and _far(placed, layout.placed[str(newest)]):
                continue
            if not self._has_room(layout, key, placed):
                yield Violation(key, f"no open gripper fits around {key}")

    def _has_room(self, layout: Arrangement, key: str, placed: Placed) -> bool:
        clearance_m = self.clearance_m + 2 * layout.slack_m
        neighbours = [other for _, other in layout.others(key) if not _far(placed, other)]
        highest_m = max((other.top_m for other in neighbours), default=0.0) + clearance_m
        return any(
            all(approach.distance(other, clearance_m) >= clearance_m for other in neighbours)
            for hand in layout.station.hands
            for approach in (whole.below(highest_m) for whole in grip_approaches(placed, hand))
        )


def _far(one: Placed, other: Placed) -> bool:
    between_m = float(np.hypot(*(one.place - other.place)))
    return between_m > one.solid.reach_m + other.solid.reach_m + _HAND_REACH_M


@dataclass(frozen=True)
class AwayFromHome(Constraint):
    """No object is near an arm at home.

    Attributes:
        clearance_m: Least distance between objects and every part of the arms.
    """

    clearance_m: float = 0.02

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "away from home"

    def __str__(self) -> str:
        """The constraint in words."""
        return f"every object is at least {self.clearance_m * 1e3:.0f} mm from the arms at home"

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """Everything but what is below a part of an arm that the object is too high for."""
        if newest is not None:
            return None
        solid = layout.solids[object_id]
        clearance_m = self.clearance_m + layout.slack_m
        top_m = float(np.ptp(solid.corners[:, 2])) + clearance_m
        taken = [
            outline.buffer(solid.core_m + clearance_m, quad_segs=4)
            for arm in layout.station.arms_at_home.values()
            for outline in arm.outlines[arm.bottoms_m < top_m]
        ]
        return shapely.box(-4.0, -4.0, 4.0, 4.0).difference(shapely.union_all(taken)) if taken else None

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields objects that are near an arm."""
        clearance_m = self.clearance_m + layout.slack_m
        for key, placed in layout.placed.items():
            if newest not in (None, key):
                continue
            for name, arm in layout.station.arms_at_home.items():
                if arm.distance(placed, clearance_m) < clearance_m:
                    yield Violation(key, f"{key} is less than {clearance_m * 1e3:.0f} mm from arm {name} at home")
