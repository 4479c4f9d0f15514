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
    """A world with the arm attached under the prefix left_, so high that a post fits under the gripper."""
    spec = mujoco.MjSpec.from_string(SCENE)
    spec.attach(arm_spec, prefix="left_", frame=spec.worldbody.add_frame(pos=[0, 0, 0.2]))
    return spec


def at_pose(spec: mujoco.MjSpec, positions: np.ndarray, opening_m: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The compiled scene with the arm at rest at these positions."""
    model = spec.compile()
    data = mujoco.MjData(model)
    n = len(positions)
    data.qpos[:n] = data.ctrl[:n] = positions
    data.qpos[n : n + 2] = opening_m / 2
    data.ctrl[n] = opening_m
    mujoco.mj_forward(model, data)
    return model, data


def stretched(arm: ArmModel, spec: mujoco.MjSpec) -> np.ndarray:
    """Of some drawn joint positions without self-collision, those with the tool farthest from the base axis."""
    rng = np.random.default_rng(0)
    model = spec.compile()
    data = mujoco.MjData(model)
    n = len(arm.joints)
    reach_m = {}
    for _ in range(200):
        data.qpos[:n] = rng.uniform(*arm.joint_limits.T)
        mujoco.mj_forward(model, data)
        if data.ncon == 0:
            reach_m[tuple(data.qpos[:n])] = float(np.hypot(*data.site("left_tcp").xpos[:2]))
    return np.array(max(reach_m, key=lambda positions: reach_m[positions]))


def test_attached_names_and_geometry_groups(arm: ArmModel, scene: mujoco.MjSpec) -> None:
    model = scene.compile()
    actuators = [model.actuator(i).name for i in range(model.nu)]
    assert actuators == [*(f"left_{name}" for name in arm.joint_names), "left_gripper"]
    assert model.site("left_tcp").bodyid == model.body(f"left_{arm.gripper.base_link}").id
    seen = model.geom_group == 2
    assert not model.geom_contype[seen].any() and not model.geom_conaffinity[seen].any()
    assert np.all(model.geom_group[~seen] == 3)
    assert np.all(model.body_gravcomp[1:] == 1)


@pytest.mark.parametrize("start", ["home", "stretched"])
def test_ramp_is_followed(arm: ArmModel, scene: mujoco.MjSpec, start: str) -> None:
    """A ramp of 1 rad/s over 0.4 s with any one joint: lag below 0.03 rad, overshoot below 0.01 rad."""
    rest = arm.home if start == "home" else stretched(arm, scene)
    for joint, facts in enumerate(arm.joints):
        direction = 1.0 if rest[joint] + 0.4 < facts.upper else -1.0
        model, data = at_pose(scene, rest, opening_m=arm.gripper.max_opening_m)
        ahead_rad = np.empty(STEPS_PER_S)
        for step in range(STEPS_PER_S):
            data.ctrl[joint] = rest[joint] + direction * min((step + 1) / STEPS_PER_S, 0.4)
            mujoco.mj_step(model, data)
            ahead_rad[step] = direction * (data.ctrl[joint] - data.qpos[joint])
        assert 0.005 < ahead_rad.max() < 0.03, facts.name
        assert ahead_rad.min() > -0.01, facts.name
        assert abs(ahead_rad[-1]) < 1e-3, facts.name


def test_arm_stands_still_without_drift(arm: ArmModel, scene: mujoco.MjSpec) -> None:
    n = len(arm.joints)
    model, data = at_pose(scene, arm.home, opening_m=0.03)
    mujoco.mj_step(model, data, nstep=STEPS_PER_S)
    np.testing.assert_allclose(data.qpos[:n], arm.home, atol=1e-6)
    np.testing.assert_allclose(data.qpos[n:], 0.015, atol=1e-6)


def test_no_self_collision_around_home_and_at_zero(arm: ArmModel, scene: mujoco.MjSpec) -> None:
    lower, upper = arm.joint_limits.T
    zero, step = np.zeros(len(arm.joints)), 0.2 * np.eye(len(arm.joints))
    around = [*np.clip(arm.home + step, lower, upper), *np.clip(arm.home - step, lower, upper)]
    allowed_zero = [zero] if np.all((lower <= zero) & (zero <= upper)) else []
    for positions in (arm.home, *around, *allowed_zero):
        for opening_m in (arm.gripper.min_opening_m, arm.gripper.max_opening_m):
            _, data = at_pose(scene, positions, opening_m)
            assert data.ncon == 0


def test_fingers_close_and_open_symmetrically_and_fully(arm: ArmModel, scene: mujoco.MjSpec) -> None:
    n, ends_m = len(arm.joints), (arm.gripper.min_opening_m, arm.gripper.max_opening_m)
    model, data = at_pose(scene, arm.home, opening_m=ends_m[1])
    for goal_m in ends_m:
        data.ctrl[n] = goal_m
        for _ in range(STEPS_PER_S):
            mujoco.mj_step(model, data)
            assert abs(data.qpos[n] - data.qpos[n + 1]) < 1e-4
        assert data.qpos[n:].sum() == pytest.approx(goal_m, abs=1e-3)


def test_collision_is_felt_between_arm_and_world(arm: ArmModel, scene: mujoco.MjSpec) -> None:
    _, data = at_pose(scene, arm.home, opening_m=arm.gripper.max_opening_m)
    tool = data.site("left_tcp")
    world_from_tool = Rotation.from_matrix(tool.xmat.reshape(3, 3))
    plane = (world_from_tool * Rotation.from_euler("x", np.pi)).as_quat(scalar_first=True)
    scene.worldbody.add_geom(name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], pos=tool.xpos, quat=plane)
    model, data = at_pose(scene, arm.home, opening_m=arm.gripper.max_opening_m)
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
    n, opening_m = len(arm.joints), arm.gripper.max_opening_m
    rest = np.array([*arm.home[:-1], arm.home[-1] + np.pi / 2])
    _, data = at_pose(scene, rest, opening_m)
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
    model, data = at_pose(scene, rest, opening_m)
    jacobian = np.empty((3, model.nv))
    mujoco.mj_jacSite(model, data, jacobian, None, data.site("left_tcp").id)
    upwards = np.sign(jacobian[2, model.joint(f"left_{arm.joint_names[1]}").dofadr[0]])
    data.ctrl[n] = 0
    mujoco.mj_step(model, data, nstep=STEPS_PER_S // 2)
    before_m, before = _object_in_tcp(data)
    start_height_m = data.body("object").xpos[2]
    swing_rad = 3.0 / 8.0**2 / float(np.hypot(tcp_m[0], tcp_m[1]))
    for step in range(5 * STEPS_PER_S // 2):
        time_s = step / STEPS_PER_S
        data.ctrl[1] = rest[1] + upwards * 0.3 * min(time_s / 0.5, 1)
        data.ctrl[0] = rest[0] + (swing_rad * np.sin(8.0 * (time_s - 0.5)) if time_s > 0.5 else 0.0)
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
    arm: ArmModel, scene: mujoco.MjSpec, kind: mujoco.mjtGeom, size_m: list[float], mass_kg: float
) -> None:
    held = grasp_and_carry(arm, scene, kind, size_m, mass_kg)
    assert held.rise_m > 0.03
    assert held.slip_m < 0.003
    assert held.turn_rad < np.deg2rad(3)
