"""A compiled scene, and where the things of an episode are in it."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from imove_core.rig import Camera, Rig
from imove_core.transforms import Array
from imove_sim_bridge.contacts import TABLE, Owners
from imove_sim_bridge.rendering import View
from imove_tasks.assets.model import Asset


@dataclass(frozen=True)
class Scene:
    """A compiled model and where things are in it; K objects, D rig joints.

    Attributes:
        model: Compiled model.
        rig: The rig of the episode: its arms start at its home, its cameras stand where it says.
        object_qpos: (K, 7) addresses of position and quaternion, here in the order x, y, z, w.
        object_qvel: (K, 6) addresses of linear and angular velocity.
        object_bodies: (K,) body ids.
        joint_qpos: (D,) addresses of arm joints; for a gripper the first finger.
        joint_qvel: (D,) the same in velocities.
        opening_scale: (D,) 2 for grippers, whose opening is twice a finger's travel, else 1.
        finger_qpos: Addresses of both fingers of each arm.
        actuators: (D,) actuator ids in rig order.
        cameras: By rig camera name.
        owners: Who owns each geom.
        assets: Asset of each object.
    """

    model: mujoco.MjModel
    rig: Rig
    object_qpos: Array
    object_qvel: Array
    object_bodies: Array
    joint_qpos: Array
    joint_qvel: Array
    opening_scale: Array
    finger_qpos: tuple[tuple[int, int], ...]
    actuators: Array
    cameras: dict[str, View]
    owners: Owners
    assets: tuple[Asset, ...]


def index_scene(model: mujoco.MjModel, rig: Rig, object_ids: tuple[str, ...], assets: tuple[Asset, ...]) -> Scene:
    """Finds the joints, cameras and objects of an episode in its model.

    Args:
        model: Compiled from a scene of `rig`.
        rig: The rig of the episode.
        object_ids: Names of the objects' bodies, in the order of the spec.
        assets: Their assets.
    """
    qpos = [int(model.joint(name).qposadr[0]) for name in object_ids]
    qvel = [int(model.joint(name).dofadr[0]) for name in object_ids]
    joint_qpos, joint_qvel, scale, actuators, fingers = [], [], [], [], []
    for arm in rig.arms:
        finger_names = [joint.name for joint in arm.arm_model.gripper.fingers]
        for name in (*arm.arm_model.joint_names, finger_names[0]):
            joint = model.joint(f"{arm.name}/{name}")
            joint_qpos.append(int(joint.qposadr[0]))
            joint_qvel.append(int(joint.dofadr[0]))
            scale.append(2.0 if name == finger_names[0] else 1.0)
        first, second = (int(model.joint(f"{arm.name}/{name}").qposadr[0]) for name in finger_names)
        fingers.append((first, second))
        actuators += [model.actuator(f"{arm.name}/{n}").id for n in (*arm.arm_model.joint_names, "gripper")]
    return Scene(
        model=model,
        rig=rig,
        object_qpos=np.add.outer(qpos, [0, 1, 2, 4, 5, 6, 3]),
        object_qvel=np.add.outer(qvel, np.arange(6)),
        object_bodies=np.array([model.body(name).id for name in object_ids]),
        joint_qpos=np.array(joint_qpos),
        joint_qvel=np.array(joint_qvel),
        opening_scale=np.array(scale),
        finger_qpos=tuple(fingers),
        actuators=np.array(actuators),
        cameras={camera.name: _view(model, camera) for camera in rig.cameras},
        owners=_owners(model, rig, object_ids),
        assets=assets,
    )


def _view(model: mujoco.MjModel, camera: Camera) -> View:
    size = model.vis.global_.offwidth, model.vis.global_.offheight
    return View(model.camera(camera.name).id, camera.intrinsics.resized(*size), camera.depth_range_m)


def _owners(model: mujoco.MjModel, rig: Rig, object_ids: tuple[str, ...]) -> Owners:
    objects = {name: index for index, name in enumerate(object_ids)}
    arms: dict[str, int] = {}
    fingers: dict[str, int] = {}
    for index, arm in enumerate(rig.arms):
        gripper = arm.arm_model.gripper
        arms[f"{arm.name}/{gripper.base_link}"] = index
        for number, joint in enumerate(gripper.fingers):
            arms[f"{arm.name}/{joint.child}"] = index
            fingers[f"{arm.name}/{joint.child}"] = number
    body_of_geom = [model.body(int(body)).name for body in model.geom_bodyid]
    carriers = [body if body in objects else "" for body in body_of_geom]
    carriers[model.geom(TABLE).id] = TABLE
    return Owners(
        object_of_geom=tuple(objects.get(body, -1) for body in body_of_geom),
        arm_of_geom=tuple(arms.get(body, -1) for body in body_of_geom),
        finger_of_geom=tuple(fingers.get(body, -1) for body in body_of_geom),
        carrier_of_geom=tuple(carriers),
        tool_sites=tuple(model.site(f"{arm.name}/tcp").id for arm in rig.arms),
        arm_names=tuple(arm.name for arm in rig.arms),
        object_ids=object_ids,
    )
