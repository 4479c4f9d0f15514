"""Where a picked object can be put down: poses in a container, or beside a reference object on the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Workspace
from imove_core.spec import PlaceRegion
from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform
from imove_motion.clearance import Boxes
from imove_motion.hand import box_surface
from imove_tasks.assets.model import Asset
from imove_tasks.placing import on_floor, stands
from imove_tasks.relations import DIRECTIONS, HOLDS_WITHIN_RAD, judge

IN = "in"
"""The relation of an object that is to be put in or on its destination."""
SPOT_MARGIN_M = 0.012
"""A relation holds all around a spot: what a hand is off by, and what the object slides when it is let go."""
SPOT_CLEARANCE_M = 0.012
"""Least distance between an object on its spot and the boxes of others."""
MOST_PLACES = 12
"""Places on the table that are looked at, the clearest cases of the relation first."""
BEYOND_M = 0.08
"""How far outside of the workspace an object may be put."""
OFF_MIDDLE_RAD = 10.0
"""So much joint travel is saved by no motion: off its middle, a floor is used only where the middle cannot be."""
LATER_PLACE_RAD = 0.2
"""What the next best place on the table must save."""
_ANGLES_RAD = np.deg2rad([0.0, 10.0, -10.0, 20.0, -20.0])
_TURNS_AROUND = 16
_DISTANCES_M = np.arange(0.06, 0.49, 0.01)
_YAW_STEPS = 8


@dataclass(frozen=True, eq=False)
class PlaceGoal:
    """Where to put an object.

    Attributes:
        destination: The container or reference object as it is now.
        relation: `in`, or a relation of `imove_tasks.relations` that the object shall have to the destination.
        floor: The container's floor; None for a relation on the table.
    """

    destination: ObjectState
    relation: str = IN
    floor: PlaceRegion | None = None

    def __post_init__(self) -> None:
        """Raises ImoveError unless there is a floor exactly where something is to be put in or on it."""
        if (self.relation == IN) != (self.floor is not None):
            raise ImoveError(
                f"goal '{self.relation}' {self.destination.id} comes {'with a' if self.floor else 'without'} floor; "
                f"'{IN}' needs one, and no other relation has one"
            )


def fulfilled(state: ObjectState, goal: PlaceGoal) -> bool:
    """Whether an object is where a goal wants it, seen from above."""
    destination = goal.destination
    if goal.floor is None:
        return judge(goal.relation, state.position[:2], destination.position[:2]).holds
    local = apply(inverse(destination.world_from_object), state.position) - goal.floor.center
    return bool(on_floor(local[None, :2], goal.floor)[0])


@dataclass(frozen=True, eq=False)
class Walls:
    """What of a container's box is not above its floor; one with a rim that flares is taken for steeper than it is.

    Attributes:
        floor: Of the container.
        world_from_floor: (4, 4), its middle.
        box_min: (3,) lower corner of the container's box, seen from the floor's middle, m.
        box_max: (3,) upper corner, m.
    """

    floor: PlaceRegion
    world_from_floor: Array
    box_min: Array
    box_max: Array

    @property
    def depth_m(self) -> float:
        """Height of the rim above the floor."""
        return float(self.box_max[2])

    def rise(self, points: Array, clearance_m: float) -> float:
        """How far world points (N, 3) must be raised, m, to be this far from walls and floor; negative with room."""
        local = apply(inverse(self.world_from_floor), points)
        low, high = self.box_min[:2] - clearance_m, self.box_max[:2] + clearance_m
        over_box = np.all((local[:, :2] > low) & (local[:, :2] < high), axis=1)
        over_floor = on_floor(local[:, :2], self.floor, clearance_m)
        rim, floor = self.box_max[2] - local[over_box & ~over_floor, 2], -local[over_floor, 2]
        return float(max(rim.max(initial=-np.inf), floor.max(initial=-np.inf))) + clearance_m


@dataclass(frozen=True, eq=False)
class Spot:
    """A pose in which an object comes to rest.

    Attributes:
        world_from_object: (4, 4).
        walls: What is around it; None on the table.
        penalty_rad: Joint travel by which a way to a better spot may be longer.
    """

    world_from_object: Array
    walls: Walls | None
    penalty_rad: float


def spots(
    asset: Asset, world_from_object: Array, goal: PlaceGoal, others: Sequence[ObjectState], workspace: Workspace
) -> Iterator[Spot]:
    """Yields poses in which an object fulfils a goal, turned about z from how it is now; the best ones first.

    Args:
        asset: The object.
        world_from_object: (4, 4) its pose when it is gripped: it is put down with the same side below.
        goal: Where to put it.
        others: All other objects.
        workspace: A place on the table is no farther than `BEYOND_M` outside of it.
    """
    rotation = world_from_object[:3, :3]
    lowest_m = min(float((mesh.vertices @ rotation[2]).min()) for mesh in asset.visuals)
    if goal.floor is None:
        yield from _beside(asset, transform(rotation, [0.0, 0.0, -lowest_m]), goal, others, workspace)
        return
    destination = goal.destination
    world_from_floor = destination.world_from_object @ transform(translation=goal.floor.center)
    walls = Walls(
        goal.floor, world_from_floor, destination.box_min - goal.floor.center, destination.box_max - goal.floor.center
    )
    floor_from_object = world_from_floor[:3, :3].T @ rotation
    for stand in stands(asset, floor_from_object, goal.floor):
        turned = rotation_about_axis([0, 0, 1], stand.yaw_rad) @ floor_from_object
        penalty_rad = OFF_MIDDLE_RAD if stand.x or stand.y else 0.0
        yield Spot(world_from_floor @ transform(turned, [stand.x, stand.y, -lowest_m]), walls, penalty_rad)


def _beside(
    asset: Asset, resting: Array, goal: PlaceGoal, others: Sequence[ObjectState], workspace: Workspace
) -> Iterator[Spot]:
    boxes, surface = Boxes.of(others), box_surface(asset.box_min, asset.box_max)
    reference = goal.destination.position[:2]
    low, high = np.transpose([workspace.x, workspace.y]) + [[-BEYOND_M], [BEYOND_M]]
    places = 0
    for offset in _offsets(goal.relation):
        place = reference + offset
        if places == MOST_PLACES:
            return
        if np.any(place < low) or np.any(place > high) or not _clearly(goal.relation, place, reference):
            continue
        found = False
        for yaw in np.arange(_YAW_STEPS) * 2 * np.pi / _YAW_STEPS:
            turned = rotation_about_axis([0, 0, 1], yaw) @ resting[:3, :3]
            pose = transform(turned, [*place, resting[2, 3]])
            if boxes.distance(apply(pose, surface)) >= SPOT_CLEARANCE_M:
                found = True
                yield Spot(pose, None, places * LATER_PLACE_RAD)
        places += found


def _offsets(relation: str) -> list[Array]:
    """Places about a reference object, m: near ones first, and straight ones before slanted ones."""
    if relation in DIRECTIONS:
        direction = DIRECTIONS[relation]
        angles = np.arctan2(direction[1], direction[0]) + _ANGLES_RAD[np.abs(_ANGLES_RAD) < HOLDS_WITHIN_RAD]
    else:
        angles = np.arange(_TURNS_AROUND) * 2 * np.pi / _TURNS_AROUND
    return [distance * np.array([np.cos(a), np.sin(a)]) for distance, a in product(_DISTANCES_M, angles)]


def _clearly(relation: str, place: Array, reference: Array) -> bool:
    return all(
        judge(relation, place + SPOT_MARGIN_M * np.array(step), reference).holds
        for step in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    )
