"""Every room around every rig: nothing to touch, nothing near, nothing in the way of a camera."""

import mujoco
import numpy as np
import pytest

from imove_core.randomization import PLAIN
from imove_core.rig import Arm, Rig, load_rig, rig_names
from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_sim_bridge.physics import TABLE_THICKNESS_M
from imove_sim_bridge.scene import compile_scene, compose_base
from imove_sim_bridge.surroundings import FLOOR, ROOM
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.randomization import draw_randomization, parse_randomization
from imove_tasks.randomization.rooms import FLOOR_Z_M, room, room_names

from .pixels import differing, world_points

ROOMS = [name for name in room_names() if name != "plain"]
CAMERA_CLEARANCE_M = 0.3


@pytest.fixture(params=rig_names(), scope="module")
def each_rig(request: pytest.FixtureRequest) -> Rig:
    return load_rig(request.param)


@pytest.fixture(scope="module")
def base(each_rig: Rig) -> mujoco.MjSpec:
    return compose_base(each_rig, 64, 48)


@pytest.fixture
def spec(each_rig: Rig, make_spec) -> EpisodeSpec:
    x, y = (np.mean(side) for side in (each_rig.workspace.x, each_rig.workspace.y))
    return make_spec(("block", (x, y + 0.1, 0.025)), ("other block", (x, y - 0.1, 0.025)), rig_name=each_rig.name)


def in_room(spec: EpisodeSpec, name: str) -> EpisodeSpec:
    return spec.model_copy(update={"randomization": PLAIN.model_copy(update={"background": name})})


def compiled(base: mujoco.MjSpec, rig: Rig, spec: EpisodeSpec, assets) -> mujoco.MjModel:
    return compile_scene(base, rig, spec, {asset.uuid: asset for asset in assets.values()}).model


def reach_m(arm: Arm) -> float:
    """No point of the arm is farther from its base: the lengths of all links and the tool, laid end to end."""
    offsets = [*arm.arm_model.parent_from_joint[:, :3, 3], arm.arm_model.flange_from_tcp[:3, 3]]
    return float(sum(np.linalg.norm(offset) for offset in offsets))


def distance_m(point: Array, low: Array, high: Array) -> float:
    """From a point to a box."""
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(low - point, point - high))))


def table_middle(rig: Rig) -> Array:
    return np.array([sum(rig.table.x) / 2, sum(rig.table.y) / 2, 0.0])


@pytest.mark.parametrize("name", ROOMS)
def test_nothing_of_a_room_can_be_touched(base, each_rig, spec, assets, name) -> None:
    plain, model = (compiled(base, each_rig, in_room(spec, key), assets) for key in ("plain", name))
    body = model.body(ROOM).id
    own = model.geom_bodyid == body
    assert own.sum() >= 5
    assert not model.geom_contype[own].any() and not model.geom_conaffinity[own].any()
    assert model.body_mass[body] == 0.0
    assert not (plain.geom_bodyid == plain.body(ROOM).id).any()
    # What can move and touch is numbered as it is without the room.
    assert plain.ngeom == model.ngeom - own.sum() and not own[: plain.ngeom].any()
    assert np.array_equal(plain.geom_contype, model.geom_contype[: plain.ngeom])
    assert model.geom(FLOOR).contype == 1


@pytest.mark.parametrize("name", ROOMS)
def test_nothing_of_a_room_is_within_reach(each_rig, name) -> None:
    middle = table_middle(each_rig)
    for arm in each_rig.arms:
        base = arm.world_from_base.matrix[:3, 3]
        for block in room(name).blocks:
            low, high = np.array(block.low) + middle, np.array(block.high) + middle
            assert distance_m(base, low, high) > reach_m(arm), (arm.name, block)
    for camera in each_rig.cameras:
        if camera.arm_and_link is None:
            for block in room(name).blocks:
                low, high = np.array(block.low) + middle, np.array(block.high) + middle
                place = np.array(camera.parent_from_optical.xyz)
                assert distance_m(place, low, high) > CAMERA_CLEARANCE_M, (camera.name, block)


@pytest.mark.parametrize("name", ROOMS)
def test_around_the_table_there_are_only_its_legs_and_the_floor(base, each_rig, spec, assets, name) -> None:
    model = compiled(base, each_rig, in_room(spec, name), assets)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for geom in np.flatnonzero(model.geom_bodyid == model.body(ROOM).id):
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        vertices = model.mesh_vert[first : first + count] @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        x, y = each_rig.table.x, each_rig.table.y
        near = (vertices[:, 0] > x[0] - 0.5) & (vertices[:, 0] < x[1] + 0.5)
        near &= (vertices[:, 1] > y[0] - 0.5) & (vertices[:, 1] < y[1] + 0.5)
        assert (vertices[near, 2] < 1e-6 - TABLE_THICKNESS_M).all()
        assert (vertices[:, 2] > FLOOR_Z_M - 1e-6).all()


@pytest.mark.parametrize("name", ROOMS)
def test_fixed_cameras_see_table_arms_and_objects_as_without_the_room(each_rig, spec, assets, name) -> None:
    by_uuid = {asset.uuid: asset for asset in assets.values()}
    backend = MujocoBackend(each_rig, by_uuid.__getitem__, (96, 72))
    cameras = [camera for camera in each_rig.cameras if camera.arm_and_link is None]
    names = [camera.name for camera in cameras]
    frames = []
    for key in ("plain", name):
        backend.load(in_room(spec, key))
        backend.reset()
        frames.append(backend.observe(names, names))
    backend.close()
    (x0, x1), (y0, y1) = each_rig.table.x, each_rig.table.y
    for camera in cameras:
        plain, shown = (frame[camera.name] for frame in frames)
        points = world_points(camera, plain)
        near = (points[..., 2] > -TABLE_THICKNESS_M - 0.01) & (points[..., 2] < 1.2)
        near &= (points[..., 0] > x0 - 0.3) & (points[..., 0] < x1 + 0.3)
        near &= (points[..., 1] > y0 - 0.3) & (points[..., 1] < y1 + 0.3)
        assert near.mean() > 0.2
        assert not differing(plain, shown)[near].any()
        assert np.array_equal(plain.depth_mm[near], shown.depth_mm[near])
        # Beyond the table there is a room on all sides: the void, which is black, shows nowhere.
        assert not (shown.rgb == 0).all(axis=-1).any()


def test_the_widest_starts_touch_nothing(base, each_rig, spec, assets, library: AssetLibrary) -> None:
    wide = parse_randomization("initial_joints: {std_rad: 0.05, limit_rad: 0.05}", "test")
    on_table = {item.id: next(a for a in assets.values() if a.uuid == item.asset) for item in spec.objects}
    for seed in range(10):
        draws = draw_randomization(wide, each_rig, on_table, library, seed)
        scene = compile_scene(
            base,
            each_rig,
            spec.model_copy(update={"randomization": draws}),
            {asset.uuid: asset for asset in assets.values()},
        )
        data = mujoco.MjData(scene.model)
        data.qpos[scene.joint_qpos] = scene.rig.home_positions / scene.opening_scale
        for first, second in scene.finger_qpos:
            data.qpos[second] = data.qpos[first]
        for row, item in zip(scene.object_qpos, spec.objects, strict=True):
            data.qpos[row] = [*item.position, *item.quaternion_xyzw]
        mujoco.mj_forward(scene.model, data)
        bodies = scene.model.geom_bodyid[data.contact.geom]
        names = {scene.model.body(int(body)).name for body in bodies.ravel()}
        assert names <= {"world", *on_table}, names
