"""What synthesis asks of a planner of demonstrations, and the one that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import PlaceRegion
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlan, PickPlanner
from imove_motion.place import PickPlacePlan, PickPlacePlanner
from imove_motion.planning.protocol import PlanningError
from imove_motion.spots import IN, PlaceGoal
from imove_policy_node.playback import whole_rig
from imove_tasks.assets.model import Asset


@dataclass(frozen=True)
class Errand:
    """What is to be done.

    Attributes:
        target: Id of the object to pick.
        destination: Id of the container or reference object, None where the object is only picked.
        relation: Of where to put it, "" where it is only picked.
    """

    target: str
    destination: str | None
    relation: str


@dataclass(frozen=True)
class Smoothness:
    """Largest derivatives of a motion over all joints, and the travel of all of them."""

    peak_speed_rad_s: float
    peak_acceleration_rad_s2: float
    peak_jerk_rad_s3: float
    path_rad: float


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A motion of the whole rig: (T, D) targets at control rate, the arm that acts, and how smooth it is."""

    positions: Array
    arm: str
    smoothness: Smoothness


class Demonstrator(Protocol):
    """Plans what an errand asks for."""

    def plan(
        self,
        errand: Errand,
        objects: Sequence[ObjectState],
        assets: Mapping[str, Asset],
        positions: Array,
        rng: np.random.Generator,
    ) -> Demonstration:
        """Plans a motion; raises PlanningError with the constraint that is in the way."""
        ...


class PickAndPlaceDemonstrator:
    """The planners that certify suites, as a planner of demonstrations; it draws nothing."""

    def __init__(self, rig: Rig) -> None:
        """Measures the arms of `rig`."""
        self._rig = rig
        self._picks, self._places = PickPlanner(rig), PickPlacePlanner(rig)

    def plan(
        self,
        errand: Errand,
        objects: Sequence[ObjectState],
        assets: Mapping[str, Asset],
        positions: Array,
        rng: np.random.Generator,
    ) -> Demonstration:
        """Plans a motion; see `Demonstrator`."""
        try:
            plan = self._plan(errand, {item.id: item for item in objects}, assets, positions)
        except ImoveError as error:
            raise PlanningError("unreachable", str(error)) from error
        rows = whole_rig(self._rig, plan.arm, plan.positions, positions)
        return Demonstration(rows, plan.arm, _smoothness(rows, self._rig.control_rate_hz))

    def _plan(
        self, errand: Errand, states: Mapping[str, ObjectState], assets: Mapping[str, Asset], positions: Array
    ) -> PickPlan | PickPlacePlan:
        target, asset = states[errand.target], assets[errand.target]
        others = [item for item in states.values() if item is not target]
        if errand.destination is None:
            grasps = grasp_candidates(asset, target.world_from_object, self._picks.palm)
            return self._picks.plan(grasps, positions, others)
        region = assets[errand.destination].region if errand.relation == IN else None
        floor = None
        if region is not None:
            center = tuple(region.center.tolist())
            floor = PlaceRegion(center=center, half_extents=region.half_extents, round=region.round)
        goal = PlaceGoal(states[errand.destination], errand.relation, floor)
        return self._places.plan(target, asset, goal, positions, others)


def _smoothness(rows: Array, rate_hz: float) -> Smoothness:
    speed, acceleration, jerk = (
        float(np.abs(np.diff(rows, order, axis=0)).max()) * rate_hz**order for order in (1, 2, 3)
    )
    return Smoothness(speed, acceleration, jerk, float(np.abs(np.diff(rows, axis=0)).sum()))


def demonstrator(rig: Rig) -> Demonstrator:
    """The planner of demonstrations for a rig."""
    return PickAndPlaceDemonstrator(rig)
