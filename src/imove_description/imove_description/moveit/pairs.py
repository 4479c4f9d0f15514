"""Pairs of links that MoveIt need not check, found from the arms' own shapes by seeded sampling.

A pair is `Never` only where no sampled state brings its links closer than `MARGIN_M`: what is nearly touched in a
sample may well be touched between samples. States are drawn within the joint limits, many of them with joints at a
limit, since links come nearest there. Of two arms, whose states are independent, every state of one is held against
every state of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from imove_description.arm_model import ArmModel
from imove_description.moveit.solids import Solid, edges, link_poses, link_solids
from imove_description.moveit.values import DisabledPair, MoveItArm, MoveItRig, Reason
from imove_description.reading import FloatArray

MARGIN_M = 0.005
"""Links that come this near in a sample may collide."""

SEED = 0
"""Seed of the shipped files."""

STATES_OF_DEPTH = (1, 100, 600, 2000)
"""Sampled states by the number of joints between two links; the last number holds for more joints."""

CROSS_STATES = 500
"""Sampled states of each arm where two arms are held against each other."""

CROSS_CHECKS = 400
"""Of these states' combinations, how many of the nearest are looked at for each pair of shapes."""

AT_LIMIT = 0.3
"""Share of joints that are at one of their limits in a sample."""

_Poses = dict[str, FloatArray]
_Solids = dict[str, tuple[Solid, ...]]


def disabled_pairs(rig: MoveItRig, seed: int = SEED) -> tuple[DisabledPair, ...]:
    """Every pair that is not checked: of each arm with itself, then of every two arms.

    Args:
        rig: the rig.
        seed: of the sampled states.
    """
    pairs: list[DisabledPair] = []
    for arm in rig.arms:
        pairs += (
            DisabledPair(arm.prefix + first, arm.prefix + second, reason)
            for first, second, reason in _within(arm, np.random.default_rng(seed))
        )
    for one, other in rig.arm_pairs():
        pairs += (
            DisabledPair(one.prefix + first, other.prefix + second, reason)
            for first, second, reason in _between(one, other, np.random.default_rng(seed))
        )
    return tuple(pairs)


def sampled_states(model: ArmModel, count: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Joint positions (count, n), rad, and gripper openings (count,), m, within their limits."""
    gripper = model.gripper
    limits = np.vstack([model.joint_limits, [gripper.min_opening_m, gripper.max_opening_m]])
    shares = rng.random((count, len(limits)))
    at_limit = rng.random(shares.shape) < AT_LIMIT
    states = limits[:, 0] + np.where(at_limit, np.round(shares), shares) * np.ptp(limits, axis=1)
    return states[:, :-1], states[:, -1]


def adjacent(model: ArmModel) -> set[frozenset[str]]:
    """Pairs of links with shapes that a joint or links without shapes connect."""
    solids = link_solids(model)
    neighbours: dict[str, set[str]] = {}
    for parent, child in edges(model):
        neighbours.setdefault(parent, set()).add(child)
        neighbours.setdefault(child, set()).add(parent)
    bare = [link for link in neighbours if link not in solids]
    for link in bare:
        around = neighbours.pop(link)
        for other in around:
            neighbours[other] = (neighbours[other] | around) - {link, other}
    return {frozenset((link, other)) for link, others in neighbours.items() for other in others}


def _within(arm: MoveItArm, rng: np.random.Generator) -> Iterator[tuple[str, str, Reason]]:
    model = arm.model
    solids, joined = link_solids(model), adjacent(model)
    touching = {frozenset(pair) for pair in model.touching_links}
    poses = link_poses(model, *sampled_states(model, STATES_OF_DEPTH[-1], rng))
    named = link_poses(model, *_named_states(arm))
    for first, second in combinations(solids, 2):
        states = slice(STATES_OF_DEPTH[min(_depth(model, first, second), len(STATES_OF_DEPTH) - 1)])
        if frozenset((first, second)) in joined:
            yield first, second, "Adjacent"
        elif frozenset((first, second)) in touching or _come_near(solids, named, named, first, second, 0.0):
            yield first, second, "Default"
        elif not _come_near(solids, poses, poses, first, second, MARGIN_M, states):
            yield first, second, "Never"


def _between(one: MoveItArm, other: MoveItArm, rng: np.random.Generator) -> Iterator[tuple[str, str, Reason]]:
    first_poses, second_poses = (
        {
            link: arm.world_from_base @ pose
            for link, pose in link_poses(arm.model, *sampled_states(arm.model, CROSS_STATES, rng)).items()
        }
        for arm in (one, other)
    )
    first_solids, second_solids = link_solids(one.model), link_solids(other.model)
    for first in first_solids:
        for second in second_solids:
            if (first, second) == (one.model.base_link, other.model.base_link):
                yield first, second, "Adjacent"  # both are fixed to the world, which has no shape
            elif not any(
                _any_combination_near(a, b, first_poses[first], second_poses[second])
                for a in first_solids[first]
                for b in second_solids[second]
            ):
                yield first, second, "Never"


def _named_states(arm: MoveItArm) -> tuple[FloatArray, FloatArray]:
    """The states that the SRDF names: home, and the hand open and closed there."""
    gripper = arm.model.gripper
    openings = np.array([arm.home_opening_m, gripper.max_opening_m, gripper.min_opening_m])
    return np.tile(arm.home, (len(openings), 1)), openings


def _depth(model: ArmModel, first: str, second: str) -> int:
    """How many joints lie between two links, the first of which is not the farther from the base."""
    depths = {model.base_link: 0}
    moving = [(joint.parent, joint.child) for joint in (*model.joints, *model.gripper.fingers)]
    for parent, child in edges(model):
        depths[child] = depths[parent] + ((parent, child) in moving)
    fingers = {finger.child for finger in model.gripper.fingers}
    return 1 if {first, second} <= fingers else depths[second] - depths[first]


def _come_near(
    solids: _Solids,
    first_poses: _Poses,
    second_poses: _Poses,
    first: str,
    second: str,
    margin_m: float,
    states: slice = slice(None),
) -> bool:
    """Whether two links come within a margin in any of the states, the same ones for both."""
    return any(
        _any_state_near(a, b, first_poses[first][states], second_poses[second][states], margin_m)
        for a in solids[first]
        for b in solids[second]
    )


def _any_state_near(a: Solid, b: Solid, first_poses: FloatArray, second_poses: FloatArray, margin_m: float) -> bool:
    first, second = first_poses @ a.link_from_solid, second_poses @ b.link_from_solid
    gaps = np.linalg.norm(first[:, :3, 3] - second[:, :3, 3], axis=1) - a.bound_m - b.bound_m
    near = np.flatnonzero(gaps <= margin_m)
    order = near[np.argsort(gaps[near], kind="stable")]
    return _touch(a, b, ((first[i], second[i]) for i in order), margin_m)


def _any_combination_near(a: Solid, b: Solid, first_poses: FloatArray, second_poses: FloatArray) -> bool:
    first, second = first_poses @ a.link_from_solid, second_poses @ b.link_from_solid
    between = first[:, None, :3, 3] - second[None, :, :3, 3]
    gaps = (np.linalg.norm(between, axis=2) - a.bound_m - b.bound_m).ravel()
    order = np.argsort(gaps, kind="stable")[:CROSS_CHECKS]
    order = order[gaps[order] <= MARGIN_M]
    rows, columns = np.unravel_index(order, between.shape[:2])
    return _touch(a, b, ((first[i], second[j]) for i, j in zip(rows, columns, strict=True)), MARGIN_M)


def _touch(a: Solid, b: Solid, poses: Iterable[tuple[FloatArray, FloatArray]], margin_m: float) -> bool:
    """Whether two shapes come within a margin of each other at any of the pairs of poses (4, 4)."""
    import coal

    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.security_margin = margin_m
    one, other = _geometry(a), _geometry(b)
    for first, second in poses:
        result.clear()
        if coal.collide(one, _placed(first), other, _placed(second), request, result):
            return True
    return False


def _geometry(solid: Solid) -> Any:
    import coal

    return {"box": coal.Box, "cylinder": coal.Cylinder, "capsule": coal.Capsule}[solid.kind](*solid.size_m)


def _placed(world_from_solid: FloatArray) -> Any:
    import coal

    return coal.Transform3s(world_from_solid[:3, :3], world_from_solid[:3, 3])
