"""Inverse kinematics of Franka's arms, whose last joint is tried at fixed angles."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.inverse_kinematics.seven_joints import LAST_JOINT_STEP_RAD, SevenJointSolver
from imove_core.kinematics import tool_pose
from imove_core.transforms import rotation_from_rpy, transform
from imove_description.arm_model import ArmModel, load_arm_model

NAMES = ("panda", "fr3")
MODELS = {name: load_arm_model(name) for name in NAMES}
SOLVERS = {name: SevenJointSolver(model) for name, model in MODELS.items()}
shares = st.tuples(*[st.floats(0, 1)] * 7).map(np.array)


def joints_at(name: str, share: np.ndarray) -> np.ndarray:
    """Joint positions by their share (7,) of the range, the last one moved to the nearest that is tried."""
    low, high = MODELS[name].joint_limits.T
    joints = low + share * (high - low)
    last = SOLVERS[name].last_joint_rad
    joints[6] = last[np.argmin(np.abs(last - joints[6]))]
    return joints


def nearest(solutions: list[np.ndarray], joints: np.ndarray) -> float:
    return min((float(np.abs(solution - joints).max()) for solution in solutions), default=np.inf)


@pytest.mark.parametrize("name", NAMES)
def test_the_factory_takes_this_solver(name: str) -> None:
    assert isinstance(inverse_kinematics(MODELS[name]), SevenJointSolver)


@pytest.mark.parametrize("name", NAMES)
def test_the_last_joint_is_tried_all_over_its_range_and_at_home(name: str) -> None:
    last, (low, high) = SOLVERS[name].last_joint_rad, MODELS[name].joint_limits[6]
    np.testing.assert_allclose(np.diff(last), LAST_JOINT_STEP_RAD)
    assert low <= last[0] < low + LAST_JOINT_STEP_RAD and high - LAST_JOINT_STEP_RAD < last[-1] <= high
    assert MODELS[name].home[6] in last


@given(name=st.sampled_from(NAMES), share=shares)
@settings(deadline=None, derandomize=True, max_examples=300)
def test_every_solution_reproduces_the_pose_within_the_limits(name: str, share: np.ndarray) -> None:
    model, pose = MODELS[name], tool_pose(MODELS[name], joints_at(name, share))
    low, high = model.joint_limits.T
    for solution in SOLVERS[name].solve(pose):
        assert np.all(low <= solution) and np.all(solution <= high)
        np.testing.assert_allclose(tool_pose(model, solution), pose, atol=2e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_generating_joints_are_among_the_solutions(name: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        joints = joints_at(name, rng.uniform(size=7))
        solutions = SOLVERS[name].solve(tool_pose(MODELS[name], joints))
        assert nearest(solutions, joints) < 1e-6
        # No solution is listed twice.
        assert len({tuple(np.round(solution, 6)) for solution in solutions}) == len(solutions)


@pytest.mark.parametrize("name", NAMES)
def test_no_more_than_eight_solutions_for_a_last_joint_in_its_order(name: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        last = [s[6] for s in SOLVERS[name].solve(tool_pose(MODELS[name], joints_at(name, rng.uniform(size=7))))]
        assert last == sorted(last)
        assert max(last.count(value) for value in set(last)) <= 8


@given(name=st.sampled_from(NAMES), share=shares, first=st.floats(-1, 1), third=st.floats(-1, 1))
@settings(deadline=None, derandomize=True)
def test_an_upright_upper_arm_is_solved(name: str, share: np.ndarray, first: float, third: float) -> None:
    """Joints 1 and 3 then turn about one line, and only their sum is told by the pose."""
    joints = joints_at(name, share)
    joints[:3] = first, 0.0, third
    # Away from the poses in which the elbow can be turned no way, or only one.
    joints[4], joints[5] = np.clip(joints[4], -1.2, 1.2), np.clip(joints[5], 0.8, 2.2)
    pose = tool_pose(MODELS[name], joints)
    found = [s for s in SOLVERS[name].solve(pose) if abs(s[1]) < 1e-6 and np.abs(s[3:] - joints[3:]).max() < 1e-5]
    assert len(found) == 1
    assert found[0][0] + found[0][2] == pytest.approx(first + third, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_joints_at_their_limits_are_found(name: str) -> None:
    for joint in range(6):
        for limit in MODELS[name].joint_limits[joint]:
            joints = np.array([0.2, -0.5, 0.3, -2.0, 0.4, 1.8, MODELS[name].home[6]])
            joints[joint] = limit
            assert nearest(SOLVERS[name].solve(tool_pose(MODELS[name], joints)), joints) < 1e-6


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("position", [[1.0, 0, 0.3], [0, 1.0, 0.3], [0.3, 0, -0.9], [0, 0, 0.333]])
def test_out_of_reach_has_no_solution(name: str, position: list[float]) -> None:
    assert SOLVERS[name].solve(transform(rotation_from_rpy([np.pi, 0, 0]), position)) == []


@pytest.mark.parametrize("place", [(0, 3), (0, 0), (2, 2), (1, 1)])
def test_a_pose_with_nan_has_no_solution(place: tuple[int, int]) -> None:
    pose = tool_pose(MODELS["panda"], MODELS["panda"].home)
    pose[place] = np.nan
    assert SOLVERS["panda"].solve(pose) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_hand_can_point_down_all_over_the_workspace_of_the_rig(name: str) -> None:
    for x in (0.28, 0.43, 0.58):
        for y in (-0.33, 0.0, 0.33):
            for z in (0.01, 0.15, 0.30):
                for yaw in np.arange(4) * np.pi / 4:
                    assert SOLVERS[name].solve(transform(rotation_from_rpy([np.pi, 0, yaw]), [x, y, z]))


def moved(model: ArmModel, index: int, rpy: tuple[float, ...], xyz: tuple[float, ...]) -> ArmModel:
    pose = model.joints[index].parent_from_joint @ transform(rotation_from_rpy(rpy), xyz)
    changed = dataclasses.replace(model.joints[index], parent_from_joint=pose)
    return dataclasses.replace(model, joints=(*model.joints[:index], changed, *model.joints[index + 1 :]))


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.01), (0.01, 0.0, 0.0), (0.0, 0.01, 0.0)])
def test_an_arm_with_other_offsets_is_refused_or_solved_rightly(index: int, shift: tuple[float, ...]) -> None:
    model = moved(MODELS["panda"], index, (0, 0, 0), shift)
    try:
        solver = SevenJointSolver(model)
    except ImoveError as error:
        assert str(error) == (
            "arm model panda is not of the type with a spherical shoulder and an offset elbow and wrist"
        )
        return
    assert nearest(solver.solve(tool_pose(model, model.home)), model.home) < 1e-6


@pytest.mark.parametrize("index", range(7))
def test_an_arm_with_a_skew_axis_is_refused(index: int) -> None:
    with pytest.raises(ImoveError, match="panda is not of the type with a spherical shoulder"):
        SevenJointSolver(moved(MODELS["panda"], index, (0.1, 0.1, 0), (0, 0, 0)))


@pytest.mark.parametrize("name", ["piper_x", "piper"])
def test_an_arm_with_six_joints_is_refused(name: str) -> None:
    with pytest.raises(ImoveError, match=f"arm model {name} has 6 joints; redundant closed-form IK takes 7"):
        SevenJointSolver(load_arm_model(name))


def test_an_arm_of_no_known_type_is_refused_with_all_reasons() -> None:
    with pytest.raises(ImoveError, match=r"panda has 7 joints; .* takes 6.*; arm model panda is not of the type with"):
        inverse_kinematics(moved(MODELS["panda"], 1, (0, 0, 0), (0.01, 0, 0)))
