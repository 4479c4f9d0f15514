"""Proves in physics that everything that can be asked for on a scene can be done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.certificate import Candidate
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec, Instruction
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array, apply
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlanner
from imove_motion.place import PickPlacePlanner
from imove_motion.spots import PlaceGoal
from imove_sim_bridge.backend import SimBackend
from imove_tasks.assets.model import Asset
from imove_tasks.goals import Goal
from imove_tasks.scenes import with_roles
from imove_tasks.stages import StageMachine

HOLD_STEPS = 20
VISIBLE_SHARE = 0.6
"""Least share of each candidate that at least one fixed camera must see."""


@dataclass(frozen=True)
class Attempt:
    """What came of one motion.

    Attributes:
        arm: That moved.
        lift_m: Largest height by which the object's box rose, m.
        stages: Stages of the strict rubric that the object reached, with the destination where a stage has one.
    """

    arm: str
    lift_m: float
    stages: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Proved:
    """What was proved of a scene.

    Attributes:
        candidates: One for each object that can be picked.
        goals: That can be carried out.
        placed: For each of them whether its object was carried to its destination; None where it is only picked.
    """

    candidates: tuple[Candidate, ...]
    goals: tuple[Goal, ...]
    placed: tuple[bool | None, ...]


class Prover:
    """Picks, and places, every object that can be asked for, each from a new start."""

    def __init__(self, rig: Rig, backend: SimBackend) -> None:
        """Works with a rig on a simulator."""
        self._rig, self._backend = rig, backend
        self._pick = PickPlanner(rig)
        self._place = PickPlacePlanner(rig)

    def prove(
        self, spec: EpisodeSpec, goals: Sequence[Goal], assets: Mapping[str, Asset], every_goal: bool = True
    ) -> Proved:
        """Proves a settled scene.

        Args:
            spec: Of the scene; which goal it asks for does not matter.
            goals: Everything that can be asked for.
            assets: By object id.
            every_goal: Whether all goals must be carried out; else those that cannot be are left out.

        Raises:
            ImoveError: An object cannot be seen, lifted or placed; the message says which.
        """
        self._backend.load(spec)
        self._backend.reset()
        visible = self._backend.visible_shares()
        for target in sorted({goal.target for goal in goals}):
            if visible[target] < VISIBLE_SHARE:
                raise ImoveError(f"{assets[target].name} is hidden: {visible[target]:.2f} of it is seen")
        kept: list[Goal] = []
        attempts: dict[str, Attempt] = {}
        failure = ""
        for goal in goals:
            try:
                attempt = self._carried_out(spec, goal, assets)
            except ImoveError as error:
                if every_goal:
                    raise
                failure = str(error)
                continue
            kept.append(goal)
            attempts.setdefault(goal.target, attempt)
        _check_kept(goals, kept, failure)
        return Proved(
            candidates=tuple(
                Candidate(
                    object_id=key,
                    arm=attempts[key].arm,
                    lift_m=round(attempts[key].lift_m, 4),
                    visible_share=round(visible[key], 4),
                )
                for key in sorted(attempts)
            ),
            goals=tuple(kept),
            placed=tuple(None if goal.destination is None else True for goal in kept),
        )

    def _carried_out(self, spec: EpisodeSpec, goal: Goal, assets: Mapping[str, Asset]) -> Attempt:
        if goal.destination is None:
            return self._lifted(spec, goal.target, assets)
        return self._placed(spec, goal, assets)

    def _lifted(self, spec: EpisodeSpec, object_id: str, assets: Mapping[str, Asset]) -> Attempt:
        first = self._backend.reset()
        own = next(item for item in first.objects if item.id == object_id)
        others = [item for item in first.objects if item.id != object_id]
        grasps = grasp_candidates(assets[object_id], own.world_from_object, self._pick.palm)
        plan = self._pick.plan(grasps, first.robot.positions, others)
        attempt = self._run(spec, object_id, plan.arm, plan.positions, first)
        if ("lift", "") not in attempt.stages:
            raise ImoveError(f"{assets[object_id].name} was not lifted")
        return attempt

    def _placed(self, spec: EpisodeSpec, goal: Goal, assets: Mapping[str, Asset]) -> Attempt:
        assert goal.destination is not None and goal.meaning.place is not None
        first = self._backend.reset()
        states = {item.id: item for item in first.objects}
        relation, destination = goal.meaning.place.relation, goal.destination
        floor = spec.object(destination).region if relation == "in" else None
        plan = self._place.plan(
            states[goal.target],
            assets[goal.target],
            PlaceGoal(states[destination], relation, floor),
            first.robot.positions,
            [item for item in first.objects if item.id != goal.target],
        )
        attempt = self._run(_asking(spec, goal), goal.target, plan.arm, plan.positions, first)
        if ("place", destination) not in attempt.stages:
            what = f"{assets[goal.target].name} was not placed {relation} {assets[destination].name}"
            raise ImoveError(
                f"{what}; it reached {', '.join(sorted(stage for stage, _ in attempt.stages)) or 'nothing'}"
            )
        return attempt

    def _run(self, spec: EpisodeSpec, object_id: str, arm: str, positions: Array, first: StepState) -> Attempt:
        """Plays a motion of one arm and scores what becomes of an object."""
        machine = StageMachine(self._rig, spec, "normal")
        machine.update(first)
        count = len(positions)
        period_ns = 1e9 / self._rig.control_rate_hz
        times_ns = first.stamp_ns + np.round(np.arange(1, count + 1) * period_ns).astype(np.int64)
        command = JointCommand(first.stamp_ns, times_ns, positions)
        start_m = _bottom_m(first, object_id)
        lift_m = 0.0
        for state in self._backend.advance({arm: command}, count + HOLD_STEPS):
            machine.update(state)
            lift_m = max(lift_m, _bottom_m(state, object_id) - start_m)
        events = [e for e in machine.score().events if e.rubric == "strict" and e.object_id == object_id]
        return Attempt(arm, lift_m, frozenset((e.stage, e.destination_id) for e in events))


def _check_kept(goals: Sequence[Goal], kept: Sequence[Goal], failure: str) -> None:
    """Raises ImoveError where an object, a destination or a relation is in no goal that is left."""
    for what in (
        lambda goal: goal.target,
        lambda goal: goal.destination,
        lambda goal: goal.meaning.place and goal.meaning.place.relation,
    ):
        if {what(goal) for goal in kept} != {what(goal) for goal in goals}:
            raise ImoveError(failure)


def _asking(spec: EpisodeSpec, goal: Goal) -> EpisodeSpec:
    """The spec with a goal as its normal instruction: what placing is depends on the relation that is asked for."""
    asked = Instruction(text="", raw_text="", meaning=goal.meaning, target=goal.target, destination=goal.destination)
    return spec.model_copy(
        update={
            "instructions": {**spec.instructions, "normal": asked},
            "objects": with_roles(spec.objects, goal.target, goal.destination),
        }
    )


def _bottom_m(state: StepState, object_id: str) -> float:
    """Height of the lowest corner of an object's box, world frame, m."""
    item = next(item for item in state.objects if item.id == object_id)
    corners = np.array(np.meshgrid(*zip(item.box_min, item.box_max, strict=True))).reshape(3, -1).T
    return float(apply(item.world_from_object, corners)[:, 2].min())
