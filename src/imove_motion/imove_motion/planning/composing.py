"""From a grasp to the legs of a whole motion: what each atomic action adds to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from imove_core.state import ObjectState
from imove_core.transforms import Array, inverse, quaternion_from_rotation
from imove_motion.actions import Action, Home, Move, Pick, Place
from imove_motion.carrying import Carrier
from imove_motion.pick import PickRoute, PickSettings, counted, with_opening
from imove_motion.planning.collision import CollisionChecker
from imove_motion.planning.legs import Leg, free_leg
from imove_motion.planning.protocol import JointPlanner, PlanningError
from imove_motion.planning.world import TABLE, Attachment, PlanningWorld, contacts, hand_bodies
from imove_motion.spots import IN, Spot
from imove_motion.transfer import Load, Transfer, TransferSettings, find_transfer


@dataclass(frozen=True, eq=False)
class Means:
    """What a composer works with.

    Attributes:
        planner: Of joint motions.
        rng: For the planner.
        pick: Geometry and speed of the pick.
        transfer: Geometry of the way to where the object is let go.
        open_s: Least time for letting go.
        closed_m: Opening to which the hand is told to close around a grasp.
    """

    planner: JointPlanner
    rng: np.random.Generator
    pick: PickSettings
    transfer: TransferSettings
    open_s: float
    closed_m: float


@dataclass(frozen=True, eq=False)
class PlannedCarrier(Carrier):
    """A carrier whose way over other objects is planned in joint space, with the whole arm and the object itself.

    Attributes:
        planner: Of joint motions.
        world: With the object in the hand.
        rng: For the planner.
    """

    planner: JointPlanner
    world: PlanningWorld
    rng: np.random.Generator

    def way(self, start: Array, goal: Array) -> Array | None:
        """Waypoints (S, n) from one joint vector to another; None where the planner finds none."""
        try:
            return self.planner.plan(self.arm, start, goal[None], self.world, self.rng).waypoints
        except PlanningError:
            return None


class Composer:
    """Composes the legs of one motion with one grasp, action by action."""

    def __init__(
        self,
        means: Means,
        world: PlanningWorld,
        target: ObjectState,
        route: PickRoute,
        load: Load | None = None,
        spots: Sequence[Spot] = (),
    ) -> None:
        """Starts at the world's joint positions.

        Args:
            means: What to work with.
            world: Before anything has moved.
            target: The object, one of the world's.
            route: To the grasp and up.
            load: The object in the hand; None where it is not put anywhere.
            spots: Where it can go, best ones first.
        """
        self._means, self._world, self._target, self._route = means, world, target, route
        self._load, self._spots, self._arm = load, spots, route.arm
        self._transfer: Transfer | None = None

    @property
    def transfer(self) -> Transfer | None:
        """How the object goes to its spot, once it has been moved."""
        return self._transfer

    def legs(self, action: Action) -> list[Leg]:
        """The legs of the next action.

        Raises:
            PlanningError: It cannot be done from where the one before ended.
        """
        match action:
            case Pick():
                return self._pick()
            case Move():
                return self._move()
            case Place(destination=destination, relation=relation):
                return self._place(destination if relation == IN else TABLE)
            case Home():
                return self._home()

    def _pick(self) -> list[Leg]:
        means, route, target = self._means, self._route, self._target
        settings, hand = means.pick, hand_bodies(route.arm)
        start = self._world.rig.split(self._world.positions)[self._arm.name]
        wide = self._opened(max(route.opening_m, float(start[-1])))
        travel = means.planner.plan(self._arm, start[:-1], route.waypoints[:1], wide, means.rng).waypoints
        ready = self._opened(route.opening_m).allowing(contacts(hand, [target.id]))
        rising = self._in_hand().allowing(contacts([target.id], [TABLE, *target.supported_by]))
        points = settings.approach_points
        down = with_opening(route.waypoints[:points], route.opening_m)
        up = with_opening(route.waypoints[points - 1 :], means.closed_m)
        approach = _opening_along(travel, float(start[-1]), route.opening_m)
        return [
            Leg("travel", approach, self._checker(wide), pause_s=settings.settle_s),
            free_leg(Leg("approach", down, self._checker(ready), slower=2.0)),
            Leg("grasp", np.vstack([down[-1:], up[:1]]), least_s=settings.close_s, pause_s=settings.settle_s),
            free_leg(Leg("lift", up, self._checker(rising), slower=2.0)),
        ]

    def _move(self) -> list[Leg]:
        means, load, in_hand = self._means, self._carried(), self._in_hand()
        carrier = PlannedCarrier(**vars(load.carrier), planner=means.planner, world=in_hand, rng=means.rng)
        reasons: Counter[str] = Counter()
        found = find_transfer(self._route, replace(load, carrier=carrier), self._spots, means.transfer, reasons)
        if found is None:
            blocked = reasons["blocked carry"] > 0
            raise PlanningError("no path" if blocked else "no place", f"from this grasp {counted(reasons)}")
        self._transfer = found
        return [free_leg(Leg("carry", with_opening(found.way, means.closed_m), self._checker(in_hand)))]

    def _place(self, support: str) -> list[Leg]:
        means, target, opening_m, transfer = self._means, self._target.id, self._route.opening_m, self._found()
        lowering = self._in_hand().allowing(contacts([target], [support]))
        leaving = self._put_down().allowing(contacts(hand_bodies(self._arm), [target]))
        down, up = with_opening(transfer.down, means.closed_m), with_opening(transfer.down[::-1], opening_m)
        pause_s = means.pick.settle_s
        return [
            free_leg(Leg("lower", down, self._checker(lowering), slower=2.0, pause_s=pause_s)),
            Leg("release", np.vstack([down[-1:], up[:1]]), least_s=means.open_s, pause_s=pause_s),
            free_leg(Leg("retreat", up, self._checker(leaving), slower=2.0)),
        ]

    def _home(self) -> list[Leg]:
        """Home, or only the hand closed to its usual opening where there is no way: over what it has put down."""
        arm, over, world = self._arm, self._found().down[0], self._put_down()
        try:
            way = self._means.planner.plan(arm, over, np.array([arm.home]), world, self._means.rng).waypoints
        except PlanningError:
            way = np.stack([over, over])
        waypoints = _opening_along(way, self._route.opening_m, arm.home_opening_m)
        return [Leg("home", waypoints, self._checker(world))]

    def _checker(self, world: PlanningWorld) -> CollisionChecker:
        return CollisionChecker(self._arm, world)

    def _in_hand(self) -> PlanningWorld:
        """The world with the object in the closed hand."""
        return self._opened(self._means.closed_m).holding(self._held())

    def _carried(self) -> Load:
        if self._load is None:
            raise PlanningError("goal", f"{self._target.id} is only picked; there is nowhere to move it to")
        return self._load

    def _found(self) -> Transfer:
        if self._transfer is None:
            raise PlanningError("goal", f"{self._target.id} must be moved before it is placed")
        return self._transfer

    def _held(self) -> Attachment:
        tool_from_object = inverse(self._route.grasp.world_from_tool) @ self._target.world_from_object
        return Attachment(self._arm.name, self._target.id, tool_from_object)

    def _put_down(self) -> PlanningWorld:
        """The world with the object on its spot and the hand open."""
        pose = self._found().spot.world_from_object
        state = replace(self._target, position=pose[:3, 3], quaternion_xyzw=quaternion_from_rotation(pose[:3, :3]))
        return self._opened(self._route.opening_m).with_object(state)

    def _opened(self, opening_m: float) -> PlanningWorld:
        """The world before the motion, with the hand so far open."""
        parts = self._world.rig.split(self._world.positions.copy())
        parts[self._arm.name][-1] = opening_m
        return self._world.at(np.concatenate([parts[arm.name] for arm in self._world.rig.arms]))


def _opening_along(waypoints: Array, start_m: float, end_m: float) -> Array:
    """Joint waypoints (m, n) with an opening that goes evenly from one to another; returns (m, n + 1)."""
    marks = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(waypoints, axis=0)).max(axis=1))])
    shares = marks / marks[-1] if marks[-1] else np.linspace(0.0, 1.0, len(marks))
    return np.column_stack([waypoints, start_m + shares * (end_m - start_m)])
