"""Counts as rates with honest intervals, and what a language-blind policy would score by chance."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from imove_core.kinematics import flange_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array
from imove_tasks.stages import PICK_STAGES, RUBRICS

CONFIDENCE = 0.95


def wilson_interval(rate: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson score interval of a proportion (Wilson 1927); (0, 1) without trials.

    Args:
        rate: Successes by trials.
        n: Number of trials.
        confidence: Between 0 and 1.
    """
    if n == 0:
        return (0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Exact at the ends, where rounding would leave a remainder.
    return (0.0 if rate == 0 else max(0.0, centre - half), 1.0 if rate == 1 else min(1.0, centre + half))


def proportion(k: int, n: int) -> dict[str, Any]:
    """A count as plain data: k, n, rate and 95 % Wilson interval."""
    rate = k / n if n else None
    return {"k": k, "n": n, "rate": rate, "ci95": list(wilson_interval(rate or 0.0, n))}


def summarise(records: Sequence[dict[str, Any]], chance: dict[str, Any]) -> dict[str, Any]:
    """The summary of the finished episodes of one suite and condition.

    Args:
        records: From episodes.jsonl.
        chance: From `chance_level`.
    """
    n = len(records)
    rubrics: dict[str, Any] = {}
    for rubric in RUBRICS:
        scores = [record["score"]["rubrics"][rubric] for record in records]
        rubrics[rubric] = {stage: proportion(sum(score[stage] for score in scores), n) for stage in PICK_STAGES}
        rubrics[rubric]["s_pick"] = mean_score([score["s_pick"] for score in scores])
    with_target = [record for record in records if record["score"]["target"] is not None]
    touched = [record for record in with_target if record["score"]["first_contact"] is not None]
    right = sum(record["score"]["first_contact"] == record["score"]["target"] for record in touched)
    verified = sum(record["prompt_verified"] for record in records)
    return {
        "n": n,
        "rubrics": rubrics,
        "chance": chance,
        "first_contact": {
            "accuracy": proportion(right, len(touched)),
            "touched_any": proportion(len(touched), len(with_target)),
        },
        "language": {"prompt_verified": proportion(verified, n)},
    }


def mean_score(values: Sequence[float]) -> dict[str, Any]:
    """The mean of scores between 0 and 1 as plain data: n, mean (None without values) and 95 % interval."""
    mean = float(np.mean(values)) if values else None
    return {"n": len(values), "mean": mean, "ci95": list(mean_interval(values))}


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Interval of the mean of scores between 0 and 1: Wilson's with the mean as the rate of n trials.

    A score in [0, 1] has at most the variance of a yes-or-no outcome with the same mean, so the interval is never too
    narrow for that reason.
    """
    return wilson_interval(float(np.mean(values)) if values else 0.0, len(values), confidence)


def chance_level(rig: Rig, specs: Sequence[EpisodeSpec], condition: str) -> dict[str, Any]:
    """Stage rates of a policy that goes straight to one random object and lifts it, under both rubrics.

    Under `strict` it reaches the target only when it chose it. Under `reference` it also reaches every object that the
    end-effector link passes within the rubric's distance on a straight way from home to the chosen one, top-down, with
    the nearer arm, and every object within that distance of another arm that stays at home. Without a target every
    object counts, and chance says nothing.

    Args:
        rig: The embodiment.
        specs: The episodes.
        condition: Instruction condition of all of them.

    Returns:
        Rates by rubric, and that of a right first contact; empty when no episode has a target.
    """
    reach: dict[str, list[float]] = {rubric: [] for rubric in RUBRICS}
    lift = []
    for spec in specs:
        target = spec.instruction(condition).target
        if target is None:
            continue
        positions = {item.id: np.array(item.position) for item in spec.objects}
        distance_m = spec.rubrics.reference.reach_distance_m
        near = [_flange_distance(rig, place, positions[target]) < distance_m for place in positions.values()]
        reach["strict"].append(1 / len(positions))
        reach["reference"].append(float(np.mean(near)))
        lift.append(1 / len(positions))
    if not lift:
        return {}
    return {
        rubric: {
            "reach": float(np.mean(reach[rubric])),
            "lift": float(np.mean(lift)),
            "s_pick": float((np.mean(reach[rubric]) + np.mean(lift)) / 2),
        }
        for rubric in RUBRICS
    } | {"first_contact": float(np.mean(lift))}


def _flange_distance(rig: Rig, goal: Array, point: Array) -> float:
    """How near an end-effector link comes to `point` while the arm nearest to `goal` goes there, m."""
    bases = [float(np.linalg.norm(arm.world_from_base.matrix[:2, 3] - goal[:2])) for arm in rig.arms]
    goes = int(np.argmin(bases))
    distances = []
    for index, arm in enumerate(rig.arms):
        home = (arm.world_from_base.matrix @ flange_pose(arm.arm_model, np.array(arm.home)))[:3, 3]
        above_goal = goal + [0.0, 0.0, arm.arm_model.flange_from_tcp[2, 3]]
        distances.append(_segment_distance(home, above_goal if index == goes else home, point))
    return min(distances)


def _segment_distance(start: Array, end: Array, point: Array) -> float:
    way = end - start
    length_squared = float(way @ way)
    share = float(np.clip((point - start) @ way / length_squared, 0.0, 1.0)) if length_squared else 0.0
    return float(np.linalg.norm(start + share * way - point))
