"""URDF and MJCF place every link alike, and know the same limits."""

from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from imove_description.arm_model import ArmModel, load_arm_model
from imove_description.reading import DescriptionError
from imove_description.urdf import arm_urdf, rig_urdf


def urdf_poses(urdf: str, root_link: str, positions: dict[str, float]) -> dict[str, np.ndarray]:
    """Pose of every link in the root link by a walk over the tree, with mimic joints."""
    joints = ElementTree.fromstring(urdf).findall("joint")
    values = dict(positions)
    for joint in joints:
        if (mimic := joint.find("mimic")) is not None:
            values[joint.get("name")] = float(mimic.get("multiplier")) * values[mimic.get("joint")]
    poses = {root_link: np.eye(4)}
    pending = list(joints)
    while pending:
        ready = [joint for joint in pending if joint.find("parent").get("link") in poses]
        assert ready, "the joints do not form one tree"
        for joint in ready:
            poses[joint.find("child").get("link")] = poses[joint.find("parent").get("link")] @ _edge(joint, values)
            pending.remove(joint)
    return poses


def _vector(joint: ElementTree.Element, tag: str, attribute: str) -> np.ndarray:
    return np.array(joint.find(tag).get(attribute).split(), dtype=float)


def _edge(joint: ElementTree.Element, values: dict[str, float]) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = _vector(joint, "origin", "xyz")
    rpy = _vector(joint, "origin", "rpy")
    pose[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    motion = np.eye(4)
    if joint.get("type") != "fixed":
        axis = _vector(joint, "axis", "xyz")
        value = values[joint.get("name")]
        if joint.get("type") == "revolute":
            motion[:3, :3] = Rotation.from_rotvec(axis * value).as_matrix()
        else:
            motion[:3, 3] = axis * value
    return pose @ motion


def model_poses(model: ArmModel, positions: np.ndarray) -> dict[str, np.ndarray]:
    """Pose of every chain link and of the tool frame in the base, from the arm model alone."""
    pose = np.eye(4)
    poses = {model.base_link: pose}
    for i, joint in enumerate(model.joints):
        motion = np.eye(4)
        motion[:3, :3] = Rotation.from_rotvec(model.joint_axes[i] * positions[i]).as_matrix()
        pose = pose @ model.parent_from_joint[i] @ motion
        poses[joint.child] = pose
    poses["tcp"] = pose @ model.flange_from_tcp
    return poses


def test_urdf_mjcf_and_model_agree(arm: ArmModel, arm_spec: mujoco.MjSpec) -> None:
    n = len(arm.joints)
    mj_model = arm_spec.compile()
    data = mujoco.MjData(mj_model)
    urdf = arm_urdf(arm)
    rng = np.random.default_rng(0)
    lower, upper = arm.joint_limits.T
    for _ in range(50):
        positions = rng.uniform(lower, upper)
        opening_m = rng.uniform(0, arm.gripper.max_opening_m)
        data.qpos[:n] = positions
        data.qpos[n:] = arm.gripper.finger_positions(opening_m)
        mujoco.mj_kinematics(mj_model, data)
        named = dict(zip(arm.joint_names, positions, strict=True)) | {"gripper": opening_m}
        expected = urdf_poses(urdf, arm.base_link, named)
        for link in arm.links:
            body = data.body(link.name)
            np.testing.assert_allclose(body.xpos, expected[link.name][:3, 3], atol=1e-6)
            np.testing.assert_allclose(body.xmat.reshape(3, 3), expected[link.name][:3, :3], atol=1e-6)
        site = data.site("tcp")
        np.testing.assert_allclose(site.xpos, expected["tcp"][:3, 3], atol=1e-6)
        np.testing.assert_allclose(site.xmat.reshape(3, 3), expected["tcp"][:3, :3], atol=1e-6)
        for name, pose in model_poses(arm, positions).items():
            np.testing.assert_allclose(pose, expected[name], atol=1e-6)


def test_chain_agrees_with_the_vendor_sdk(piper_x: ArmModel) -> None:
    """The SDK (pyAgxArm) states the chain in modified DH form, its flange 0.26 mm further out."""
    d_a_alpha_theta = [
        (0.123, 0, 0, np.pi),
        (0, 0, np.pi / 2, 0.135787),
        (0, 0.28503, 0, 2.838080),
        (0, 0.27364, 0, 0.080634),
        (0, 0.07466, -np.pi / 2, np.pi / 2),
        (0.03526, 0, np.pi / 2, 0),
    ]
    rng = np.random.default_rng(1)
    for _ in range(10):
        positions = rng.uniform(*piper_x.joint_limits.T)
        poses = model_poses(piper_x, positions)
        pose = np.eye(4)
        for link, position, (d, a, alpha, theta) in zip(
            [joint.child for joint in piper_x.joints], positions, d_a_alpha_theta, strict=True
        ):
            step = np.eye(4)
            step[:3, :3] = Rotation.from_euler("XZ", [alpha, theta + position]).as_matrix()
            step[:3, 3] = [a, -d * np.sin(alpha), d * np.cos(alpha)]
            pose = pose @ step
            np.testing.assert_allclose(poses[link][:3, :3], pose[:3, :3], atol=5e-6)
            np.testing.assert_allclose(poses[link][:3, 3], pose[:3, 3], atol=3e-4 if link == "link6" else 1e-5)


def test_piper_agrees_with_the_vendor_sdk() -> None:
    """The SDK (piper_sdk) states the chain of a PiPER in modified DH form: a, d, alpha, offset of theta in degrees."""
    a_d_alpha_offset = [
        (0, 0.123, 0, 0), (0, 0, -np.pi / 2, -172.22), (0.28503, 0, 0, -102.78), (-0.02198, 0.25075, np.pi / 2, 0),
        (0, 0, -np.pi / 2, 0), (0, 0.091, np.pi / 2, 0),
    ]  # fmt: skip
    model = load_arm_model("piper")
    positions = np.random.default_rng(1).uniform(*model.joint_limits.T)
    pose = np.eye(4)
    for position, (a, d, alpha, offset_deg) in zip(positions, a_d_alpha_offset, strict=True):
        step = np.eye(4)
        step[:3, :3] = Rotation.from_euler("XZ", [alpha, np.deg2rad(offset_deg) + position]).as_matrix()
        step[:3, 3] = [a, -d * np.sin(alpha), d * np.cos(alpha)]
        pose = pose @ step
    np.testing.assert_allclose(model_poses(model, positions)["link6"], pose, atol=1e-4)


@pytest.mark.parametrize("name", ["panda", "fr3"])
def test_chain_agrees_with_the_vendors_table(name: str) -> None:
    """Franka publishes the chain in modified DH form: a, d, alpha of joints 1 to 7 and of the flange."""
    a_d_alpha = [
        (0, 0.333, 0), (0, 0, -np.pi / 2), (0, 0.316, np.pi / 2), (0.0825, 0, np.pi / 2), (-0.0825, 0.384, -np.pi / 2),
        (0, 0, np.pi / 2), (0.088, 0, np.pi / 2),
    ]  # fmt: skip
    model = load_arm_model(name)
    positions = np.random.default_rng(1).uniform(*model.joint_limits.T)
    poses = model_poses(model, positions)
    pose = np.eye(4)
    for joint, position, (a, d, alpha) in zip(model.joints, positions, a_d_alpha, strict=True):
        step = np.eye(4)
        step[:3, :3] = Rotation.from_euler("XZ", [alpha, position]).as_matrix()
        step[:3, 3] = [a, -d * np.sin(alpha), d * np.cos(alpha)]
        pose = pose @ step
        np.testing.assert_allclose(poses[joint.child], pose, atol=1e-12)
    flange_from_hand = model.flange_from_gripper
    np.testing.assert_allclose(flange_from_hand[:3, 3], [0, 0, 0.107], atol=1e-12)
    np.testing.assert_allclose(Rotation.from_matrix(flange_from_hand[:3, :3]).as_rotvec(), [0, 0, -np.pi / 4])


def test_limits_are_the_same_everywhere(arm: ArmModel, arm_spec: mujoco.MjSpec) -> None:
    mj_model = arm_spec.compile()
    joints = {joint.get("name"): joint for joint in ElementTree.fromstring(arm_urdf(arm)).findall("joint")}
    for joint in (*arm.joints, *arm.gripper.fingers):
        limit = joints[joint.name].find("limit")
        from_urdf = [float(limit.get(key)) for key in ("lower", "upper", "velocity", "effort")]
        assert from_urdf == pytest.approx([joint.lower, joint.upper, joint.velocity, joint.effort])
        assert mj_model.joint(joint.name).range == pytest.approx([joint.lower, joint.upper])
    for joint in arm.joints:
        assert mj_model.actuator(joint.name).ctrlrange == pytest.approx([joint.lower, joint.upper])
        assert mj_model.actuator(joint.name).forcerange == pytest.approx([-joint.effort, joint.effort])
    ends_m = [arm.gripper.min_opening_m, arm.gripper.max_opening_m]
    opening = joints["gripper"].find("limit")
    assert [float(opening.get("lower")), float(opening.get("upper"))] == ends_m
    assert mj_model.actuator("gripper").ctrlrange == pytest.approx(ends_m)


def test_rig_places_prefixed_arms(piper_x: ArmModel) -> None:
    world_from_left, world_from_right = np.eye(4), np.eye(4)
    world_from_left[:3, 3] = [0.1, 0.3, 0.02]
    world_from_right[:3, :3] = Rotation.from_euler("z", -0.5).as_matrix()
    arms = [("left_", piper_x, world_from_left), ("right_", piper_x, world_from_right)]
    home = {
        f"{prefix}{name}": value
        for prefix, _, _ in arms
        for name, value in zip(piper_x.joint_names, piper_x.home, strict=True)
    }
    poses = urdf_poses(rig_urdf("pair", arms), "world", home | {"left_gripper": 0.07, "right_gripper": 0.02})
    base_from_tcp = model_poses(piper_x, piper_x.home)["tcp"]
    np.testing.assert_allclose(poses["left_tcp"], world_from_left @ base_from_tcp, atol=1e-6)
    np.testing.assert_allclose(poses["right_tcp"], world_from_right @ base_from_tcp, atol=1e-6)
    gap_m = np.linalg.norm(poses["right_finger1"][:3, 3] - poses["right_finger2"][:3, 3])
    assert gap_m == pytest.approx(0.02)


def test_rig_refuses_equal_prefixes(piper_x: ArmModel) -> None:
    with pytest.raises(DescriptionError, match=r"different prefixes, got \['a_', 'a_'\]"):
        rig_urdf("pair", [("a_", piper_x, np.eye(4)), ("a_", piper_x, np.eye(4))])


@pytest.mark.parametrize(
    ("name", "position_m"),
    [
        ("piper_x", (0.180, 0, 0.151)), ("piper", (0.220, 0, 0.080)), ("vx300s", (0.150, 0, 0.250)),
        ("panda", (0.307, 0, 0.488)), ("fr3", (0.307, 0, 0.488)),
    ],
)  # fmt: skip
def test_home_points_down_in_front_of_the_base(name: str, position_m: tuple[float, ...]) -> None:
    model = load_arm_model(name)
    base_from_tcp = model_poses(model, model.home)["tcp"]
    np.testing.assert_allclose(base_from_tcp[:3, 2], [0, 0, -1], atol=1e-5)
    np.testing.assert_allclose(base_from_tcp[:3, 3], position_m, atol=1e-3)
