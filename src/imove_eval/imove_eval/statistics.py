"""Counts as rates with honest intervals, and what a language-blind policy would score by chance."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from imove_core.kinematics import flange_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_tasks.stages import PICK_STAGES, RUBRICS

CONFIDENCE = 0.95


def wilson_interval(k: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson score interval of a proportion (Wilson 1927); (0, 1) without trials."""
    from scipy.stats import binomtest

    if n == 0:
        return (0.0, 1.0)
    interval = binomtest(k, n).proportion_ci(confidence, method="wilson")
    return (float(interval.low), float(interval.high))


def proportion(k: int, n: int) -> dict[str, Any]:
    """A count as plain data: k, n, rate and 95 % Wilson interval."""
    return {"k": k, "n": n, "rate": k / n if n else None, "ci95": list(wilson_interval(k, n))}


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
        s_pick = [score["s_pick"] for score in scores]
        rubrics[rubric]["s_pick"] = {
            "n": n,
            "mean": float(np.mean(s_pick)) if n else None,
            "ci95": list(mean_interval(s_pick)),
        }
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


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Interval of the mean of scores between 0 and 1: Wilson's with the mean as the rate of n trials.

    A score in [0, 1] has at most the variance of a yes-or-no outcome with the same mean, so the interval is never too
    narrow for that reason.
    """
    n = len(values)
    if n == 0:
        return (0.0, 1.0)
    from scipy.stats import norm

    z = float(norm.ppf((1 + confidence) / 2))
    mean = float(np.mean(values))
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (max(0.0, float(centre - half)), min(1.0, float(centre + half)))


def chance_level(rig: Rig, specs: Sequence[EpisodeSpec], condition: str) -> dict[str, Any]:
    """Stage rates of a policy that goes straight to one random object and lifts it, under both rubrics.

    Under `strict` it reaches the target only when it chose it. Under `reference` it also reaches every object that the
    end-effector link passes within the rubric's distance on a straight way from home to the chosen one, top-down, with
    the nearer arm. Without a target every object counts, and chance says nothing.
    """
    reach = {rubric: [] for rubric in RUBRICS}
    lift = []
    for spec in specs:
        target = spec.instruction(condition).target
        if target is None:
            continue
        positions = {item.id: np.array(item.position) for item in spec.objects}
        near = _passes_within(rig, positions, positions[target], spec.rubrics.reference.reach_distance_m)
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


def _passes_within(rig: Rig, positions: dict[str, np.ndarray], target: np.ndarray, distance_m: float) -> Sequence[bool]:
    shares = np.linspace(0.0, 1.0, 50)[:, None]
    passes = []
    for place in positions.values():
        bases = [float(np.linalg.norm(arm.world_from_base.matrix[:2, 3] - place[:2])) for arm in rig.arms]
        arm = rig.arms[int(np.argmin(bases))]
        home = (arm.world_from_base.matrix @ flange_pose(arm.arm_model, np.array(arm.home)))[:3, 3]
        goal = place + [0.0, 0.0, arm.arm_model.flange_from_tcp[2, 3]]
        way = home + shares * (goal - home)
        passes.append(bool(np.linalg.norm(way - target, axis=1).min() < distance_m))
    return passes
