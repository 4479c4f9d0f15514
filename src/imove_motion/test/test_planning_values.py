"""The values that planners are asked with and answer with, and what they refuse."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_motion.planning.contract_checks import block, question
from imove_motion.planning.protocol import PlanningError
from imove_motion.planning.rrt_connect import RrtConnectPlanner, RrtSettings
from imove_motion.planning.world import Attachment, hand_bodies


def test_an_error_says_its_constraint_and_survives_the_way_to_another_process() -> None:
    error = PlanningError("no path", "none was found")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "no path: none was found"
    assert again.constraint == "no path"
    with pytest.raises(ImoveError, match="constraint 'bad luck' is unknown; no grasp, "):
        PlanningError("bad luck", "")  # type: ignore[arg-type]


def test_a_world_with_names_that_do_not_fit_is_refused() -> None:
    world = question([block("wall", (0.05, 0.01, 0.09), (0.28, 0.30))]).world
    with pytest.raises(ImoveError, match=r"shape \(3,\); rig piperx_dual needs \(14,\)"):
        world.at(np.zeros(3))
    with pytest.raises(ImoveError, match="unknown asset of object 'wall'"):
        replace(world, assets={})
    with pytest.raises(ImoveError, match="unknown attached object 'cup'; allowed: wall"):
        world.holding(Attachment("left", "cup", np.eye(4)))
    with pytest.raises(ImoveError, match="unknown arm of rig piperx_dual 'middle'"):
        world.holding(Attachment("middle", "wall", np.eye(4)))


def test_the_hand_is_gripper_and_fingers() -> None:
    assert hand_bodies(question().arm) == ("left/gripper_base", "left/finger1", "left/finger2")


def test_a_search_that_may_not_last_finds_no_path() -> None:
    asked = question([block("wall", (0.05, 0.01, 0.09), (0.28, 0.30))])
    planner = RrtConnectPlanner(RrtSettings(iterations=1))
    with pytest.raises(PlanningError, match="arm left found none to 1 goals in 1 iterations") as caught:
        planner.plan(asked.arm, asked.start, asked.goals, asked.world, np.random.default_rng(0))
    assert caught.value.constraint == "no path"


def test_arrays_of_another_size_are_refused() -> None:
    asked = question()
    with pytest.raises(PlanningError, match=r"goals \(1, 5\) must be \(6,\) and \(k, 6\) for left"):
        RrtConnectPlanner().plan(asked.arm, asked.start, asked.goals[:, :5], asked.world, np.random.default_rng(0))


def test_the_goal_that_was_reached_is_told() -> None:
    asked = question()
    goals = np.stack([asked.goals[0] + [0.0, 0.05, 0.0, 0.0, 0.0, 0.0], asked.goals[0] * 0.9 + asked.start * 0.1])
    path = replace(asked, goals=goals).asked(RrtConnectPlanner())
    assert path.goal == 1
    np.testing.assert_array_equal(path.waypoints[-1], goals[1])
