"""The atomic actions Pick and Place in a row: pick, carry, lower, let go, retreat, go aside; for one arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_motion.clearance import Boxes
from imove_motion.grasps import Grasp, grasp_candidates
from imove_motion.loading import LoadMaker
from imove_motion.pick import PickPlanner, PickRoute, PickSettings, counted, with_opening
from imove_motion.spots import PlaceGoal, Spot, spots
from imove_motion.timing import hold
from imove_motion.transfer import Load, Transfer, TransferSettings, find_transfer
from imove_tasks.assets.model import Asset

STEPS_HOME = 12
"""Points of the way home at which the hand is looked at."""
BRISK = PickSettings(lift_m=0.06, joint_speed_rad_s=1.8, close_s=0.35, settle_s=0.1)
"""A pick that leaves time for a place within ten seconds, below the speed limit of every shipped arm."""


@dataclass(frozen=True)
class PlaceSettings:
    """Geometry and speed of a pick with a place.

    Attributes:
        pick: Of the pick; its joint speed is that of the whole motion.
        transfer: Of the way from one to the other.
        clearance_m: Least distance of hand and object from other objects.
        open_s: Time for letting go.
        most_routes: Grasps of one tilt and arm that are followed up, cheapest first.
        most_spots: Poses to put it down that are looked at.
    """

    pick: PickSettings = BRISK
    transfer: TransferSettings = TransferSettings()
    clearance_m: float = 0.006
    open_s: float = 0.3
    most_routes: int = 4
    most_spots: int = 96


@dataclass(frozen=True)
class Marks:
    """Rows of a motion at which its parts are over.

    Attributes:
        lifted: The object is up.
        over: The object is over its destination.
        lowered: The object is where it is let go.
        released: The gripper has opened.
        clear: The hand is up again.
    """

    lifted: int
    over: int
    lowered: int
    released: int
    clear: int


@dataclass(frozen=True, eq=False)
class PickPlacePlan:
    """A pick and a place by one arm.

    Attributes:
        arm: Name of the arm.
        grasp: The grasp that was chosen.
        spot: Where the object comes to rest.
        drop_m: Height above that from which it is let go.
        positions: (T, size) float64 targets of the arm at control rate, first row one period after the start.
        marks: When what is over.
    """

    arm: str
    grasp: Grasp
    spot: Spot
    drop_m: float
    positions: Array
    marks: Marks


class PickPlacePlanner:
    """Plans picks with places for a rig."""

    def __init__(self, rig: Rig, settings: PlaceSettings = PlaceSettings()) -> None:
        """Measures the arms of `rig`.

        Raises:
            ImoveError: An arm has no closed-form inverse kinematics.
        """
        self._rig = rig
        self._settings = settings
        self._picks = PickPlanner(rig, settings.pick)
        self._loads = LoadMaker(rig, settings.clearance_m)

    def plan(
        self,
        target: ObjectState,
        asset: Asset,
        goal: PlaceGoal,
        positions: Array,
        others: Sequence[ObjectState],
        arms: Sequence[str] = (),
    ) -> PickPlacePlan:
        """Chooses a grasp, a spot and a way between them for the nearest arm that can do it all.

        Args:
            target: The object to pick, as it is now.
            asset: Its metadata.
            goal: Where to put it.
            positions: (D,) present joint positions in rig order.
            others: All other objects, the destination among them.
            arms: Arms that may do it; all of the rig when empty.

        Raises:
            ImoveError: It cannot be done; the message counts the reasons. Or the rig has no such arm.
        """
        reasons: Counter[str] = Counter()
        found = spots(asset, target.world_from_object, goal, others, self._rig.workspace)
        where = list(islice(found, self._settings.most_spots))
        if not where:
            raise ImoveError(f"no feasible place: no room for {target.id} {goal.relation} {goal.destination.id}")
        beside = [item for item in others if goal.floor is None or item.id != goal.destination.id]
        obstacles, around = Boxes.of(others), Boxes.of(beside)
        grasps = grasp_candidates(asset, target.world_from_object)
        for group in self._picks.routes(grasps, positions, others, arms, reasons):
            hands = self._loads.other_hands(group[0].arm, positions)
            for route in group[: self._settings.most_routes]:
                load = self._loads.load(route, target, obstacles.with_others(hands), around.with_others(hands))
                transfer = find_transfer(route, load, where, self._settings.transfer, reasons)
                if transfer is not None:
                    return self._timed(route, transfer, load, positions)
        raise ImoveError(f"no feasible pick and place: {counted(reasons)}")

    def _timed(self, route: PickRoute, transfer: Transfer, load: Load, positions: Array) -> PickPlacePlan:
        settings, rate_hz, arm = self._settings, self._rig.control_rate_hz, route.arm
        start = self._rig.split(positions)[arm.name]
        closed = self._picks.closed_m(route.grasp)
        pick = self._picks.timed(route, start)
        carry = self._picks.eased(arm, with_opening(transfer.way, closed))
        down = with_opening(transfer.down, closed)
        lower = np.vstack([self._picks.eased(arm, down, slower=2.0), hold(down[-1], settings.pick.settle_s, rate_hz)])
        up = with_opening(transfer.down[::-1], route.opening_m)
        letting_go = self._picks.eased(arm, np.vstack([down[-1:], up[:1]]), least_s=settings.open_s)
        release = np.vstack([letting_go, hold(up[0], settings.pick.settle_s, rate_hz)])
        retreat = self._picks.eased(arm, up, slower=2.0)
        aside = self._picks.eased(arm, np.vstack([up[-1:], self._aside(load, up[-1])]))
        parts = [pick, carry, lower, release, retreat, aside]
        ends = np.cumsum([len(part) for part in parts]).tolist()
        marks = Marks(*ends[:-1])
        return PickPlacePlan(arm.name, route.grasp, transfer.spot, transfer.drop_m, np.vstack(parts), marks)

    def _aside(self, load: Load, over: Array) -> Array:
        """Home (size,) where the way there is clear, else where the hand is: over the object that it has put down."""
        arm = load.carrier.arm
        free = replace(load.carrier, points=load.open_hand)
        way = np.linspace(over[:-1], arm.home, STEPS_HOME)
        clear = all(free.is_clear(free.world_from_tool(joints)) for joints in way[1:])
        return arm.home_positions if clear else np.append(over[:-1], arm.home_opening_m)
