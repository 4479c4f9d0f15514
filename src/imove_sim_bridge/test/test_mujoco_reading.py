"""What is read from MuJoCo agrees with MuJoCo: velocities, TF frames, and the contacts of the state itself."""

import mujoco
import numpy as np
import pytest

from imove_core.frames import moving_frames, static_frames
from imove_core.rig import WORLD_FRAME
from imove_core.state import StepState
from imove_core.transforms import transform
from imove_sim_bridge.contacts import TABLE
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_sim_bridge.reading import Reading, object_states, robot_state
from imove_sim_bridge.scene import compile_scene, compose_base
from imove_sim_bridge.scene_index import Scene


@pytest.fixture
def scene(rig, assets, blocks) -> Scene:
    by_uuid = {asset.uuid: asset for asset in assets.values()}
    return compile_scene(compose_base(rig, 64, 48), rig, blocks, by_uuid)


@pytest.fixture
def data(scene, rig) -> mujoco.MjData:
    """A state with every joint, object and velocity drawn at random; the objects hang in the air."""
    rng = np.random.default_rng(4)
    data = mujoco.MjData(scene.model)
    limits = np.vstack([arm.limits for arm in rig.arms])
    data.qpos[scene.joint_qpos] = rng.uniform(*limits.T) / scene.opening_scale
    for first, second in scene.finger_qpos:
        data.qpos[second] = data.qpos[first]
    for row in scene.object_qpos:
        rotation = rng.normal(size=4)
        data.qpos[row] = [*rng.uniform(1, 2, 3), *(rotation / np.linalg.norm(rotation))]
    data.qvel[:] = rng.normal(size=scene.model.nv)
    mujoco.mj_forward(scene.model, data)
    return data


@pytest.fixture
def state(scene, data) -> StepState:
    reading = Reading.of(data, scene)
    first = reading.qpos[scene.object_qpos[:, :3]]
    return StepState(0, 0, robot_state(reading, scene), object_states(reading, scene, first))


def body_pose(scene: Scene, data: mujoco.MjData, name: str) -> np.ndarray:
    body = scene.model.body(name).id
    return transform(data.xmat[body].reshape(3, 3), data.xpos[body])


def test_velocities_of_objects_are_in_the_world_frame(scene, data, state):
    for item in state.objects:
        spin_then_speed = np.zeros(6)
        body = scene.model.body(item.id).id
        mujoco.mj_objectVelocity(scene.model, data, mujoco.mjtObj.mjOBJ_XBODY, body, spin_then_speed, 0)
        np.testing.assert_allclose(item.angular_velocity, spin_then_speed[:3], atol=1e-9)
        np.testing.assert_allclose(item.linear_velocity, spin_then_speed[3:], atol=1e-9)


def test_frames_are_a_tree_under_world(rig, state):
    edges = [*static_frames(rig), *moving_frames(rig, state)]
    parents = {child: parent for parent, child, _ in edges}
    assert len(parents) == len(edges)
    assert WORLD_FRAME not in parents
    for child in parents:
        seen = set()
        while child != WORLD_FRAME:
            assert child not in seen
            seen.add(child)
            child = parents[child]
    expected = {"left_tcp", "right_tcp", "object_0", "object_1", "left_base_link", "right_finger2"}
    assert expected | {camera.optical_frame for camera in rig.cameras} <= set(parents)


def test_frames_agree_with_mujoco(rig, scene, data, state):
    edges = {child: (parent, pose) for parent, child, pose in [*static_frames(rig), *moving_frames(rig, state)]}

    def in_world(frame: str) -> np.ndarray:
        parent, parent_from_frame = edges[frame]
        return parent_from_frame if parent == WORLD_FRAME else in_world(parent) @ parent_from_frame

    world_from = {frame: in_world(frame) for frame in edges}
    checked = 0
    for arm in rig.arms:
        site = scene.model.site(f"{arm.name}/tcp").id
        tool = transform(data.site_xmat[site].reshape(3, 3), data.site_xpos[site])
        np.testing.assert_allclose(world_from.pop(arm.tool_frame), tool, atol=1e-6)
        for body in range(scene.model.nbody):
            name = scene.model.body(body).name
            if name.startswith(f"{arm.name}/"):
                frame = arm.joint_prefix + name.partition("/")[2]
                np.testing.assert_allclose(world_from.pop(frame), body_pose(scene, data, name), atol=1e-6, err_msg=name)
                checked += 1
    assert checked == 2 * (7 + 1 + 2)
    for item in state.objects:
        np.testing.assert_allclose(world_from.pop(item.id), body_pose(scene, data, item.id), atol=1e-6)
    for camera in rig.cameras:
        number = scene.cameras[camera.name].camera_id
        optical_from_mujoco = np.diag([1.0, -1.0, -1.0])
        pose = transform(data.cam_xmat[number].reshape(3, 3) @ optical_from_mujoco, data.cam_xpos[number])
        np.testing.assert_allclose(world_from.pop(camera.optical_frame), pose, atol=1e-6)
    assert world_from == {}


def test_every_geom_that_touches_has_the_owner_of_its_body(scene, rig):
    owners, model = scene.owners, scene.model
    assert owners.carrier_of_geom[model.geom(TABLE).id] == TABLE
    assert owners.carrier_of_geom[model.geom("floor").id] == ""
    for geom in np.flatnonzero(model.geom_contype):
        body = model.body(int(model.geom_bodyid[geom])).name
        arm, _, link = body.partition("/")
        hand = link in ("gripper_base", "finger1", "finger2")
        is_object = body.startswith("object_")
        assert owners.object_of_geom[geom] == (int(body[-1]) if is_object else -1)
        assert body == "world" or owners.carrier_of_geom[geom] == (body if is_object else "")
        assert owners.arm_of_geom[geom] == (["left", "right"].index(arm) if hand else -1)
        assert owners.finger_of_geom[geom] == ({"finger1": 0, "finger2": 1}.get(link, -1) if hand else -1)


def test_physics_is_that_of_plain_steps(rig, assets, blocks, scene):
    """The backend's order of half steps gives MuJoCo's own trajectory, bit for bit."""
    by_uuid = {asset.uuid: asset for asset in assets.values()}
    backend = MujocoBackend(rig, by_uuid.__getitem__, (64, 48))
    backend.load(blocks)
    backend.reset()
    states = backend.advance({}, 10)
    plain = mujoco.MjData(scene.model)
    plain.qpos[scene.joint_qpos] = rig.home_positions / scene.opening_scale
    for first, second in scene.finger_qpos:
        plain.qpos[second] = plain.qpos[first]
    for row, item in zip(scene.object_qpos, blocks.objects, strict=True):
        plain.qpos[row] = [*item.position, 0, 0, 0, 1]
    plain.ctrl[scene.actuators] = rig.home_positions
    mujoco.mj_forward(scene.model, plain)
    mujoco.mj_step(scene.model, plain, nstep=160)
    assert np.array_equal(states[-1].robot.positions, plain.qpos[scene.joint_qpos] * scene.opening_scale)
    for row, item in zip(scene.object_qpos, states[-1].objects, strict=True):
        assert np.array_equal(item.position, plain.qpos[row[:3]])
