"""The constraints that come with imove, and those that every layout has."""

from __future__ import annotations

from imove_core.rig import WORLD_FRAME, Rig
from imove_tasks.layout.constraint import Constraint
from imove_tasks.layout.constraints.bounds import Apart, Inside
from imove_tasks.layout.constraints.feasible import Reachable
from imove_tasks.layout.constraints.hands import AwayFromHome, JawRoom
from imove_tasks.layout.constraints.related import Distance, FreeSpot, NotRelation, Relation
from imove_tasks.layout.constraints.seen import Cameras, InView, Visible

__all__ = [
    "Apart",
    "AwayFromHome",
    "Cameras",
    "Distance",
    "FreeSpot",
    "InView",
    "Inside",
    "JawRoom",
    "NotRelation",
    "Reachable",
    "Relation",
    "Visible",
    "common_constraints",
]


def common_constraints(rig: Rig) -> tuple[Constraint, ...]:
    """What every layout on a rig must fulfil, the cheapest first.

    One fixed camera must see everything; of several that look from different sides, one is enough for each object.
    """
    fixed = [camera for camera in rig.cameras if camera.parent == WORLD_FRAME]
    cameras: Cameras = "all" if len(fixed) == 1 else "any"
    return (Inside(), AwayFromHome(), InView(cameras=cameras), Apart(), Visible(cameras=cameras), JawRoom())
