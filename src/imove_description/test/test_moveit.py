"""Generated SRDFs: names are escaped, groups are named, pairs are found among made-up arms."""

from dataclasses import replace

import numpy as np
import pytest
from defusedxml import ElementTree

from imove_description.arm_model import ArmModel
from imove_description.moveit import parameters
from imove_description.moveit.approach import Approach, random_states
from imove_description.moveit.pairs import adjacent, cross_approach, disabled_pairs
from imove_description.moveit.solids import Solid, link_poses, link_solids
from imove_description.moveit.srdf import rig_srdf
from imove_description.moveit.values import DisabledPair, MoveItArm, MoveItRig
from imove_description.reading import DescriptionError
from imove_description.shapes import CollisionRod


def arm_at(model: ArmModel, name: str, x_m: float = 0.0) -> MoveItArm:
    pose = np.eye(4)
    pose[0, 3] = x_m
    return MoveItArm(name, f"{name}_", model, pose, model.home, model.gripper.max_opening_m)


def test_names_are_escaped(piper_x: ArmModel) -> None:
    rig = MoveItRig('a "rig" <b> & c', (arm_at(piper_x, "left"),))
    root = ElementTree.fromstring(rig_srdf(rig, [DisabledPair("<x>", 'y"&', "Never")]))
    assert root.get("name") == rig.name
    pair = root.find("disable_collisions")
    assert (pair.get("link1"), pair.get("link2")) == ("<x>", 'y"&')


def test_groups_of_all_arms_are_there_with_several(piper_x: ArmModel) -> None:
    one = MoveItRig("one", (arm_at(piper_x, "left"),))
    two = MoveItRig("two", (arm_at(piper_x, "left"), arm_at(piper_x, "right", 1.0)))
    assert one.group_names == ("left", "left_hand")
    assert two.group_names == ("left", "right", "left_hand", "right_hand", "arms")


@pytest.mark.parametrize("names", [("a", "a"), ("a", "a_hand"), ("a", "arms")])
def test_groups_of_one_name_are_refused(piper_x: ArmModel, names: tuple[str, str]) -> None:
    with pytest.raises(DescriptionError, match="must all differ"):
        MoveItRig("rig", tuple(arm_at(piper_x, name) for name in names))


def test_a_home_of_another_length_is_refused(piper_x: ArmModel) -> None:
    with pytest.raises(DescriptionError, match=r"home of arm 'left' must have shape \(6,\), got \(5,\)"):
        replace(arm_at(piper_x, "left"), home=np.zeros(5))


def test_links_without_shapes_join_their_neighbours(arm: ArmModel) -> None:
    shaped, joined = set(link_solids(arm)), adjacent(arm)
    assert all(pair <= shaped and len(pair) == 2 for pair in joined)
    assert {frozenset((j.parent, j.child)) for j in arm.joints if {j.parent, j.child} <= shaped} <= joined
    bare = [link.name for link in arm.links if link.name not in shaped]
    hand = arm.gripper.base_link
    assert all(frozenset((arm.joints[-1].parent, hand)) in joined for link in bare if link == arm.flange_link)


def test_far_arms_never_meet_and_near_ones_do(piper_x: ArmModel) -> None:
    def between(x_m: float) -> set[tuple[str, str]]:
        rig = MoveItRig("pair", (arm_at(piper_x, "a"), arm_at(piper_x, "b", x_m)))
        pairs = disabled_pairs(rig)
        return {(p.link1, p.link2) for p in pairs if p.link1[:2] == "a_" and p.link2[:2] == "b_"}

    every = len(link_solids(piper_x)) ** 2
    assert len(between(3.0)) == every
    near = between(0.4)
    assert 1 < len(near) < every / 4
    assert ("a_finger1", "b_finger1") not in near


def test_a_descent_finds_what_samples_miss(piper_x: ArmModel) -> None:
    """The far base is at the very end of the reach, where hardly any random state brings the hand."""
    one, other = arm_at(piper_x, "a"), arm_at(piper_x, "b", 0.80)
    approach = cross_approach(one, other, "finger1", "base_link")
    rng = np.random.default_rng(3)
    states = random_states(approach.limits, 200, rng)
    assert approach.distances(states).min() > 0.02
    assert approach.comes_within(0.005, states, approach.place(states), rng)
    farther = cross_approach(one, arm_at(piper_x, "b", 1.05), "finger1", "base_link")
    assert not farther.comes_within(0.005, states, farther.place(states), rng)


def test_solids_are_as_far_apart_as_they_look() -> None:
    ball = Solid("capsule", (0.1, 0.2), np.eye(4))

    def place(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        poses = np.tile(np.eye(4), (len(states), 1, 1))
        poses[:, 0, 3] = states[:, 0]
        return np.tile(np.eye(4), (len(states), 1, 1)), poses

    approach = Approach((ball,), (ball,), place, np.array([[0.3, 1.0]]))
    np.testing.assert_allclose(approach.distances(np.array([[0.3], [0.5]])), [0.1, 0.3], atol=1e-6)
    states, rng = np.array([[0.9]]), np.random.default_rng(0)
    assert approach.comes_within(0.101, states, place(states), rng)
    assert not approach.comes_within(0.099, states, place(states), rng)


def test_solids_cover_the_links_shapes(arm: ArmModel) -> None:
    """Both ends of every rod lie on the axis of its solid, and bounds hold them."""
    solids = link_solids(arm)
    for link in arm.links:
        for shape, solid in zip(link.collision, solids.get(link.name, ()), strict=False):
            if isinstance(shape, CollisionRod):
                ends = np.linalg.inv(solid.link_from_solid) @ np.array([[*shape.start_m, 1], [*shape.end_m, 1]]).T
                np.testing.assert_allclose(ends[:2], 0, atol=1e-9)
                assert np.linalg.norm(ends[:3, 0]) <= solid.bound_m
    pads = [len(solids[f.child]) - len(arm.link(f.child).collision) for f in arm.gripper.fingers]
    assert pads == [1, 1]


def test_fingers_open_by_half_each(arm: ArmModel) -> None:
    states = np.array([[*arm.home, arm.gripper.min_opening_m], [*arm.home, arm.gripper.max_opening_m]])
    first, second = (link_poses(arm, states)[finger.child][:, :3, 3] for finger in arm.gripper.fingers)
    gaps = np.linalg.norm(first - second, axis=1)
    np.testing.assert_allclose(np.diff(gaps), arm.gripper.max_opening_m - arm.gripper.min_opening_m, atol=1e-12)


def test_pipelines_differ_in_what_follows_the_path(piper_x: ArmModel) -> None:
    pipelines = parameters.pipelines(MoveItRig("one", (arm_at(piper_x, "left"),)))
    timed, bare = (pipelines[name] for name in (parameters.TIMED_PIPELINE, parameters.PATH_PIPELINE))
    assert any("TimeOptimal" in adapter for adapter in timed["response_adapters"])
    assert bare["response_adapters"] == ["default_planning_response_adapters/ValidateSolution"]
    assert {k: v for k, v in timed.items() if k != "response_adapters"} == {
        k: v for k, v in bare.items() if k != "response_adapters"
    }
