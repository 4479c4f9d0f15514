"""Planned picks in drawn scenes: what the tool does on the way, and what is refused."""

import dataclasses

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.kinematics import finger_poses, link_poses, tool_pose
from imove_core.rig import Rig, load_rig
from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, rotation_about_axis, transform
from imove_description.shapes import CollisionBox
from imove_motion.clearance import Boxes
from imove_motion.grasps import Grasp, grasp_candidates
from imove_motion.pick import PickPlan, PickPlanner, PickSettings
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.layout import Item, common_constraints, solve

SETTINGS = PickSettings()
ZERO = np.zeros(3)


@dataclasses.dataclass(frozen=True)
class Case:
    """An object of a scene, its neighbours, and the plan to pick it."""

    asset: Asset
    grasps: tuple[Grasp, ...]
    neighbours: tuple[ObjectState, ...]
    plan: PickPlan


def state(object_id: str, asset: Asset, world_from_object: Array) -> ObjectState:
    yaw = np.arctan2(world_from_object[1, 0], world_from_object[0, 0])
    quaternion = np.array([0, 0, np.sin(yaw / 2), np.cos(yaw / 2)])
    return ObjectState(object_id, world_from_object[:3, 3], quaternion, asset.box_min, asset.box_max, ZERO, ZERO)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


@pytest.fixture(scope="module")
def planner(rig: Rig) -> PickPlanner:
    return PickPlanner(rig)


@pytest.fixture(scope="module")
def cases(rig: Rig, planner: PickPlanner) -> list[Case]:
    library = AssetLibrary.generate(instances_per_category=1)
    graspable = [asset for asset in library if asset.grips]
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        assets = [graspable[index] for index in rng.choice(len(graspable), 6, replace=False)]
        items = [Item(f"object_{k}", asset) for k, asset in enumerate(assets)]
        layout = solve(rig, items, common_constraints(rig), rng)
        states = [state(key, item.asset, item.world_from_object) for key, item in layout.items()]
        for k, item in enumerate(layout.values()):
            others = tuple(states[:k] + states[k + 1 :])
            grasps = tuple(grasp_candidates(item.asset, item.world_from_object))
            found.append(Case(item.asset, grasps, others, planner.plan(grasps, rig.home_positions, others)))
    return found


def tool_path(rig: Rig, plan: PickPlan) -> Array:
    """world_from_tool (T, 4, 4) at every row."""
    arm = rig.arm(plan.arm)
    return np.array([arm.world_from_base.matrix @ tool_pose(arm.arm_model, row[:-1]) for row in plan.positions])


def phases(case: Case) -> tuple[int, int, int]:
    """Rows at which the approach begins, the closing begins, and the lift begins.

    The arm stands still twice: before the approach, and while the gripper closes.
    """
    joints = case.plan.positions[:, :-1]
    still = np.flatnonzero(np.all(np.diff(joints, axis=0) == 0, axis=1))
    pause, closing = np.split(still, np.flatnonzero(np.diff(still) > 1) + 1)
    return int(pause[-1]) + 1, int(closing[0]), int(closing[-1]) + 1


def test_every_row_is_within_limits_and_no_joint_is_too_fast(rig: Rig, cases: list[Case]) -> None:
    start = rig.split(rig.home_positions)
    for case in cases:
        arm = rig.arm(case.plan.arm)
        low, high = arm.limits.T
        assert np.all(low <= case.plan.positions) and np.all(case.plan.positions <= high)
        rows = np.vstack([start[arm.name], case.plan.positions])
        speeds = np.abs(np.diff(rows, axis=0)) * rig.control_rate_hz
        assert np.all(speeds <= arm.velocity_limits + 1e-9)
        assert speeds[:, :-1].max() <= SETTINGS.joint_speed_rad_s + 1e-9


def test_the_tool_is_at_the_grasp_when_it_closes_and_stays_there(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        _, closing, lifting = phases(case)
        for pose in tool_path(rig, case.plan)[closing : lifting + 1]:
            np.testing.assert_allclose(pose, case.plan.grasp.world_from_tool, atol=1e-5)


def test_the_approach_is_straight_along_the_grasps_direction(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        begin, closing, _ = phases(case)
        goal = case.plan.grasp.world_from_tool
        offsets = tool_path(rig, case.plan)[begin : closing + 1] - goal
        along = offsets[:, :3, 3] @ goal[:3, 2]
        assert along[0] == pytest.approx(-SETTINGS.standoff_m, abs=1e-5)
        assert np.all(np.diff(along) >= -1e-9)
        sideways = np.linalg.norm(offsets[:, :3, 3] - along[:, None] * goal[:3, 2], axis=1)
        assert sideways.max() < 0.002
        assert np.abs(offsets[:, :3, :3]).max() < 0.02


def test_the_lift_is_straight_up_with_the_gripper_closed(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        _, _, lifting = phases(case)
        lift = tool_path(rig, case.plan)[lifting:, :3, 3] - case.plan.grasp.world_from_tool[:3, 3]
        np.testing.assert_allclose(lift[-1], [0, 0, SETTINGS.lift_m], atol=1e-5)
        assert np.abs(lift[:, :2]).max() < 0.002
        closed = max(0.0, case.plan.grasp.width_m - SETTINGS.squeeze_m)
        np.testing.assert_allclose(case.plan.positions[lifting:, -1], closed)


def test_the_gripper_is_open_wide_enough_until_it_closes(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        begin, closing, _ = phases(case)
        assert np.all(case.plan.positions[begin : closing + 1, -1] >= case.plan.grasp.opening_m)


def hand_surface(rig: Rig, plan: PickPlan, row: Array) -> Array:
    """Points 4 mm apart on all collision boxes of gripper and fingers in the world, by the arm's own kinematics."""
    arm = rig.arm(plan.arm)
    model = arm.arm_model
    links = link_poses(model, row[:-1])
    links |= finger_poses(model, links[model.gripper.base_link], row[-1])
    points = []
    for name in (model.gripper.base_link, *(finger.child for finger in model.gripper.fingers)):
        boxes = [shape for shape in model.link(name).collision if isinstance(shape, CollisionBox)]
        boxes += [model.gripper.pad_box(finger) for finger in model.gripper.fingers if finger.child == name]
        for box in boxes:
            axes = [np.linspace(-0.5, 0.5, int(size / 0.004) + 2) for size in box.size_m]
            grid = np.array(np.meshgrid(*axes)).reshape(3, -1).T
            surface = grid[np.abs(grid).max(axis=1) == 0.5] * box.size_m
            points.append(apply(arm.world_from_base.matrix @ links[name] @ box.link_from_box, surface))
    return np.vstack(points)


def test_the_hand_never_enters_a_neighbour_nor_the_table(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        boxes = Boxes.of(case.neighbours)
        _, closing, _ = phases(case)
        for row in case.plan.positions[: closing + 1 : 3]:
            points = hand_surface(rig, case.plan, row)
            assert boxes.distance(points) > 0, case.asset.name
            assert points[:, 2].min() > 0.001


def test_the_same_request_gives_the_same_plan(rig: Rig, cases: list[Case]) -> None:
    # Also from a planner that has planned nothing before.
    for case in cases[:3]:
        again = PickPlanner(rig).plan(case.grasps, rig.home_positions, case.neighbours)
        assert again.arm == case.plan.arm
        assert again.cost == case.plan.cost
        np.testing.assert_array_equal(again.positions, case.plan.positions)


def down(x: float, y: float, z: float, yaw_rad: float = 0.0, opening_m: float = 0.03) -> Grasp:
    rotation = rotation_about_axis([0, 0, 1], yaw_rad) @ np.diag([-1.0, 1.0, -1.0])
    return Grasp(transform(rotation, [x, y, z]), opening_m, 0.02, 0.0)


def test_the_nearer_arm_is_taken_unless_another_is_asked_for(rig: Rig, planner: PickPlanner) -> None:
    for y, near in ((0.2, "left"), (-0.2, "right")):
        assert planner.plan([down(0.32, y, 0.03)], rig.home_positions, []).arm == near
    middle = [down(0.24, 0.01, 0.03, yaw) for yaw in np.linspace(-1.5, 1.5, 7)]
    assert planner.plan(middle, rig.home_positions, []).arm == "left"
    assert planner.plan(middle, rig.home_positions, [], arms=["right"]).arm == "right"


def block(x: float, y: float, half: tuple[float, float, float]) -> ObjectState:
    size = np.array(half)
    return ObjectState("block", np.array([x, y, half[2]]), np.array([0, 0, 0, 1.0]), -size, size, ZERO, ZERO)


def test_an_arm_that_the_rig_lacks_is_named(rig: Rig, planner: PickPlanner) -> None:
    with pytest.raises(ImoveError, match="unknown arm of rig piperx_dual 'third'; allowed: left, right"):
        planner.plan([down(0.32, 0.2, 0.03)], rig.home_positions, [], arms=["third"])


@pytest.mark.parametrize(
    ("grasps", "neighbours", "reason"),
    [
        ([], [], "no feasible grasp: no candidate"),
        ([down(0.9, 0.2, 0.03)] * 3, [], "no feasible grasp: unreachable 6"),
        ([down(0.32, 0.2, 0.005)], [], "no feasible grasp: table 2"),
        ([down(0.32, 0.2, 0.03, opening_m=0.08)], [], "no feasible grasp: too wide 2"),
        ([down(0.32, 0.2, 0.03)], [block(0.32, 0.23, (0.02, 0.01, 0.03))], "no feasible grasp: neighbour 2"),
        # Beside the fingers, but under the rail on which they run, which is wider.
        ([down(0.32, 0.2, 0.03)], [block(0.32, 0.27, (0.01, 0.005, 0.06))], "no feasible grasp: neighbour 2"),
        (
            [down(0.32, 0.2, 0.03), down(0.9, 0.2, 0.03)],
            [block(0.32, 0.23, (0.02, 0.01, 0.03))],
            "no feasible grasp: neighbour 2, unreachable 2",
        ),
        # A wall between home and the object, too high for the hand on its way, but beside the grasp itself.
        ([down(0.36, 0.3, 0.03)], [block(0.26, 0.3, (0.005, 0.15, 0.3))], "no feasible grasp: blocked way 1"),
    ],
)
def test_what_cannot_be_picked_is_refused_with_counted_reasons(
    rig: Rig, planner: PickPlanner, grasps: list[Grasp], neighbours: list[ObjectState], reason: str
) -> None:
    with pytest.raises(ImoveError, match=f"^{reason}"):
        planner.plan(grasps, rig.home_positions, neighbours)


def test_straight_grasps_are_preferred_to_tilted_ones(rig: Rig, planner: PickPlanner) -> None:
    tilted = dataclasses.replace(down(0.32, 0.2, 0.03), tilt_rad=0.3)
    assert planner.plan([tilted, down(0.32, 0.2, 0.031)], rig.home_positions, []).grasp.tilt_rad == 0.0
    assert planner.plan([tilted, down(0.9, 0.2, 0.031)], rig.home_positions, []).grasp.tilt_rad == 0.3
