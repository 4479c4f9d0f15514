"""Collisions of arms, loads and objects, measured against MuJoCo's verdict on the same shapes."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from imove_core.kinematics import link_poses, tool_pose
from imove_core.rig import Rig, load_rig
from imove_core.state import ObjectState
from imove_core.transforms import inverse, quaternion_from_rotation, transform
from imove_description.arm_model import load_arm_model
from imove_description.meshes import mesh_files
from imove_description.mjcf import arm_mjcf
from imove_motion.planning.chain import Chain
from imove_motion.planning.collision import CollisionChecker, checked_rows
from imove_motion.planning.contract_checks import block, question
from imove_motion.planning.world import TABLE, Attachment, PlanningWorld, body_name, contacts
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

from .worlds import standing

DRAWS = 250
GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "hull": mujoco.mjtGeom.mjGEOM_MESH,
}
NEARLY_M = 2e-4
"""Contacts shallower than this may go either way: the two libraries end their iterations elsewhere."""


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate(instances_per_category=1)


def compiled(rig: Rig, objects: list[tuple[Asset, ObjectState]]) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    (x0, x1), (y0, y1) = rig.table.x, rig.table.y
    spec.worldbody.add_geom(
        name=TABLE,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[(x1 - x0) / 2, (y1 - y0) / 2, 0.25],
        pos=[(x0 + x1) / 2, (y0 + y1) / 2, -0.25],
    )
    for arm in rig.arms:
        pose = arm.world_from_base.matrix
        frame = spec.worldbody.add_frame(pos=pose[:3, 3], quat=np.roll(quaternion_from_rotation(pose[:3, :3]), 1))
        child = mujoco.MjSpec.from_string(arm_mjcf(arm.arm_model), assets=mesh_files(arm.arm_model))
        spec.attach(child, prefix=f"{arm.name}/", frame=frame)
    for asset, state in objects:
        body = spec.worldbody.add_body(name=state.id, pos=state.position, quat=np.roll(state.quaternion_xyzw, 1))
        for index, part in enumerate(asset.collisions):
            geom = body.add_geom(type=GEOMS[part.shape], pos=part.object_from_part[:3, 3])
            geom.quat = np.roll(quaternion_from_rotation(part.object_from_part[:3, :3]), 1)
            if part.vertices is None:
                geom.size = [*part.size, *([0.0] * (3 - len(part.size)))]
            else:
                spec.add_mesh(name=f"{state.id}/{index}", uservert=part.vertices.ravel())
                geom.meshname = f"{state.id}/{index}"
    return spec.compile()


def depth_m(model: mujoco.MjModel, data: mujoco.MjData, arm: str) -> float:
    """Depth of the deepest contact of an arm, negative without one, m."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    found = [-1.0]
    for index in range(data.ncon):
        contact = data.contact[index]
        names = [model.body(model.geom_bodyid[geom]).name for geom in (contact.geom1, contact.geom2)]
        if any(name.startswith(f"{arm}/") for name in names):
            found.append(-float(contact.dist))
    return max(found)


@pytest.mark.parametrize("rig_name", ["piperx_dual", "franka_single"])
def test_verdicts_are_those_of_mujoco(rig_name: str, library: AssetLibrary) -> None:
    rig = load_rig(rig_name)
    arm = rig.arms[0]
    names = ("bowl", "apple", "stapler", "canned_coke")
    assets = [library.in_category(name)[0] for name in names]
    side = arm.world_from_base.matrix[1, 3]
    places = ((0.32, side), (0.40, side + 0.12), (0.28, side - 0.15), (0.42, side - 0.1))
    states = [standing(name, asset, *place) for name, asset, place in zip(names, assets, places, strict=True)]
    world = PlanningWorld(rig, rig.home_positions, tuple(states), dict(zip(names, assets, strict=True)))
    checker = CollisionChecker(arm, world)
    model = compiled(rig, list(zip(assets, states, strict=True)))
    data = mujoco.MjData(model)
    for each in rig.arms:
        for joint, value in zip(each.arm_model.joints, each.home, strict=True):
            data.joint(f"{each.name}/{joint.name}").qpos = value
        for finger in each.arm_model.gripper.fingers:
            data.joint(f"{each.name}/{finger.name}").qpos = each.home_opening_m / 2
    rng = np.random.default_rng(0)
    low, high = arm.limits[:-1].T
    hits = 0
    for joints in rng.uniform(low, high, (DRAWS, arm.size - 1)):
        for joint, value in zip(arm.arm_model.joints, joints, strict=True):
            data.joint(f"{arm.name}/{joint.name}").qpos = value
        depth = depth_m(model, data, arm.name)
        touch = checker.touch(joints[None])
        hits += depth > 0
        if abs(depth) > NEARLY_M:
            assert (touch is not None) == (depth > 0), f"{touch} touch; MuJoCo has a depth of {depth} m at {joints}"
    assert 0.05 * DRAWS < hits < 0.95 * DRAWS


@pytest.mark.parametrize("name", ["piper_x", "panda", "vx300s"])
def test_poses_of_many_joint_vectors_are_those_of_each(name: str) -> None:
    model = load_arm_model(name)
    chain = Chain(model)
    low, high = model.joint_limits.T
    rows = np.random.default_rng(1).uniform(low, high, (5, len(low)))
    poses = chain.poses(rows, 0.03)
    for row, found in zip(rows, poses, strict=True):
        expected = link_poses(model, row)
        for link, pose in zip(chain.links, found, strict=True):
            if link in expected:
                np.testing.assert_allclose(pose, expected[link], atol=1e-12)


def test_a_row_and_both_bodies_of_a_contact_are_named() -> None:
    asked = question([block("wall", (0.05, 0.01, 0.09), (0.28, 0.30))])
    rows = checked_rows(np.stack([asked.start, asked.goals[0]]), 0.02)
    checker = CollisionChecker(asked.arm, asked.world)
    touch = checker.touch(rows)
    assert touch is not None and "wall" in touch.bodies
    assert checker.touch(rows[touch.row : touch.row + 1]) is not None
    assert checker.touch(rows[:1]) is None


def test_allowed_contacts_do_not_count() -> None:
    asked = question([block("wall", (0.05, 0.01, 0.09), (0.28, 0.30))])
    rows = checked_rows(np.stack([asked.start, asked.goals[0]]), 0.02)
    links = [body_name(asked.arm, link.name) for link in asked.arm.arm_model.links]
    allowed = asked.world.allowing(contacts(links, ["wall"]))
    assert CollisionChecker(asked.arm, allowed).is_free(rows)


def test_a_margin_widens_everything_but_the_arm_itself() -> None:
    asked = question([block("wall", (0.05, 0.01, 0.03), (0.28, 0.30))])
    rows = checked_rows(np.stack([asked.start, asked.goals[0]]), 0.02)
    assert CollisionChecker(asked.arm, asked.world).is_free(rows)
    touch = CollisionChecker(asked.arm, asked.world, 0.10).touch(rows)
    assert touch is not None and not all(body.startswith("left/") for body in touch.bodies)


def test_a_load_moves_with_the_hand_and_is_no_obstacle_where_it_was() -> None:
    arm = load_rig("piperx_dual").arms[0]
    start = question().start
    tool = arm.world_from_base.matrix @ tool_pose(arm.arm_model, start)
    asset, state = block("load", (0.04, 0.04, 0.02), (0.28, 0.18))
    asked = question([(asset, state)])
    lying = replace(state, position=tool[:3, 3])
    at_hand = asked.world.with_object(lying)
    assert not CollisionChecker(arm, at_hand).is_free(start[None])
    attached = at_hand.holding(Attachment(arm.name, "load", inverse(tool) @ lying.world_from_object))
    assert CollisionChecker(arm, attached).is_free(start[None])
    deep = at_hand.holding(Attachment(arm.name, "load", transform(translation=[0.0, 0.0, 0.10])))
    touch = CollisionChecker(arm, deep).touch(start[None])
    assert touch is not None and touch.bodies == ("load", TABLE)


def test_rows_between_waypoints_are_no_further_apart_than_a_step() -> None:
    waypoints = np.array([[0.0, 0.0], [0.1, -0.35], [0.1, -0.35], [0.2, 0.0]])
    rows = checked_rows(waypoints, 0.03)
    assert np.abs(np.diff(rows, axis=0)).max() <= 0.03 + 1e-12
    for waypoint in waypoints:
        assert np.abs(rows - waypoint).max(axis=1).min() < 1e-12
