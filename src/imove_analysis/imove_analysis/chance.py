"""What a language-blind policy would score by chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core.kinematics import flange_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.transforms import Array
from imove_tasks.stages import PICK_STAGES, RUBRICS, stages_of

WAY_POINTS = 201
"""Points of a straight way over the table at which it is looked at."""


@dataclass(frozen=True)
class _Arm:
    """What of an arm decides which way its hand goes.

    Attributes:
        base_xy: Where it stands on the table, m.
        home: Its hand at home, m.
        behind_tool_m: How far its hand is behind its tool.
    """

    base_xy: Array
    home: Array
    behind_tool_m: float


def chance_level(rig: Rig, specs: Sequence[EpisodeSpec], condition: str) -> dict[str, Any]:
    """Stage rates of a policy that goes straight to one random candidate and lifts it, under both rubrics.

    Under `strict` it reaches the target only when it chose it. Under `reference` it also reaches every object that the
    end-effector link passes within the rubric's distance on a straight way from home to the chosen one, top-down, with
    the nearer arm, and every object within that distance of another arm that stays at home.

    In a pick-and-place it then goes straight to one random destination, and puts the object there. Under `reference`
    the object also reaches every container that it passes over. It knows the relation that is asked for, if any.

    Without a target every object counts, and chance says nothing.

    Args:
        rig: The embodiment.
        specs: The episodes, all of one primitive.
        condition: Instruction condition of all of them.

    Returns:
        Rates by rubric, and that of a right first contact; empty when no episode has a target.
    """
    with_target = [spec for spec in specs if spec.instruction(condition).target is not None]
    if not with_target:
        return {}
    stages = stages_of(with_target[0].primitive)
    arms = _arms(rig)
    levels = [_of_scene(arms, spec, condition) for spec in with_target]
    chance: dict[str, Any] = {}
    for rubric in RUBRICS:
        rates = {stage: float(np.mean([level[rubric][stage] for level in levels])) for stage in stages}
        scores = {"s_pick": float(np.mean([rates[stage] for stage in PICK_STAGES]))}
        if stages != PICK_STAGES:
            scores["s_pnp"] = float(np.mean(list(rates.values())))
        chance[rubric] = rates | scores
    return chance | {"first_contact": float(np.mean([level["strict"]["reach"] for level in levels]))}


def _of_scene(arms: Sequence[_Arm], spec: EpisodeSpec, condition: str) -> dict[str, dict[str, float]]:
    """Rates by rubric and stage."""
    instruction = spec.instruction(condition)
    assert instruction.target is not None
    target = spec.object(instruction.target)
    goals = [np.array(spec.object(key).position) for key in spec.candidates]
    distance_m = spec.rubrics.reference.reach_distance_m
    near = [_hand_distance(arms, goal, np.array(target.position)) < distance_m for goal in goals]
    one_of = 1 / len(goals)
    strict = {"reach": one_of, "lift": one_of}
    reference = {"reach": float(np.mean(near)), "lift": one_of}
    if spec.primitive != "pick":
        destinations = [item for item in spec.objects if "destination" in item.role]
        there = passing = 1.0
        if instruction.destination is not None:
            there = 1 / len(destinations)
            wanted = spec.object(instruction.destination)
            passing = float(np.mean([item is wanted or _passes_over(target, item, wanted) for item in destinations]))
        strict |= {"reach_place": one_of * there, "place": one_of * there}
        reference |= {"reach_place": one_of * passing, "place": one_of * there}
    return {"strict": strict, "reference": reference}


def _passes_over(target: SceneObject, goal: SceneObject, container: SceneObject) -> bool:
    """Whether the straight way from where a target stands to a destination leads over the box of a container."""
    if container.region is None:
        return False
    way = np.linspace(target.position, goal.position, WAY_POINTS)
    local = (way - container.position) @ container.world_from_object[:3, :3]
    inside = (np.array(container.box_min[:2]) <= local[:, :2]) & (local[:, :2] <= np.array(container.box_max[:2]))
    return bool(inside.all(axis=1).any())


def _arms(rig: Rig) -> list[_Arm]:
    arms = []
    for arm in rig.arms:
        model = arm.arm_model
        hand = arm.world_from_base.matrix @ flange_pose(model, np.array(arm.home)) @ model.flange_from_gripper
        behind_tool_m = float(np.linalg.norm(model.flange_from_tcp[:3, 3] - model.flange_from_gripper[:3, 3]))
        arms.append(_Arm(arm.world_from_base.matrix[:2, 3], hand[:3, 3], behind_tool_m))
    return arms


def _hand_distance(arms: Sequence[_Arm], goal: Array, point: Array) -> float:
    """How near a hand comes to `point` while the arm nearest to `goal` goes there, m."""
    goes = int(np.argmin([float(np.linalg.norm(arm.base_xy - goal[:2])) for arm in arms]))
    distances = []
    for index, arm in enumerate(arms):
        above_goal = goal + [0.0, 0.0, arm.behind_tool_m]
        distances.append(_segment_distance(arm.home, above_goal if index == goes else arm.home, point))
    return min(distances)


def _segment_distance(start: Array, end: Array, point: Array) -> float:
    way = end - start
    length_squared = float(way @ way)
    share = float(np.clip((point - start) @ way / length_squared, 0.0, 1.0)) if length_squared else 0.0
    return float(np.linalg.norm(start + share * way - point))
