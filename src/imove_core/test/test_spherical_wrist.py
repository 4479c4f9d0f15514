"""Inverse kinematics of arms with a spherical wrist: PiPER and ViperX 300 S."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.inverse_kinematics.spherical_wrist import SphericalWristSolver
from imove_core.kinematics import tool_pose
from imove_core.transforms import rotation_about_axis, rotation_from_rpy, transform
from imove_description.arm_model import ArmModel, load_arm_model

MODELS = {name: load_arm_model(name) for name in ("piper", "vx300s")}
SOLVERS = {name: SphericalWristSolver(model) for name, model in MODELS.items()}
REFUSAL = "is not of the yaw, pitch, pitch, roll, pitch, roll type"
arms = pytest.mark.parametrize("name", MODELS)
shares = st.tuples(*[st.floats(0, 1)] * 6).map(np.array)


def distance(solutions: list[np.ndarray], joints: np.ndarray) -> float:
    return min(float(np.abs(solution - joints).max()) for solution in solutions)


@arms
def test_the_factory_chooses_the_solver(name: str) -> None:
    assert isinstance(inverse_kinematics(MODELS[name]), SphericalWristSolver)


@arms
@given(shares=shares)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_every_solution_reproduces_the_pose_within_the_limits(name: str, shares: np.ndarray) -> None:
    low, high = MODELS[name].joint_limits.T
    pose = tool_pose(MODELS[name], low + shares * (high - low))
    solutions = SOLVERS[name].solve(pose)
    assert solutions
    for solution in solutions:
        assert np.all(low <= solution) and np.all(solution <= high)
        np.testing.assert_allclose(tool_pose(MODELS[name], solution), pose, atol=1e-6)


@arms
def test_the_generating_joints_are_among_the_solutions_each_listed_once(name: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        joints = rng.uniform(*MODELS[name].joint_limits.T)
        pose = tool_pose(MODELS[name], joints)
        solutions = SOLVERS[name].solve(pose)
        assert distance(solutions, joints) < 1e-6
        assert len({tuple(np.round(solution, 6)) for solution in solutions}) == len(solutions)
        np.testing.assert_array_equal(SOLVERS[name].solve(pose), solutions)


def test_an_arm_of_wide_ranges_has_eight_solutions() -> None:
    joints = tuple(dataclasses.replace(joint, lower=-np.pi, upper=np.pi) for joint in MODELS["vx300s"].joints)
    model = dataclasses.replace(MODELS["vx300s"], joints=joints)
    pose = tool_pose(model, np.array([0.3, -0.4, 0.5, 0.6, 0.7, 0.8]))
    solutions = SphericalWristSolver(model).solve(pose)
    assert len({tuple(np.round(solution, 6)) for solution in solutions}) == 8
    for solution in solutions:
        np.testing.assert_allclose(tool_pose(model, solution), pose, atol=1e-9)


@arms
@pytest.mark.parametrize("joint", range(6))
@pytest.mark.parametrize("side", [0, 1])
def test_joints_at_their_limits_are_found(name: str, joint: int, side: int) -> None:
    joints = MODELS[name].home + 0.05
    joints[joint] = MODELS[name].joint_limits[joint, side]
    assert distance(SOLVERS[name].solve(tool_pose(MODELS[name], joints)), joints) < 1e-6


@arms
@pytest.mark.parametrize("roll", [-1.5, 0.0, 0.4])
@pytest.mark.parametrize("last", [0.0, -2.0, 2.0])
def test_a_straight_wrist_is_solved_with_joint_6_as_far_as_it_goes(name: str, roll: float, last: float) -> None:
    model = MODELS[name]
    joints = np.array([*model.home[:3], roll, 0.0, last])
    pose = tool_pose(model, joints)
    straight = [solution for solution in SOLVERS[name].solve(pose) if abs(solution[4]) < 1e-6]
    assert straight
    for solution in straight:
        np.testing.assert_allclose(tool_pose(model, solution), pose, atol=1e-6)
        low, high = model.joint_limits[5]
        assert abs(solution[3]) < 1e-6 or min(solution[5] - low, high - solution[5]) < 1e-6


@arms
def test_the_tool_can_point_straight_down_with_the_jaws_at_any_angle(name: str) -> None:
    for yaw in np.linspace(0, np.pi, 13):
        # The jaws are symmetric: half a turn more is the same grasp.
        found = [
            SOLVERS[name].solve(
                transform(rotation_about_axis([0, 0, 1], yaw + half) @ np.diag([-1.0, 1.0, -1.0]), [0.3, 0.1, -0.05])
            )
            for half in (0.0, np.pi)
        ]
        assert any(found)


@arms
@pytest.mark.parametrize("position", [[0.95, 0, 0.3], [0, 0.95, 0.3], [0.3, 0, -0.7], [0, 0, 1.2]])
def test_out_of_reach_has_no_solution(name: str, position: list[float]) -> None:
    assert SOLVERS[name].solve(transform(rotation_from_rpy([np.pi, 0, 0]), position)) == []


@arms
@pytest.mark.parametrize("place", [(0, 3), (0, 0), (2, 2)])
def test_a_pose_with_nan_has_no_solution(name: str, place: tuple[int, int]) -> None:
    pose = tool_pose(MODELS[name], MODELS[name].home)
    pose[place] = np.nan
    assert SOLVERS[name].solve(pose) == []


def moved(model: ArmModel, index: int, rotation: np.ndarray, shift: tuple[float, float, float]) -> ArmModel:
    pose = model.joints[index].parent_from_joint @ transform(rotation, shift)
    joint = dataclasses.replace(model.joints[index], parent_from_joint=pose)
    return dataclasses.replace(model, joints=(*model.joints[:index], joint, *model.joints[index + 1 :]))


@arms
@pytest.mark.parametrize("index", range(6))
@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.01), (0.01, 0.0, 0.0), (0.0, 0.01, 0.0)])
def test_an_arm_with_an_offset_is_refused_or_solved_rightly(
    name: str, index: int, shift: tuple[float, float, float]
) -> None:
    model = moved(MODELS[name], index, np.eye(3), shift)
    try:
        solver = SphericalWristSolver(model)
    except ImoveError as error:
        assert str(error) == f"arm model {name} {REFUSAL}"
        return
    joints = model.home + 0.05
    assert distance(solver.solve(tool_pose(model, joints)), joints) < 1e-6


@arms
def test_offsets_inside_the_arms_plane_are_solved(name: str) -> None:
    model = MODELS[name]
    # Sideways in the plane of the arm: link 1 of both arms carries joint 2, link 2 carries joint 3.
    shoulder = dataclasses.replace(
        model.joints[1], parent_from_joint=transform(translation=(0.03, 0, 0.01)) @ model.joints[1].parent_from_joint
    )
    model = dataclasses.replace(model, joints=(model.joints[0], shoulder, *model.joints[2:]))
    solver = SphericalWristSolver(model)
    rng = np.random.default_rng(1)
    for _ in range(50):
        joints = rng.uniform(*model.joint_limits.T)
        assert distance(solver.solve(tool_pose(model, joints)), joints) < 1e-6


@arms
@pytest.mark.parametrize("index", [1, 2, 4, 5])
def test_an_arm_with_a_skew_axis_is_refused(name: str, index: int) -> None:
    with pytest.raises(ImoveError, match=f"{name} {REFUSAL}"):
        SphericalWristSolver(moved(MODELS[name], index, rotation_from_rpy([0.1, 0.1, 0.1]), (0, 0, 0)))


def test_arms_of_other_types_are_refused() -> None:
    with pytest.raises(ImoveError, match=f"piper_x {REFUSAL}"):
        SphericalWristSolver(load_arm_model("piper_x"))
    longer = dataclasses.replace(MODELS["piper"], joints=(*MODELS["piper"].joints, MODELS["piper"].joints[-1]))
    with pytest.raises(ImoveError, match="arm model piper has 7 joints; closed-form IK takes 6"):
        SphericalWristSolver(longer)
