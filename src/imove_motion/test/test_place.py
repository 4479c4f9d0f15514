"""Planned picks with places: what hand and object do on the way, and what is refused."""

import dataclasses

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.kinematics import tool_pose
from imove_core.rig import Rig, load_rig
from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, inverse
from imove_motion.clearance import Boxes
from imove_motion.hand import Hand, box_surface
from imove_motion.place import PickPlacePlan, PickPlacePlanner, PlaceSettings
from imove_motion.spots import PlaceGoal
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.relations import judge

from .worlds import ZERO, inside, standing

SETTINGS = PlaceSettings()
HORIZON_STEPS = 300


@dataclasses.dataclass(frozen=True)
class Case:
    """A scene, what is asked for in it, and the plan."""

    asset: Asset
    target: ObjectState
    goal: PlaceGoal
    others: tuple[ObjectState, ...]
    plan: PickPlacePlan
    start: Array


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate(instances_per_category=1)


@pytest.fixture(scope="module")
def planner(rig: Rig) -> PickPlacePlanner:
    return PickPlacePlanner(rig)


SCENES = [
    # what, at; into or beside what, at; in between, at; relation
    ("apple", (0.30, 0.28), "plate", (0.34, 0.02), "egg", (0.40, 0.20), "in"),
    ("egg", (0.28, -0.25), "bowl", (0.38, -0.10), "canned_coke", (0.32, -0.17), "in"),
    ("canned_coke", (0.40, -0.30), "tray", (0.32, -0.05), "stapler", (0.28, -0.28), "in"),
    ("stapler", (0.26, 0.10), "tray", (0.36, 0.30), "egg", (0.26, 0.22), "in"),
    ("eraser", (0.30, -0.05), "plate", (0.34, -0.28), "apple", (0.40, -0.10), "left_of"),
    ("egg", (0.40, 0.25), "canned_coke", (0.28, 0.10), "plate", (0.36, -0.10), "behind"),
    ("apple", (0.30, 0.28), "stapler", (0.36, 0.05), "egg", (0.40, 0.20), "near"),
]


@pytest.fixture(scope="module")
def cases(rig: Rig, planner: PickPlacePlanner, library: AssetLibrary) -> list[Case]:
    found = []
    for number, (what, at, where, there, between, here, relation) in enumerate(SCENES):
        asset, home = library.in_category(what)[0], library.in_category(where)[0]
        target, destination = standing("target", asset, *at, 0.3), standing("destination", home, *there, 0.5)
        others = (destination, standing("other", library.in_category(between)[0], *here, -0.4))
        goal = inside(home, destination) if relation == "in" else PlaceGoal(destination, relation)
        # As far off home as the domain randomisation may put the joints.
        start = rig.home_positions
        noise = np.random.default_rng(number).uniform(-0.05, 0.05, rig.size)
        start = np.where([name.endswith("gripper") for name in rig.joint_names], start, start + noise)
        plan = planner.plan(target, asset, goal, start, others)
        found.append(Case(asset, target, goal, others, plan, start))
    return found


def tools(rig: Rig, plan: PickPlacePlan) -> Array:
    """world_from_tool (T, 4, 4) at every row."""
    arm = rig.arm(plan.arm)
    return np.array([arm.world_from_base.matrix @ tool_pose(arm.arm_model, row[:-1]) for row in plan.positions])


def carried(rig: Rig, case: Case) -> Array:
    """world_from_object (T, 4, 4) from where the object is up to where it is let go, if it does not slip."""
    tool_from_object = inverse(case.plan.grasp.world_from_tool) @ case.target.world_from_object
    return tools(rig, case.plan)[case.plan.marks.lifted - 1 : case.plan.marks.lowered] @ tool_from_object


def test_the_whole_motion_fits_into_an_episode_and_its_parts_come_in_order(cases: list[Case]) -> None:
    for case in cases:
        marks = dataclasses.astuple(case.plan.marks)
        assert list(marks) == sorted(set(marks))
        assert marks[-1] < len(case.plan.positions) <= HORIZON_STEPS - 30


def test_every_row_is_within_limits_speeds_and_accelerations(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        arm = rig.arm(case.plan.arm)
        low, high = arm.limits.T
        assert np.all(low <= case.plan.positions) and np.all(case.plan.positions <= high)
        rows = np.vstack([rig.split(case.start)[arm.name], case.plan.positions])
        speeds = np.diff(rows, axis=0) * rig.control_rate_hz
        assert np.all(np.abs(speeds) <= arm.velocity_limits + 1e-9)
        assert np.abs(speeds[:, :-1]).max() <= SETTINGS.pick.joint_speed_rad_s + 1e-9


def test_the_object_is_let_go_upright_just_above_where_it_shall_rest(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        last = carried(rig, case)[-1]
        offset = last[:3, 3] - case.plan.spot.world_from_object[:3, 3]
        np.testing.assert_allclose(offset, [0, 0, case.plan.drop_m], atol=1e-4)
        np.testing.assert_allclose(last[:3, :3], case.plan.spot.world_from_object[:3, :3], atol=1e-4)
        assert 0 < case.plan.drop_m <= SETTINGS.transfer.most_drop_m
        np.testing.assert_allclose(last[:3, 2], [0, 0, 1], atol=1e-4)
        if case.goal.floor is None:
            place, reference = last[:2, 3], case.goal.destination.position[:2]
            assert judge(case.goal.relation, place, reference).holds


def test_hand_and_object_stay_clear_of_everything_on_their_way_over(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        marks, boxes = case.plan.marks, Boxes.of(case.others)
        surface = box_surface(case.asset.box_min, case.asset.box_max)
        hand = Hand(rig.arm(case.plan.arm).arm_model).points(case.plan.grasp.width_m)
        way = tools(rig, case.plan)[marks.lifted : marks.over]
        for tool, pose in zip(way, carried(rig, case)[1:], strict=False):
            solid = np.vstack([apply(tool, hand), apply(pose, surface)])
            # Between the samples that the planner looks at, a curve may come a little closer.
            assert boxes.distance(solid) > 0.5 * SETTINGS.clearance_m
            assert solid[:, 2].min() > 0


def test_the_hand_that_lets_go_is_clear_of_everything_but_the_object(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        arm = rig.arm(case.plan.arm)
        beside = [item for item in case.others if case.goal.floor is None or item.id != case.goal.destination.id]
        boxes, released = Boxes.of(beside), case.plan.marks.released
        for row in case.plan.positions[case.plan.marks.lowered : case.plan.marks.clear]:
            tool = arm.world_from_base.matrix @ tool_pose(arm.arm_model, row[:-1])
            assert boxes.distance(apply(tool, Hand(arm.arm_model).points(row[-1]))) > 0
        tool = tools(rig, case.plan)[released - 1]
        points = apply(tool, Hand(arm.arm_model).points(case.plan.positions[released - 1, -1]))
        assert points[:, 2].min() > 0
        if case.plan.spot.walls is not None:
            assert case.plan.spot.walls.rise(points, 0.0) <= 0


def test_the_gripper_stays_closed_from_the_lift_to_the_release_and_ends_open(rig: Rig, cases: list[Case]) -> None:
    for case in cases:
        marks, openings = case.plan.marks, case.plan.positions[:, -1]
        assert np.ptp(openings[marks.lifted - 1 : marks.lowered]) == 0
        assert openings[marks.lifted] < case.plan.grasp.width_m
        assert np.all(openings[marks.released - 1 :] >= case.plan.grasp.opening_m)
        assert openings[-1] == rig.arm(case.plan.arm).home_opening_m


def test_the_same_request_gives_the_same_plan(rig: Rig, cases: list[Case]) -> None:
    case = cases[0]
    again = PickPlacePlanner(rig).plan(case.target, case.asset, case.goal, case.start, case.others)
    np.testing.assert_array_equal(again.positions, case.plan.positions)


def test_the_arm_that_can_also_place_is_taken(rig: Rig, planner: PickPlacePlanner, library: AssetLibrary) -> None:
    # On the left arm's side of the middle, so it would pick it; only the right arm reaches the plate.
    egg, plate = library.in_category("egg")[0], library.in_category("plate")[0]
    target, destination = standing("target", egg, 0.24, 0.01), standing("plate", plate, 0.36, -0.30)
    plan = planner.plan(target, egg, inside(plate, destination), rig.home_positions, [destination])
    assert plan.arm == "right"


def block(x: float, y: float, half: tuple[float, float, float]) -> ObjectState:
    size = np.array(half)
    return ObjectState("block", np.array([x, y, half[2]]), np.array([0, 0, 0, 1.0]), -size, size, ZERO, ZERO)


@pytest.mark.parametrize(
    ("at", "there", "blocks", "reason"),
    [
        ((0.44, 0.36), (0.44, -0.36), [], "no feasible pick and place: .*unreachable place"),
        ((0.90, 0.30), (0.36, 0.10), [], "no feasible pick and place: unreachable"),
        # Walls all around the plate, higher than a hand can come over.
        (
            (0.30, 0.28),
            (0.34, 0.02),
            [block(0.34, 0.02 + side * 0.13, (0.14, 0.008, 0.20)) for side in (-1, 1)]
            + [block(0.34 + side * 0.13, 0.02, (0.008, 0.14, 0.20)) for side in (-1, 1)],
            "no feasible pick and place: .*(blocked carry|no room)",
        ),
    ],
)
def test_what_cannot_be_placed_is_refused_with_counted_reasons(
    rig: Rig,
    planner: PickPlacePlanner,
    library: AssetLibrary,
    at: tuple[float, float],
    there: tuple[float, float],
    blocks: list[ObjectState],
    reason: str,
) -> None:
    egg, plate = library.in_category("egg")[0], library.in_category("plate")[0]
    target, destination = standing("target", egg, *at), standing("plate", plate, *there)
    with pytest.raises(ImoveError, match=f"^{reason}"):
        planner.plan(target, egg, inside(plate, destination), rig.home_positions, [destination, *blocks])


def test_a_goal_without_room_is_refused_by_its_name(rig: Rig, planner: PickPlacePlanner, library: AssetLibrary) -> None:
    fork, plate = library.in_category("fork")[0], library.in_category("coaster")[0]
    target, destination = standing("target", fork, 0.30, 0.28), standing("coaster", plate, 0.34, 0.02)
    with pytest.raises(ImoveError, match="^no feasible place: no room for target in coaster"):
        planner.plan(target, fork, inside(plate, destination), rig.home_positions, [destination])
