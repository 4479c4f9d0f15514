"""Pairs of links that MoveIt need not check, found from the arms' own shapes by seeded sampling.

A pair is `Never` only where no state is found that brings its links within `MARGIN_M`: what is nearly touched in a
sample may well be touched between samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from imove_description.arm_model import ArmModel
from imove_description.moveit.approach import Approach, random_states
from imove_description.moveit.solids import edges, link_poses, link_solids
from imove_description.moveit.values import DisabledPair, MoveItArm, MoveItRig, Reason
from imove_description.reading import FloatArray

MARGIN_M = 0.005
"""Links that come this near are checked."""

SEED = 0
"""Seed of the shipped files."""

STATES = 3000
"""Random states."""

_Found = tuple[str, str, Reason]


def disabled_pairs(rig: MoveItRig, seed: int = SEED) -> tuple[DisabledPair, ...]:
    """Every pair that is not checked: of each arm with itself, then of every two arms.

    Args:
        rig: the rig.
        seed: of the random states.
    """
    pairs: list[DisabledPair] = []
    found: dict[tuple[str, tuple[float, ...]], list[_Found]] = {}
    for arm in rig.arms:
        alike = (arm.model.name, (*arm.home.tolist(), arm.home_opening_m))
        if alike not in found:
            found[alike] = list(_within(arm, np.random.default_rng(seed)))
        pairs += (
            DisabledPair(arm.prefix + first, arm.prefix + second, reason) for first, second, reason in found[alike]
        )
    for one, other in rig.arm_pairs():
        pairs += (
            DisabledPair(one.prefix + first, other.prefix + second, reason)
            for first, second, reason in _between(one, other, np.random.default_rng(seed))
        )
    return tuple(pairs)


def self_approach(model: ArmModel, first: str, second: str) -> Approach:
    """Two links of one arm; its states are joint positions and the gripper's opening."""

    def place(states: FloatArray) -> tuple[FloatArray, FloatArray]:
        poses = link_poses(model, states)
        return poses[first], poses[second]

    solids = link_solids(model)
    return Approach(solids[first], solids[second], place, _limits(model))


def cross_approach(one: MoveItArm, other: MoveItArm, first: str, second: str) -> Approach:
    """A link of one arm and one of another; their states are those of the first arm, then those of the second."""

    def place(states: FloatArray) -> tuple[FloatArray, FloatArray]:
        firsts, seconds = _both_poses(one, other, states)
        return firsts[first], seconds[second]

    limits = np.vstack([_limits(one.model), _limits(other.model)])
    return Approach(link_solids(one.model)[first], link_solids(other.model)[second], place, limits)


def adjacent(model: ArmModel) -> set[frozenset[str]]:
    """Pairs of links with shapes that a joint or links without shapes connect."""
    solids = link_solids(model)
    neighbours: dict[str, set[str]] = {}
    for parent, child in edges(model):
        neighbours.setdefault(parent, set()).add(child)
        neighbours.setdefault(child, set()).add(parent)
    for link in [link for link in neighbours if link not in solids]:
        around = neighbours.pop(link)
        for other in around:
            neighbours[other] = (neighbours[other] | around) - {link, other}
    return {frozenset((link, other)) for link, others in neighbours.items() for other in others}


def _within(arm: MoveItArm, rng: np.random.Generator) -> Iterator[_Found]:
    model = arm.model
    joined = adjacent(model)
    touching = {frozenset(pair) for pair in model.touching_links}
    states, named = random_states(_limits(model), STATES, rng), _named_states(arm)
    poses = link_poses(model, states)
    for first, second in combinations(link_solids(model), 2):
        approach = self_approach(model, first, second)
        if frozenset((first, second)) in joined:
            yield first, second, "Adjacent"
        elif frozenset((first, second)) in touching or approach.distances(named).min() <= 0:
            yield first, second, "Default"
        elif not approach.comes_within(MARGIN_M, states, (poses[first], poses[second]), rng):
            yield first, second, "Never"


def _between(one: MoveItArm, other: MoveItArm, rng: np.random.Generator) -> Iterator[_Found]:
    states = random_states(np.vstack([_limits(one.model), _limits(other.model)]), STATES, rng)
    firsts, seconds = _both_poses(one, other, states)
    for first in link_solids(one.model):
        for second in link_solids(other.model):
            poses = firsts[first], seconds[second]
            if (first, second) == (one.model.base_link, other.model.base_link):
                yield first, second, "Adjacent"  # both are fixed to the world, which has no shape
            elif not cross_approach(one, other, first, second).comes_within(MARGIN_M, states, poses, rng):
                yield first, second, "Never"


def _both_poses(
    one: MoveItArm, other: MoveItArm, states: FloatArray
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Links' poses in the world by name, of two arms in states of the first, then of the second."""
    split = len(one.model.joints) + 1
    firsts, seconds = link_poses(one.model, states[:, :split]), link_poses(other.model, states[:, split:])
    return (
        {link: one.world_from_base @ pose for link, pose in firsts.items()},
        {link: other.world_from_base @ pose for link, pose in seconds.items()},
    )


def _limits(model: ArmModel) -> FloatArray:
    gripper = model.gripper
    return np.vstack([model.joint_limits, [gripper.min_opening_m, gripper.max_opening_m]])


def _named_states(arm: MoveItArm) -> FloatArray:
    """The states (3, n + 1) that the SRDF names: home, and the hand open and closed there."""
    gripper = arm.model.gripper
    openings = [arm.home_opening_m, gripper.max_opening_m, gripper.min_opening_m]
    return np.array([[*arm.home, opening] for opening in openings])
