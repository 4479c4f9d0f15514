"""The planner over MoveIt: on MoveItPy itself where it is installed, else on a stand-in with its interface."""

import ast
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.rig import Arm, Rig, load_rig
from imove_core.state import ObjectState
from imove_core.transforms import transform
from imove_motion.planning.collision import CollisionChecker, checked_rows
from imove_motion.planning.contract_checks import CHECKS
from imove_motion.planning.protocol import JointPlanner, PlanningError
from imove_motion.planning.world import TABLE, Attachment, PlanningWorld, body_name, contacts, hand_bodies
from imove_ros.moveit_config import moveit_parameters
from imove_ros.moveit_planner import CONSTRAINT_OF, MoveItPlanner
from imove_ros.moveit_scene import joint_positions
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

from . import moveit_stand_in as stand_in

FOLDER = Path(__file__).resolve().parents[2] / "imove_bringup" / "config" / "moveit"
SOURCES = Path(__file__).resolve().parents[1] / "imove_ros"
HAS_MOVEIT = importlib.util.find_spec("moveit") is not None
CODES = stand_in.MANIFEST["messages"]["MoveItErrorCodes"]["constants"]
ZERO = np.zeros(3)
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


@pytest.fixture(scope="module")
def assets() -> list[Asset]:
    """The first few objects of the corpus, the one with the most parts first."""
    some = islice(AssetLibrary.generate(instances_per_category=1), 8)
    return sorted(some, key=lambda asset: -len(asset.collisions))


@pytest.fixture
def planner(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Iterator[MoveItPlanner]:
    """Of the rig with two arms, over MoveIt where it is there."""
    if not HAS_MOVEIT:
        stand_in.install(monkeypatch)
    planner = MoveItPlanner(rig, FOLDER)
    yield planner
    planner.close()


@pytest.fixture
def standing_planner(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> MoveItPlanner:
    """Over the stand-in, wherever it runs."""
    stand_in.install(monkeypatch)
    return MoveItPlanner(rig, FOLDER)


def at(object_id: str, asset: Asset, x: float, y: float, z: float = 0.0) -> ObjectState:
    position = np.array([x, y, z - asset.box_min[2]])
    return ObjectState(object_id, position, np.array([0, 0, 0, 1.0]), asset.box_min, asset.box_max, ZERO, ZERO)


def world_of(rig: Rig, assets: list[Asset], *places: tuple[float, float]) -> PlanningWorld:
    objects = tuple(at(f"o{i}", assets[i % len(assets)], x, y) for i, (x, y) in enumerate(places))
    metadata = {item.id: assets[i % len(assets)] for i, item in enumerate(objects)}
    return PlanningWorld(rig, rig.home_positions, objects, metadata)


def swung(arm: Arm, angle_rad: float) -> np.ndarray:
    """Home with the first joint elsewhere."""
    return np.array(arm.home) + angle_rad * np.eye(len(arm.home))[0]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_keeps_the_contract_of_joint_planners(planner: MoveItPlanner, check: Callable[[JointPlanner], None]) -> None:
    check(planner)


def test_a_free_motion_goes_from_start_to_goal(planner: MoveItPlanner, rig: Rig, assets: list[Asset]) -> None:
    for arm in rig.arms:
        goals = np.array([swung(arm, 0.9), swung(arm, 0.4)])
        path = planner.plan(arm, np.array(arm.home), goals, world_of(rig, assets, (0.42, 0.0)), RNG)
        np.testing.assert_array_equal(path.waypoints[0], arm.home)
        np.testing.assert_array_equal(path.waypoints[-1], goals[path.goal])
        low, high = arm.limits[:-1].T
        assert np.all((path.waypoints >= low) & (path.waypoints <= high))
        rows = checked_rows(path.waypoints, 0.03)
        assert CollisionChecker(arm, world_of(rig, assets, (0.42, 0.0))).is_free(rows)


def test_a_goal_in_collision_is_left_for_another(planner: MoveItPlanner, rig: Rig, assets: list[Asset]) -> None:
    arm, world = rig.arms[0], world_of(rig, assets)
    below = np.array(arm.home) + [0, 0.9, 0, 0, 0, 0]  # the tool is below the table
    assert planner.plan(arm, np.array(arm.home), np.array([below, swung(arm, 1.5)]), world, RNG).goal == 1
    with pytest.raises(PlanningError, match="each of the 1 goals") as caught:
        planner.plan(arm, np.array(arm.home), below[None], world, RNG)
    assert caught.value.constraint == "collision"


def test_a_start_in_collision_is_named(planner: MoveItPlanner, rig: Rig, assets: list[Asset]) -> None:
    arm = rig.arms[0]
    with pytest.raises(PlanningError, match="start of arm left") as caught:
        below = np.array(arm.home) + [0, 0.9, 0, 0, 0, 0]
        planner.plan(arm, below, swung(arm, 0.5)[None], world_of(rig, assets), RNG)
    assert caught.value.constraint == "collision"


@pytest.mark.parametrize(("start", "goal", "constraint"), [(4.0, 0.0, "joint limits"), (0.0, np.nan, "joint limits")])
def test_what_is_outside_of_limits_is_refused(
    planner: MoveItPlanner, rig: Rig, assets: list[Asset], start: float, goal: float, constraint: str
) -> None:
    arm = rig.arms[1]
    with pytest.raises(PlanningError, match="right_joint1") as caught:
        planner.plan(arm, swung(arm, start), swung(arm, goal)[None], world_of(rig, assets), RNG)
    assert caught.value.constraint == constraint


@pytest.mark.parametrize("shape", [(0, 6), (6,), (1, 7)])
def test_goals_of_another_shape_are_refused(
    planner: MoveItPlanner, rig: Rig, assets: list[Asset], shape: tuple[int, ...]
) -> None:
    with pytest.raises(PlanningError, match=r"must be \(6,\) and \(k, 6\)"):
        planner.plan(rig.arms[0], np.array(rig.arms[0].home), np.zeros(shape), world_of(rig, assets), RNG)


def test_a_world_of_another_rig_is_refused(planner: MoveItPlanner, assets: list[Asset]) -> None:
    other = load_rig("piperx_single")
    with pytest.raises(PlanningError, match="piperx_dual.*piperx_single"):
        planner.plan(other.arms[0], np.array(other.arms[0].home), np.zeros((1, 6)), world_of(other, assets), RNG)


@pytest.mark.parametrize("rig_name", ["piperx_dual", "franka_single", "aloha_dual"])
def test_scenes_are_judged_as_imove_judges_them(
    rig_name: str, assets: list[Asset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What touches in imove's own model touches in the scene, and what is free by the padding is free there."""
    stand_in.install(monkeypatch)
    rig, rng = load_rig(rig_name), np.random.default_rng(5)
    planner, verdicts = MoveItPlanner(rig, FOLDER), []
    arm = rig.arms[0]
    (x0, x1), (y0, y1) = rig.workspace.x, rig.workspace.y
    for held in (False, True):
        places = [(float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))) for _ in range(5)]
        world = world_of(rig, assets, *places)
        if held:
            attachment = Attachment(arm.name, "o1", transform(translation=[0, 0, 0.02]))
            world = world.holding(attachment).allowing(contacts(["o2"], [*hand_bodies(arm), TABLE, "o1"]))
        touching, near = CollisionChecker(arm, world), CollisionChecker(arm, world, margin_m=0.006)
        scene = planner._scene(world, arm, np.array(arm.home))
        for _ in range(30):
            spread = rng.normal(scale=0.9, size=len(arm.home))
            joints = np.clip(np.array(arm.home) + spread, *arm.limits[:-1].T)
            state = planner._state(scene.current_state, joint_positions(world, arm, joints))
            collides = scene.is_state_colliding(state, arm.name)
            assert collides or touching.is_free(joints[None])
            assert not collides or not near.is_free(joints[None])
            verdicts.append(collides)
    assert 6 < sum(verdicts) < 54


def test_gripper_and_other_arm_are_where_the_world_has_them(
    standing_planner: MoveItPlanner, rig: Rig, assets: list[Asset]
) -> None:
    world = world_of(rig, assets).at(rig.home_positions * 0.5)
    standing_planner.plan(rig.arms[0], np.array(rig.arms[0].home), swung(rig.arms[0], 0.3)[None], world, RNG)
    ((start, goal),) = stand_in.PlanningComponent.asked
    expected = dict(zip(rig.joint_names, rig.home_positions * 0.5, strict=True))
    expected |= dict(zip(rig.arms[0].joint_names[:-1], rig.arms[0].home, strict=True))
    assert start.joint_positions == expected
    assert goal.joint_positions == expected | {"left_joint1": rig.arms[0].home[0] + 0.3}


def test_nothing_of_a_request_stays(standing_planner: MoveItPlanner, rig: Rig, assets: list[Asset]) -> None:
    arm, world = rig.arms[0], world_of(rig, assets, (0.4, 0.0), (0.4, -0.2))
    world = world.holding(Attachment("left", "o1", np.eye(4))).allowing(contacts(["o0"], [body_name(arm, "link3")]))
    scene = standing_planner._scene(world, arm, np.array(arm.home))
    assert set(scene.objects) == {TABLE, "object_o0"}
    (held,) = scene.current_state.attached
    assert (held.object.id, held.link_name) == ("object_o1", "left_tcp")
    assert set(held.touch_links) == {"left_gripper_base", "left_finger1", "left_finger2"}
    assert frozenset(("object_o0", "left_link3")) in scene.allowed_collision_matrix.pairs
    later = standing_planner._scene(world_of(rig, assets), arm, np.array(arm.home))
    assert not later.current_state.attached and set(later.objects) == {TABLE}
    assert frozenset(("object_o0", "left_link3")) not in later.allowed_collision_matrix.pairs


def test_joints_are_read_by_name(
    standing_planner: MoveItPlanner, rig: Rig, assets: list[Asset], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stand_in.PlanningComponent, "reversed_joints", True)
    arm, goal = rig.arms[1], swung(rig.arms[1], 0.5)
    path = standing_planner.plan(arm, np.array(arm.home), goal[None], world_of(rig, assets), RNG)
    np.testing.assert_allclose(np.diff(path.waypoints, n=2, axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("name", sorted(set(CODES) - {"SUCCESS"}))
def test_error_codes_are_told_by_name(
    standing_planner: MoveItPlanner, rig: Rig, assets: list[Asset], name: str
) -> None:
    stand_in.PlanningComponent.answers[:] = [CODES[name]]
    with pytest.raises(PlanningError, match=rf"answers {name}\b") as caught:
        arm = rig.arms[0]
        standing_planner.plan(arm, np.array(arm.home), swung(arm, 0.5)[None], world_of(rig, assets), RNG)
    assert caught.value.constraint == CONSTRAINT_OF.get(name, "planner")


def test_after_a_failure_the_next_goal_is_tried(standing_planner: MoveItPlanner, rig: Rig, assets: list[Asset]) -> None:
    stand_in.PlanningComponent.answers[:] = [CODES["TIMED_OUT"]]
    arm = rig.arms[0]
    goals = np.array([swung(arm, 0.8), swung(arm, 0.3)])
    assert standing_planner.plan(arm, np.array(arm.home), goals, world_of(rig, assets), RNG).goal == 0


def test_without_moveit_the_error_says_what_to_install(rig: Rig) -> None:
    if HAS_MOVEIT:
        pytest.skip("MoveItPy is installed here")
    with pytest.raises(PlanningError, match="MoveItPy is not installed") as caught:
        MoveItPlanner(rig, FOLDER)
    assert caught.value.constraint == "planner"


def test_a_missing_or_damaged_file_is_named(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(ImoveError, match="rig.srdf does not exist; `imove moveit"):
        moveit_parameters(rig, tmp_path)
    folder = tmp_path / rig.name
    folder.mkdir()
    for path in (FOLDER / rig.name).iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    assert set(moveit_parameters(rig, tmp_path)) >= {"robot_description", "ompl", "ompl_path", "plan_request_params"}
    (folder / "kinematics.yaml").write_text("[1, 2", encoding="utf-8")
    with pytest.raises(ImoveError, match="kinematics.yaml is not YAML"):
        moveit_parameters(rig, tmp_path)
    (folder / "kinematics.yaml").write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(ImoveError, match="kinematics.yaml must hold a mapping, got list"):
        moveit_parameters(rig, tmp_path)


@pytest.mark.parametrize("member", stand_in.STAND_INS, ids=lambda member: member.__name__)
def test_the_stand_in_has_nothing_that_moveit_has_not(member: type) -> None:
    assert not stand_in.unknown_members(member)


def test_moveit_is_imported_in_functions_only() -> None:
    """So that every node loads without it."""
    for path in SOURCES.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.partition(".")[0] in ("moveit", "moveit_msgs") for name in names), path


def test_an_attached_object_moves_with_the_hand(standing_planner: MoveItPlanner, rig: Rig, assets: list[Asset]) -> None:
    """Held in front of the hand, whose tool points down, it is in the table, as an empty hand is not."""
    arm, world = rig.arms[0], world_of(rig, assets, (0.4, -0.3))
    start, goal = np.array(arm.home), swung(arm, 0.4)[None]
    standing_planner.plan(arm, start, goal, world, RNG)
    held = replace(world, attached=Attachment("left", "o0", transform(translation=[0, 0, 0.15])))
    with pytest.raises(PlanningError, match="start of arm left is in contact"):
        standing_planner.plan(arm, start, goal, held, RNG)
