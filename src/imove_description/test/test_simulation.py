"""The simulated arm follows its targets, and its gripper holds what it grasps."""

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from imove_description.arm_model import ArmModel

STEPS_PER_S = 480
SCENE = f"""
<mujoco>
  <option timestep="{1 / STEPS_PER_S}" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <worldbody/>
</mujoco>"""


@pytest.fixture
def scene(arm_spec: mujoco.MjSpec) -> mujoco.MjSpec:
    """A world with the arm attached under the prefix left_."""
    spec = mujoco.MjSpec.from_string(SCENE)
    spec.attach(arm_spec, prefix="left_", frame=spec.worldbody.add_frame())
    return spec


def at_pose(spec: mujoco.MjSpec, positions: np.ndarray, opening_m: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The compiled scene with the arm at rest at these positions."""
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:6] = data.ctrl[:6] = positions
    data.qpos[6:8] = opening_m / 2
    data.ctrl[6] = opening_m
    mujoco.mj_forward(model, data)
    return model, data


def test_attached_names_and_geometry_groups(scene: mujoco.MjSpec) -> None:
    model = scene.compile()
    actuators = [model.actuator(i).name for i in range(model.nu)]
    assert actuators == [*(f"left_joint{i}" for i in range(1, 7)), "left_gripper"]
    assert model.site("left_tcp").bodyid == model.body("left_gripper_base").id
    seen = model.geom_group == 2
    assert not model.geom_contype[seen].any() and not model.geom_conaffinity[seen].any()
    assert np.all(model.geom_group[~seen] == 3)
    assert np.all(model.body_gravcomp[1:] == 1)


@pytest.mark.parametrize("joint", range(6))
@pytest.mark.parametrize("start", ["home", "stretched"])
def test_ramp_is_followed(piper_x: ArmModel, scene: mujoco.MjSpec, start: str, joint: int) -> None:
    """A ramp of 1 rad/s over 0.4 s: lag below 0.03 rad, overshoot below 0.01 rad."""
    rest = piper_x.home if start == "home" else np.array([0, 1.5, -1.0, 0, 0, 0])
    direction = 1.0 if rest[joint] + 0.4 < piper_x.joint_limits[joint, 1] else -1.0
    model, data = at_pose(scene, rest, opening_m=0.07)
    ahead_rad = np.empty(STEPS_PER_S)
    for step in range(STEPS_PER_S):
        data.ctrl[joint] = rest[joint] + direction * min((step + 1) / STEPS_PER_S, 0.4)
        mujoco.mj_step(model, data)
        ahead_rad[step] = direction * (data.ctrl[joint] - data.qpos[joint])
    assert 0.005 < ahead_rad.max() < 0.03
    assert ahead_rad.min() > -0.01
    assert abs(ahead_rad[-1]) < 1e-3


def test_arm_stands_still_without_drift(piper_x: ArmModel, scene: mujoco.MjSpec) -> None:
    model, data = at_pose(scene, piper_x.home, opening_m=0.03)
    mujoco.mj_step(model, data, nstep=STEPS_PER_S)
    np.testing.assert_allclose(data.qpos[:6], piper_x.home, atol=1e-6)
    np.testing.assert_allclose(data.qpos[6:8], 0.015, atol=1e-6)


def test_no_self_collision_at_zero_and_home(piper_x: ArmModel, scene: mujoco.MjSpec) -> None:
    for positions in (np.zeros(6), piper_x.home):
        for opening_m in (0.0, 0.07):
            _, data = at_pose(scene, positions, opening_m)
            assert data.ncon == 0


def test_fingers_close_symmetrically_and_fully(piper_x: ArmModel, scene: mujoco.MjSpec) -> None:
    model, data = at_pose(scene, piper_x.home, opening_m=0.07)
    data.ctrl[6] = 0
    for _ in range(STEPS_PER_S):
        mujoco.mj_step(model, data)
        assert abs(data.qpos[6] - data.qpos[7]) < 1e-4
    assert data.qpos[6:8].sum() < 1e-3


def test_collision_is_felt_between_arm_and_world(piper_x: ArmModel, scene: mujoco.MjSpec) -> None:
    scene.worldbody.add_geom(name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], pos=[0, 0, 0.15])
    model, data = at_pose(scene, piper_x.home, opening_m=0.07)
    touching = {model.geom(geom).name for pair in data.contact.geom for geom in pair}
    assert {"table", "left_finger1_pad", "left_finger2_pad"} <= touching


@dataclass(frozen=True)
class Held:
    """What happened to an object between the end of the grasp and the end of the transport."""

    slip_m: float
    turn_rad: float
    rise_m: float


def grasp_and_carry(
    arm: ArmModel, scene: mujoco.MjSpec, kind: mujoco.mjtGeom, size_m: list[float], mass_kg: float
) -> Held:
    """Closes on an object that stands on a post under the gripper, lifts it, shakes it at 3 m/s^2.

    The jaws close along the arm's plane and the shaking is across it, so that friction alone carries it.
    """
    rest = np.array([*arm.home[:5], np.pi / 2])
    _, data = at_pose(scene, rest, opening_m=0.07)
    tcp = data.site("left_tcp")
    tcp_m, tcp_quat = tcp.xpos.copy(), Rotation.from_matrix(tcp.xmat.reshape(3, 3)).as_quat(scalar_first=True)
    half_height_m = size_m[2] if kind == mujoco.mjtGeom.mjGEOM_BOX else size_m[1]
    body = scene.worldbody.add_body(name="object", pos=tcp_m, quat=tcp_quat)
    body.add_freejoint()
    body.add_geom(type=kind, size=size_m, mass=mass_kg, friction=[0.8, 0.005, 0.0001], condim=4)
    post_m = (tcp_m[2] - half_height_m) / 2
    scene.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.004, 0.004, post_m],
        pos=[tcp_m[0], tcp_m[1], post_m],
    )
    model, data = at_pose(scene, rest, opening_m=0.07)
    data.ctrl[6] = 0
    mujoco.mj_step(model, data, nstep=STEPS_PER_S // 2)
    before_m, before = _object_in_tcp(data)
    start_height_m = data.body("object").xpos[2]
    for step in range(5 * STEPS_PER_S // 2):
        time_s = step / STEPS_PER_S
        data.ctrl[1] = rest[1] - 0.3 * min(time_s / 0.5, 1)
        # 0.28 rad at 8 rad/s on a radius of 0.17 m: 3 m/s^2
        data.ctrl[0] = 0.28 * np.sin(8 * (time_s - 0.5)) if time_s > 0.5 else 0
        mujoco.mj_step(model, data)
    after_m, after = _object_in_tcp(data)
    return Held(
        slip_m=float(np.linalg.norm(after_m - before_m)),
        turn_rad=float((before.inv() * after).magnitude()),
        rise_m=float(data.body("object").xpos[2] - start_height_m),
    )


def _object_in_tcp(data: mujoco.MjData) -> tuple[np.ndarray, Rotation]:
    tcp_from_world = data.site("left_tcp").xmat.reshape(3, 3).T
    offset = data.body("object").xpos - data.site("left_tcp").xpos
    return tcp_from_world @ offset, Rotation.from_matrix(tcp_from_world @ data.body("object").xmat.reshape(3, 3))


@pytest.mark.parametrize(
    ("kind", "size_m", "mass_kg"),
    [
        (mujoco.mjtGeom.mjGEOM_BOX, [0.025, 0.025, 0.025], 0.15),
        (mujoco.mjtGeom.mjGEOM_CYLINDER, [0.025, 0.030, 0], 0.15),
        (mujoco.mjtGeom.mjGEOM_CYLINDER, [0.030, 0.040, 0], 0.30),
        (mujoco.mjtGeom.mjGEOM_BOX, [0.040, 0.004, 0.020], 0.05),
    ],
    ids=["box", "cylinder", "heavy_cylinder", "thin_board"],
)
def test_grasped_objects_stay_in_the_jaws(
    piper_x: ArmModel, scene: mujoco.MjSpec, kind: mujoco.mjtGeom, size_m: list[float], mass_kg: float
) -> None:
    held = grasp_and_carry(piper_x, scene, kind, size_m, mass_kg)
    assert held.rise_m > 0.03
    assert held.slip_m < 0.003
    assert held.turn_rad < np.deg2rad(3)
