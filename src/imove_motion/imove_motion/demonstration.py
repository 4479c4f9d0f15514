"""Whole motions that carry out an errand: the cheapest grasp from which every atomic action can be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from imove_core.rig import Rig
from imove_core.spec import PlaceRegion
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_motion.actions import Errand, recipe_of
from imove_motion.clearance import Boxes
from imove_motion.grasps import TILTS_RAD, Grasp, grasp_candidates
from imove_motion.loading import LoadMaker
from imove_motion.pick import PickPlanner, PickRoute, PickSettings, counted
from imove_motion.place import PlaceSettings
from imove_motion.planning.composing import Composer, Means
from imove_motion.planning.grasp_draws import GraspTolerances, drawn_grips
from imove_motion.planning.legs import Leg, leg_rows
from imove_motion.planning.protocol import Constraint, JointPlanner, PlanningError
from imove_motion.planning.timing import MotionLimits
from imove_motion.planning.world import PlanningWorld
from imove_motion.smoothness import Smoothness, smoothness
from imove_motion.spots import IN, PlaceGoal, Spot, spots
from imove_tasks.assets.model import Asset

_REACH = frozenset({"unreachable", "branch change"})
"""Reasons of a route that are the arm's, not the hand's."""


@dataclass(frozen=True)
class DemonstrationSettings:
    """Geometry, speed and effort of demonstrations.

    Attributes:
        pick: Of errands that end with the object up.
        place: Of errands that put it somewhere.
        tolerances: Of grasps about the annotated ones.
        jerk_rad_s3: Peak joint jerk, where the arm allows as much.
        most_routes: Grasps of one tilt and arm that are followed up, cheapest first.
        most_attempts: Grasps that are followed up in all.
        horizon_steps: Control steps of an episode.
        settle_steps: Of these, left at the end for what was lifted or put down to be seen at rest.
    """

    pick: PickSettings = PickSettings()
    place: PlaceSettings = PlaceSettings()
    tolerances: GraspTolerances = GraspTolerances()
    jerk_rad_s3: float = 80.0
    most_routes: int = 4
    most_attempts: int = 24
    horizon_steps: int = 300
    settle_steps: int = 20


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A planned motion.

    Attributes:
        positions: (T, D) float64 targets of the whole rig at control rate, first row one period after the start.
        actions: Name of each atomic action and its first row.
        legs: Name of each part of them and its first row.
        arm: Name of the arm that moves.
        grasp: The grasp that was chosen.
        spot: Where the object comes to rest; None where it is only lifted.
        smoothness: Of that arm's joints.
    """

    positions: Array
    actions: tuple[tuple[str, int], ...]
    legs: tuple[tuple[str, int], ...]
    arm: str
    grasp: Grasp
    spot: Spot | None
    smoothness: Smoothness


@dataclass(frozen=True, eq=False)
class _Scene:
    """An errand with all that it is about."""

    errand: Errand
    world: PlanningWorld
    target: ObjectState
    others: tuple[ObjectState, ...]
    goal: PlaceGoal | None
    spots: tuple[Spot, ...]


class DemonstrationPlanner:
    """Plans demonstrations for a rig."""

    def __init__(
        self, rig: Rig, joint_planner: JointPlanner, settings: DemonstrationSettings = DemonstrationSettings()
    ) -> None:
        """Measures the arms of `rig`.

        Args:
            rig: Whose arms move.
            joint_planner: Plans the ways between the straight motions at grasp and spot.
            settings: Geometry, speed and effort.

        Raises:
            ImoveError: An arm has no closed-form inverse kinematics.
        """
        self._rig, self._joint_planner, self._settings = rig, joint_planner, settings
        self._only_picks, self._picks = PickPlanner(rig, settings.pick), PickPlanner(rig, settings.place.pick)
        self._loads = LoadMaker(rig, settings.place.clearance_m)

    def plan(
        self,
        errand: Errand,
        objects: Sequence[ObjectState],
        assets: Mapping[str, Asset],
        positions: Array,
        rng: np.random.Generator,
    ) -> Demonstration:
        """Plans a motion of whichever arm can do it all, the one that is nearer to the object first.

        Grasps are drawn about the annotated ones; those themselves are tried where no drawn one will do. The same
        arguments and a generator in the same state give the same motion.

        Args:
            errand: What to do.
            objects: All objects as they are now.
            assets: Their metadata by object id.
            positions: (D,) present joint positions in rig order, rad and m.
            rng: Source of all randomness.

        Raises:
            PlanningError: It cannot be done; names the constraint that stood in the way of most grasps, and counts.
            ImoveError: An object has no asset.
        """
        scene = self._scene(errand, objects, assets, positions)
        refused: Counter[str] = Counter()
        failures: Counter[Constraint] = Counter()
        last = ""
        for attempt, route in enumerate(self._routes(scene, rng, refused)):
            if attempt == self._settings.most_attempts:
                break
            try:
                return self._demonstration(scene, route, rng)
            except PlanningError as error:
                failures[error.constraint] += 1
                last = error.sentence
        what = f"{errand.target} cannot be {'picked' if scene.goal is None else 'picked and placed'}"
        if not failures:
            reach = sum(refused[reason] for reason in _REACH)
            constraint: Constraint = "unreachable" if reach > refused.total() / 2 else "no grasp"
            raise PlanningError(constraint, f"{what}: {counted(refused)}")
        constraint = max(failures, key=lambda each: failures[each])
        tried = ", ".join(f"{name} {count}" for name, count in sorted(failures.items()))
        raise PlanningError(constraint, f"{what}: {tried} of {failures.total()} grasps; the last one {last}")

    def _scene(
        self, errand: Errand, objects: Sequence[ObjectState], assets: Mapping[str, Asset], positions: Array
    ) -> _Scene:
        world = PlanningWorld(self._rig, positions, tuple(objects), assets)
        states = {item.id: item for item in objects}
        for object_id in (errand.target, errand.destination):
            if object_id is not None and object_id not in states:
                raise PlanningError("goal", f"there is no object {object_id}; allowed are {', '.join(sorted(states))}")
        target = states[errand.target]
        others = tuple(item for item in objects if item.id != target.id)
        if errand.destination is None:
            return _Scene(errand, world, target, others, None, ())
        goal = PlaceGoal(states[errand.destination], errand.relation, _floor(errand, assets[errand.destination]))
        found = spots(assets[target.id], target.world_from_object, goal, others, self._rig.workspace)
        where = tuple(islice(found, self._settings.place.most_spots))
        if not where:
            raise PlanningError("no place", f"no room for {target.id} {goal.relation} {goal.destination.id}")
        return _Scene(errand, world, target, others, goal, where)

    def _routes(self, scene: _Scene, rng: np.random.Generator, refused: Counter[str]) -> Iterator[PickRoute]:
        """Ways to drawn grasps, then to annotated ones; of one tilt and arm the cheapest first."""
        picks, pose = self._picks_of(scene), scene.target.world_from_object
        asset = scene.world.assets[scene.target.id]
        drawn = drawn_grips(asset, picks.palm, self._settings.tolerances, rng)
        of_tilt = (drawn.grasps(pose, tilt_rad) for tilt_rad in sorted(set(map(abs, TILTS_RAD))))
        for grasps in (*of_tilt, grasp_candidates(asset, pose, picks.palm)):
            for group in picks.routes(grasps, scene.world.positions, scene.others, (), refused, straight=False):
                yield from group[: self._settings.most_routes]

    def _picks_of(self, scene: _Scene) -> PickPlanner:
        return self._only_picks if scene.goal is None else self._picks

    def _demonstration(self, scene: _Scene, route: PickRoute, rng: np.random.Generator) -> Demonstration:
        settings = self._settings
        means = Means(
            planner=self._joint_planner,
            rng=rng,
            pick=settings.pick if scene.goal is None else settings.place.pick,
            transfer=settings.place.transfer,
            open_s=settings.place.open_s,
            closed_m=self._picks_of(scene).closed_m(route.grasp),
        )
        load = None
        if scene.goal is not None:
            hands = self._loads.other_hands(route.arm, scene.world.positions)
            beside = [item for item in scene.others if scene.goal.floor is None or item.id != scene.goal.destination.id]
            obstacles, around = Boxes.of(scene.others).with_others(hands), Boxes.of(beside).with_others(hands)
            load = self._loads.load(route, scene.target, obstacles, around)
        composer = Composer(means, scene.world, scene.target, route, load, scene.spots)
        parts = [(action.name, leg) for action in recipe_of(scene.errand) for leg in composer.legs(action)]
        spot = None if composer.transfer is None else composer.transfer.spot
        return self._timed(scene, route, means.pick, parts, spot)

    def _timed(
        self, scene: _Scene, route: PickRoute, pick: PickSettings, parts: list[tuple[str, Leg]], spot: Spot | None
    ) -> Demonstration:
        settings, arm, rate_hz = self._settings, route.arm, self._rig.control_rate_hz
        limits = MotionLimits.of(arm, pick.joint_speed_rad_s, pick.joint_acceleration_rad_s2, settings.jerk_rad_s3)
        rows = [leg_rows(leg, limits, rate_hz) for _, leg in parts]
        firsts = [0, *np.cumsum([len(each) for each in rows]).tolist()]
        motion = np.vstack(rows)
        most = settings.horizon_steps - settings.settle_steps
        if len(motion) > most:
            raise PlanningError("time", f"it takes {len(motion)} steps; {most} are allowed")
        actions: dict[str, int] = {}
        for (name, _), first in zip(parts, firsts, strict=False):
            actions.setdefault(name, first)
        start = self._rig.split(scene.world.positions)
        columns = [motion if each is arm else np.tile(start[each.name], (len(motion), 1)) for each in self._rig.arms]
        return Demonstration(
            positions=np.hstack(columns),
            actions=tuple(actions.items()),
            legs=tuple((leg.name, first) for (_, leg), first in zip(parts, firsts, strict=False)),
            arm=arm.name,
            grasp=route.grasp,
            spot=spot,
            smoothness=smoothness(start[arm.name][:-1], motion[:, :-1], rate_hz),
        )


def _floor(errand: Errand, asset: Asset) -> PlaceRegion | None:
    """The floor of a destination into which something is to be put."""
    if errand.relation != IN:
        return None
    region = asset.region
    if region is None:
        raise PlanningError("goal", f"{errand.destination} has no floor, so nothing can be put {IN} it")
    return PlaceRegion(center=tuple(region.center.tolist()), half_extents=region.half_extents, round=region.round)
