"""Every shipped rig reaches and sees its workspace, stands still, grips, and picks objects up."""

from collections.abc import Callable

import numpy as np
import pytest

from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import finger_poses, link_poses
from imove_core.meaning import Description, Meaning
from imove_core.randomization import PLAIN
from imove_core.rig import WORLD_FRAME, Arm, Camera, Rig, load_rig, rig_names
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform
from imove_motion.grasps import TIP_BEYOND_TCP_M, grasp_candidates
from imove_motion.pick import PickPlan, PickPlanner
from imove_sim_bridge.backend import SimBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.scene_objects import scene_object

TOOL_HEIGHTS_M = (TIP_BEYOND_TCP_M, 0.2)
"""Between finger tips on the table and an object carried over a container."""
LOW_RIGS = ("piperx_dual",)
"""Rigs that point straight down everywhere only near the table; higher up their outer places need a tilted hand."""
IMAGE_SIZES = ((640, 480), (224, 224))
VIEW_MARGIN_PX = 8.0
PICKED = ("lemon", "mug", "stapler", "spice_jar")
SETTLE_STEPS = 15


@pytest.fixture(params=rig_names(), scope="module")
def each_rig(request: pytest.FixtureRequest) -> Rig:
    """Each shipped rig in turn."""
    return load_rig(request.param)


def corners(rig: Rig, heights_m: tuple[float, ...]) -> Array:
    """Corners (N, 3) of the workspace at some heights."""
    return np.array([(x, y, z) for x in rig.workspace.x for y in rig.workspace.y for z in heights_m])


def pixels(camera: Camera, size: tuple[int, int], in_camera: Array) -> Array:
    """Pixels (N, 2) of points (N, 3) in the optical frame, which must lie in front of it."""
    assert np.all(in_camera[:, 2] > 0)
    projected = in_camera @ camera.intrinsics.resized(*size).matrix.T
    return projected[:, :2] / projected[:, 2:]


def inside(found: Array, size: tuple[int, int], margin_px: float) -> bool:
    return bool(np.all(found >= margin_px) and np.all(found <= np.array(size) - 1 - margin_px))


def can_hold(arm: Arm, place: Array, yaw_rad: float) -> bool:
    """Whether an arm brings the tool to a place, straight down; the jaws are symmetric, so half a turn more will do."""
    solver = inverse_kinematics(arm.arm_model)
    base_from_world = inverse(arm.world_from_base.matrix)
    down = np.diag([-1.0, 1.0, -1.0])
    return any(
        solver.solve(base_from_world @ transform(rotation_about_axis([0, 0, 1], yaw) @ down, place))
        for yaw in (yaw_rad, yaw_rad + np.pi)
    )


def test_the_hand_reaches_every_place_straight_down_with_the_jaws_at_any_angle(each_rig: Rig) -> None:
    heights_m = TOOL_HEIGHTS_M[:1] if each_rig.name in LOW_RIGS else TOOL_HEIGHTS_M
    for x in np.linspace(*each_rig.workspace.x, 4):
        for y in np.linspace(*each_rig.workspace.y, 5):
            for z in heights_m:
                for yaw in np.arange(4) * np.pi / 4:
                    place = np.array([x, y, z])
                    assert any(can_hold(arm, place, yaw) for arm in each_rig.arms), (place, yaw)


def test_fixed_cameras_see_the_whole_workspace(each_rig: Rig) -> None:
    fixed = [camera for camera in each_rig.cameras if camera.parent == WORLD_FRAME]
    assert fixed
    for camera in fixed:
        points = apply(inverse(camera.parent_from_optical.matrix), corners(each_rig, (0.0, 0.12)))
        for size in IMAGE_SIZES:
            assert inside(pixels(camera, size, points), size, VIEW_MARGIN_PX), camera.name


def test_a_camera_on_each_hand_sees_the_finger_tips_and_what_is_between_them(each_rig: Rig) -> None:
    carried = {}
    for camera in each_rig.cameras:
        if camera.arm_and_link is None:
            continue
        arm = each_rig.arm(camera.arm_and_link[0])
        carried[arm.name] = camera
        links = link_poses(arm.arm_model, np.array(arm.home))
        camera_from_base = inverse(links[camera.arm_and_link[1]] @ camera.parent_from_optical.matrix)
        fingers = finger_poses(arm.arm_model, links[arm.arm_model.gripper.base_link], arm.home_opening_m)
        points = np.array([*(pose[:3, 3] for pose in fingers.values()), links["tcp"][:3, 3]])
        for size in IMAGE_SIZES:
            assert inside(pixels(camera, size, apply(camera_from_base, points)), size, 0.0), camera.name
    assert list(carried) == [arm.name for arm in each_rig.arms]


def scene_of(rig: Rig, assets: list[Asset]) -> EpisodeSpec:
    """Up to four assets at the middles of the quarters of a rig's workspace, the first one the target."""
    places = [(x, y) for y in (0.25, 0.75) for x in (0.25, 0.75)]
    objects = []
    for number, (asset, (x, y)) in enumerate(zip(assets, places, strict=False)):
        span = [np.interp(share, (0, 1), side) for share, side in ((x, rig.workspace.x), (y, rig.workspace.y))]
        pose = transform(translation=(*span, -asset.box_min[2]))
        objects.append(scene_object(f"object_{number}", asset, "distractor" if number else "target", pose))
    meaning = Meaning(pick=Description(fields={"category": assets[0].category}))
    instruction = Instruction(text="pick it", raw_text="pick it", meaning=meaning, target="object_0")
    return EpisodeSpec(
        schema_version=2, id=f"test/{rig.name}/000", family="test", split="scene", primitive="pick", rig=rig.name,
        seed=0, objects=tuple(objects), instructions={name: instruction for name in CONDITIONS}, randomization=PLAIN,
    )  # fmt: skip


def test_arms_stand_still_at_home_and_grippers_close_and_open(
    each_rig: Rig, assets: dict[str, Asset], open_backend: Callable[..., SimBackend]
) -> None:
    backend = open_backend("mujoco", each_rig)
    backend.load(scene_of(each_rig, [assets["block"], assets["other block"]]))
    backend.reset()
    still = backend.advance({}, 30)[-1].robot.positions
    np.testing.assert_allclose(still, each_rig.home_positions, atol=1e-4)
    for end in (0, 1):
        stamp_ns = backend.stamp_ns
        goals = {arm.name: np.append(arm.home, arm.limits[-1, end]) for arm in each_rig.arms}
        commands = {
            name: JointCommand(stamp_ns, np.array([stamp_ns + 500_000_000]), goal[None]) for name, goal in goals.items()
        }
        reached = backend.advance(commands, 45)[-1].robot.positions
        np.testing.assert_allclose(reached, np.concatenate(list(goals.values())), atol=1e-3)


def test_every_camera_renders_what_is_there(
    each_rig: Rig, assets: dict[str, Asset], open_backend: Callable[..., SimBackend]
) -> None:
    backend = open_backend("mujoco", each_rig)
    backend.load(scene_of(each_rig, [assets["block"], assets["other block"]]))
    backend.reset()
    frames = backend.observe([camera.name for camera in each_rig.cameras])
    assert list(frames) == [camera.name for camera in each_rig.cameras]
    for name, frame in frames.items():
        assert frame.rgb.shape == (48, 64, 3)
        assert np.ptp(frame.rgb.astype(int).sum(axis=2)) > 60, name
    for camera in each_rig.cameras:
        if camera.parent == WORLD_FRAME:
            image = frames[camera.name].rgb.astype(int)
            blue = image[..., 2] > 2 * image[..., :2].max(axis=2)
            green = image[..., 1] > 2 * image[..., ::2].max(axis=2)
            assert blue.any() and green.any(), camera.name


def carried_out(rig: Rig, backend: SimBackend, plan: PickPlan) -> tuple[StepState, float]:
    """The state half a second after a plan's end, and how far any joint of the arm stayed behind its targets, rad."""
    stamp_ns, count = backend.stamp_ns, len(plan.positions)
    times_ns = stamp_ns + np.round(np.arange(1, count + 1) * 1e9 / rig.control_rate_hz).astype(np.int64)
    states = backend.advance({plan.arm: JointCommand(stamp_ns, times_ns, plan.positions)}, count)
    reached = np.array([rig.split(state.robot.positions)[plan.arm] for state in states])
    lag_rad = float(np.abs(reached - plan.positions)[:, :-1].max())
    return backend.advance({}, SETTLE_STEPS)[-1], lag_rad


@pytest.mark.parametrize("number", range(len(PICKED)))
def test_planned_picks_lift_objects_and_are_followed_closely(
    each_rig: Rig, number: int, library: AssetLibrary, open_backend: Callable[..., SimBackend]
) -> None:
    assets = [library.in_category(category)[0] for category in PICKED]
    assets = assets[number:] + assets[:number]
    backend = open_backend("mujoco", each_rig)
    backend.load(scene_of(each_rig, assets))
    backend.reset()
    before = backend.advance({}, SETTLE_STEPS)[-1]
    target, *others = before.objects
    planner = PickPlanner(each_rig)
    grasps = grasp_candidates(assets[0], target.world_from_object, planner.palm)
    plan = planner.plan(grasps, each_rig.home_positions, others)
    after, lag_rad = carried_out(each_rig, backend, plan)
    assert after.objects[0].position[2] - target.position[2] > 0.07
    assert after.objects[0].held_by == plan.arm
    assert lag_rad < 0.05
