"""Makes suites: draws layouts, settles them, proves that every object can be picked, and freezes what holds."""

from collections.abc import Callable, Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.kinematics import tool_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState, StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array, apply, quaternion_from_rotation
from imove_motion.clearance import Boxes
from imove_motion.grasps import grasp_candidates
from imove_motion.hand import Hand
from imove_motion.pick import PickPlan, PickPlanner
from imove_sim_bridge.backend import SimBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.layout import Placement
from imove_tasks.registry import Family
from imove_tasks.stages import StageMachine
from imove_tasks.suites import Suite

HOME_CLEARANCE_M = 0.02
SETTLE_STEPS = 60
DRIFT_M = 0.004
AT_REST_M = 0.001
HOLD_STEPS = 20
# Draws of one episode before its suite is given up.
ATTEMPTS = 100


class Freezer:
    """Draws certified episodes of one family on one rig."""

    def __init__(self, library: AssetLibrary, rig: Rig, backend: SimBackend) -> None:
        """Works with the objects of `library` on the simulator `backend`."""
        self._library = library
        self._rig = rig
        self._backend = backend
        self._planner = PickPlanner(rig)

    def suite(
        self, family: Family, split: str, episodes: int, seed: int, on_episode: Callable[[EpisodeSpec, int], None]
    ) -> Suite:
        """Freezes a suite.

        Args:
            family: Task family.
            split: One of its splits.
            episodes: Number of episodes.
            seed: Of all draws.
            on_episode: Called with each certified episode and the number of draws that it took.

        Raises:
            ImoveError: An episode could not be certified in 100 draws.
        """
        specs = []
        for index in range(episodes):
            spec, draws = self._certified(family, split, index, seed)
            specs.append(spec)
            on_episode(spec, draws)
        return Suite(f"{family.name}/{split}", seed, self._library.snapshot_hash(), tuple(specs))

    def _certified(self, family: Family, split: str, index: int, seed: int) -> tuple[EpisodeSpec, int]:
        uuids = self._library.split(split)
        reason = ""
        for attempt in range(ATTEMPTS):
            # Each attempt has draws of its own, so that one episode does not depend on how another went.
            draw_seed = int(np.random.SeedSequence([seed, index, attempt]).generate_state(1)[0])
            spec = family.draw(self._library, uuids, self._rig, split, index, draw_seed, self.layout_fault)
            try:
                return self.certify(self.settle(spec)), attempt + 1
            except ImoveError as error:
                reason = str(error)
        raise ImoveError(f"no episode {index} of {family.name}/{split} held in {ATTEMPTS} draws; the last: {reason}")

    def layout_fault(self, layout: Sequence[Placement]) -> str:
        """Why a drawn layout cannot be used: a hand at home is in the way, or an object cannot be grasped."""
        objects = [_at_rest(f"object_{index}", placement) for index, placement in enumerate(layout)]
        boxes = Boxes.of(objects)
        for arm in self._rig.arms:
            hand = apply(self._home_tool(arm.name), Hand(arm.arm_model).points(arm.home_opening_m))
            if boxes.distance(hand) < HOME_CLEARANCE_M:
                return "hand at home"
        for index, placement in enumerate(layout):
            try:
                self._plan(placement, objects, index)
            except ImoveError:
                return "grasp"
        return ""

    def _home_tool(self, arm_name: str) -> Array:
        arm = self._rig.arm(arm_name)
        return arm.world_from_base.matrix @ tool_pose(arm.arm_model, np.array(arm.home))

    def _plan(self, placement: Placement, objects: Sequence[ObjectState], index: int) -> PickPlan:
        others = [item for number, item in enumerate(objects) if number != index]
        grasps = grasp_candidates(placement.asset, placement.world_from_object, self._planner.palm)
        return self._planner.plan(grasps, self._rig.home_positions, others)

    def settle(self, spec: EpisodeSpec) -> EpisodeSpec:
        """The spec with the poses in which its objects come to rest.

        Raises:
            ImoveError: An object moves further than a few millimetres, or does not come to rest.
        """
        self._backend.load(spec)
        first = self._backend.reset()
        settled = self._backend.advance({}, SETTLE_STEPS)
        _check_drift(first, settled[-1], DRIFT_M, "settles")
        resting = spec.model_copy(
            update={
                "objects": tuple(
                    item.model_copy(
                        update={
                            "position": tuple(state.position.tolist()),
                            "quaternion_xyzw": tuple(
                                quaternion_from_rotation(state.world_from_object[:3, :3]).tolist()
                            ),
                        }
                    )
                    for item, state in zip(spec.objects, settled[-1].objects, strict=True)
                )
            }
        )
        self._backend.load(resting)
        first = self._backend.reset()
        _check_drift(first, self._backend.advance({}, SETTLE_STEPS)[-1], AT_REST_M, "does not rest where it is said to")
        return resting

    def certify(self, spec: EpisodeSpec) -> EpisodeSpec:
        """Returns the spec when every one of its objects was lifted, one after another, each from a new start.

        Raises:
            ImoveError: An object could not be planned for, or was not lifted.
        """
        self._backend.load(spec)
        for index, item in enumerate(spec.objects):
            state = self._backend.reset()
            placement = Placement(self._library.get(item.asset), item.world_from_object)
            plan = self._plan(placement, state.objects, index)
            if not self._lifts(spec, item.id, plan, state):
                raise ImoveError(f"{placement.asset.name} of {spec.id} was not lifted")
        return spec

    def _lifts(self, spec: EpisodeSpec, object_id: str, plan: PickPlan, first: StepState) -> bool:
        machine = StageMachine(self._rig, spec, "generic")
        machine.update(first)
        count = len(plan.positions)
        period_ns = 1e9 / self._rig.control_rate_hz
        times_ns = first.stamp_ns + np.round(np.arange(1, count + 1) * period_ns).astype(np.int64)
        command = JointCommand(first.stamp_ns, times_ns, plan.positions)
        for state in self._backend.advance({plan.arm: command}, count + HOLD_STEPS):
            machine.update(state)
        events = machine.score().events
        return any(e.rubric == "strict" and e.stage == "lift" and e.object_id == object_id for e in events)


def verify(spec: EpisodeSpec, backend: SimBackend) -> float:
    """Settles a scene on the installed engine; returns the largest drift of its objects in m."""
    backend.load(spec)
    first = backend.reset()
    last = backend.advance({}, SETTLE_STEPS)[-1]
    pairs = zip(first.objects, last.objects, strict=True)
    return max(float(np.linalg.norm(after.position - before.position)) for before, after in pairs)


def _at_rest(object_id: str, placement: Placement) -> ObjectState:
    pose, asset = placement.world_from_object, placement.asset
    still = np.zeros(3)
    return ObjectState(
        id=object_id,
        position=pose[:3, 3],
        quaternion_xyzw=quaternion_from_rotation(pose[:3, :3]),
        box_min=asset.box_min,
        box_max=asset.box_max,
        linear_velocity=still,
        angular_velocity=still,
    )


def _check_drift(first: StepState, last: StepState, limit_m: float, what: str) -> None:
    for before, after in zip(first.objects, last.objects, strict=True):
        drift = float(np.linalg.norm(after.position - before.position))
        if drift > limit_m:
            raise ImoveError(f"{after.id} {what}: it moves {drift * 1e3:.1f} mm")
