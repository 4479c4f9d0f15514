"""Forward and inverse kinematics of the PiPER X."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import finger_poses, flange_pose, link_poses, tool_pose
from imove_core.transforms import inverse, rotation_from_rpy, transform
from imove_description.arm_model import ArmModel, load_arm_model

MODEL = load_arm_model("piper_x")
SOLVER = inverse_kinematics(MODEL)
LOW, HIGH = MODEL.joint_limits.T
joint_vectors = st.tuples(*[st.floats(0, 1)] * 6).map(lambda shares: LOW + np.array(shares) * (HIGH - LOW))


@given(joints=joint_vectors)
@settings(deadline=None, derandomize=True)
def test_flange_tool_and_link_poses_are_one_chain(joints: np.ndarray) -> None:
    links = link_poses(MODEL, joints)
    np.testing.assert_allclose(links["link6"], flange_pose(MODEL, joints), atol=1e-12)
    np.testing.assert_allclose(links["tcp"], tool_pose(MODEL, joints), atol=1e-12)


def test_links_of_the_wrong_number_of_joints_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        link_poses(MODEL, np.zeros(5))


def test_fingers_are_apart_by_the_opening_along_the_closing_axis() -> None:
    links = link_poses(MODEL, MODEL.home)
    first, second = (
        (inverse(links["tcp"]) @ pose)[:3, 3] for pose in finger_poses(MODEL, links["gripper_base"], 0.05).values()
    )
    np.testing.assert_allclose(np.abs(first - second), [0, 0.05, 0], atol=1e-9)
    np.testing.assert_allclose((first + second)[:2], 0, atol=1e-9)


@given(joints=joint_vectors)
@settings(deadline=None, derandomize=True, max_examples=300)
def test_every_solution_reproduces_the_pose_within_the_limits(joints: np.ndarray) -> None:
    pose = tool_pose(MODEL, joints)
    for solution in SOLVER.solve(pose):
        assert np.all(LOW <= solution) and np.all(solution <= HIGH)
        np.testing.assert_allclose(tool_pose(MODEL, solution), pose, atol=2e-5)


def test_the_generating_joints_are_among_the_solutions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        joints = rng.uniform(LOW, HIGH)
        solutions = SOLVER.solve(tool_pose(MODEL, joints))
        assert min(np.abs(solution - joints).max() for solution in solutions) < 1e-6
        # No solution is listed twice.
        assert len({tuple(np.round(solution, 6)) for solution in solutions}) == len(solutions)


def test_joints_at_their_limits_are_found() -> None:
    for joint, limit in ((0, LOW[0]), (0, HIGH[0]), (4, LOW[4]), (4, HIGH[4]), (5, LOW[5]), (5, HIGH[5])):
        joints = np.array(MODEL.home)
        joints[joint] = limit
        solutions = SOLVER.solve(tool_pose(MODEL, joints))
        assert min(np.abs(solution - joints).max() for solution in solutions) < 1e-6


@pytest.mark.parametrize("position", [[0.9, 0, 0.3], [0, 0.9, 0.3], [0.3, 0, -0.7], [0, 0, 0.123]])
def test_out_of_reach_has_no_solution(position: list[float]) -> None:
    assert SOLVER.solve(transform(rotation_from_rpy([np.pi, 0, 0]), position)) == []


@pytest.mark.parametrize("place", [(0, 3), (0, 0), (2, 2)])
def test_a_pose_with_nan_has_no_solution(place: tuple[int, int]) -> None:
    pose = tool_pose(MODEL, MODEL.home)
    pose[place] = np.nan
    with np.errstate(invalid="ignore"):
        assert SOLVER.solve(pose) == []


def tilted(model: ArmModel, index: int, rotation: np.ndarray, shift: tuple[float, float, float]) -> ArmModel:
    moved = model.joints[index].parent_from_joint @ transform(rotation, shift)
    changed = dataclasses.replace(model.joints[index], parent_from_joint=moved)
    return dataclasses.replace(model, joints=(*model.joints[:index], changed, *model.joints[index + 1 :]))


@pytest.mark.parametrize("index", range(6))
@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.01), (0.01, 0.0, 0.0)])
def test_an_arm_with_an_offset_is_refused_or_solved_rightly(index: int, shift: tuple[float, float, float]) -> None:
    model = tilted(MODEL, index, np.eye(3), shift)
    try:
        solver = inverse_kinematics(model)
    except ImoveError as error:
        assert "arm model piper_x is not of the yaw, pitch, pitch, pitch, yaw, roll type" in str(error)
        return
    solutions = solver.solve(tool_pose(model, model.home))
    assert min(np.abs(solution - model.home).max() for solution in solutions) < 1e-6


@pytest.mark.parametrize("index", range(1, 6))
def test_an_arm_with_a_skew_axis_is_refused(index: int) -> None:
    model = tilted(MODEL, index, rotation_from_rpy([0.1, 0.1, 0]), (0, 0, 0))
    with pytest.raises(ImoveError, match="piper_x is not of the yaw, pitch, pitch, pitch, yaw, roll type"):
        inverse_kinematics(model)


def test_an_arm_with_seven_joints_is_refused() -> None:
    model = dataclasses.replace(MODEL, joints=(*MODEL.joints, MODEL.joints[-1]))
    with pytest.raises(ImoveError, match="arm model piper_x has 7 joints; closed-form IK takes 6"):
        inverse_kinematics(model)
