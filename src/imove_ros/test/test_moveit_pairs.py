"""Pairs that the shipped SRDFs do not check: never in collision where they say so, adjacent where they say that."""

from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree

from imove_core.rig import Rig, load_rig, rig_names
from imove_description.urdf import rig_urdf

from .urdf_world import UrdfRobot, near, posed

FOLDER = Path(__file__).resolve().parents[2] / "imove_bringup" / "config" / "moveit"
STATES = 120


@pytest.fixture(scope="module", params=rig_names())
def rig(request: pytest.FixtureRequest) -> Rig:
    return load_rig(request.param)


@pytest.fixture(scope="module")
def robot(rig: Rig) -> UrdfRobot:
    return UrdfRobot(
        rig_urdf(rig.name, [(arm.joint_prefix, arm.arm_model, arm.world_from_base.matrix) for arm in rig.arms])
    )


def pairs_of(rig: Rig, reason: str) -> list[tuple[str, str]]:
    root = ElementTree.parse(FOLDER / rig.name / "rig.srdf").getroot()
    return [
        (element.get("link1"), element.get("link2"))
        for element in root.findall("disable_collisions")
        if element.get("reason") == reason
    ]


def touching(robot: UrdfRobot, positions: dict[str, float], pairs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    poses = robot.poses(positions)
    return {
        (first, second)
        for first, second in pairs
        if near(posed(robot.links[first], poses[first]), posed(robot.links[second], poses[second]))
    }


def test_what_never_collides_does_not_in_other_samples(rig: Rig, robot: UrdfRobot) -> None:
    rng, never = np.random.default_rng(2024), pairs_of(rig, "Never")
    limits = np.vstack([arm.limits for arm in rig.arms])
    assert len(never) >= 5
    for _ in range(STATES):
        values = rng.uniform(*limits.T)
        assert not touching(robot, dict(zip(rig.joint_names, values.tolist(), strict=True)), never)


def test_adjacent_links_have_no_shapes_between_them(rig: Rig, robot: UrdfRobot) -> None:
    adjacent = pairs_of(rig, "Adjacent")
    for first, second in adjacent:
        assert not any(robot.links[link] for link in robot.path(first, second)), (first, second)
    # The other way round: whatever a joint connects is there.
    shaped = [joint for joint in robot.joints if robot.links[joint.parent] and robot.links[joint.child]]
    assert {frozenset((joint.parent, joint.child)) for joint in shaped} <= {frozenset(pair) for pair in adjacent}


def test_default_pairs_touch_in_a_named_state_or_by_construction(rig: Rig, robot: UrdfRobot) -> None:
    by_construction = {
        frozenset((arm.joint_prefix + first, arm.joint_prefix + second))
        for arm in rig.arms
        for first, second in arm.arm_model.touching_links
    }
    default = [pair for pair in pairs_of(rig, "Default") if frozenset(pair) not in by_construction]
    home = dict(zip(rig.joint_names, rig.home_positions.tolist(), strict=True))
    closed = home | {arm.joint_names[-1]: float(arm.limits[-1, 0]) for arm in rig.arms}
    assert touching(robot, home, default) | touching(robot, closed, default) == set(default)


def test_named_states_are_free_with_the_pairs_left_out(rig: Rig, robot: UrdfRobot) -> None:
    """MoveIt refuses to plan from a state in collision, so that home must be none, however far the hands are open."""
    left_out = {frozenset(p) for reason in ("Adjacent", "Never", "Default") for p in pairs_of(rig, reason)}
    links = [link for link, solids in robot.links.items() if solids]
    checked = [(a, b) for i, a in enumerate(links) for b in links[i + 1 :] if frozenset((a, b)) not in left_out]
    home = dict(zip(rig.joint_names, rig.home_positions.tolist(), strict=True))
    for end in (0, 1):
        hands = {arm.joint_names[-1]: float(arm.limits[-1, end]) for arm in rig.arms}
        assert not touching(robot, home | hands, checked)
