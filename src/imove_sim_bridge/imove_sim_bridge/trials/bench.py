"""Small MuJoCo models for trials: a table, one object, and perhaps a hand on a rail."""

from __future__ import annotations

import mujoco
import numpy as np

from imove_core.transforms import Array, apply, inverse
from imove_description.arm_model import ArmModel
from imove_description.meshes import mesh_files
from imove_description.mjcf import VISUAL_GROUP, arm_mjcf
from imove_sim_bridge.contacts import TABLE
from imove_sim_bridge.object_bodies import add_contact_parts, quaternion_wxyz
from imove_sim_bridge.physics import TABLE_FRICTION, TABLE_THICKNESS_M, set_options
from imove_tasks.assets.model import Asset

OBJECT, RAIL = "object", "rail"
_RAIL_ARMATURE_KG = 1000.0  # so heavy that no contact changes the speed that the rail is given
_TABLE_HALF_M = 0.5


def table_with(asset: Asset, control_rate_hz: int) -> mujoco.MjSpec:
    """A table with its top at z = 0, and the asset's contact parts as a free body named `object`."""
    spec = mujoco.MjSpec()
    set_options(spec, control_rate_hz)
    spec.worldbody.add_geom(
        name=TABLE,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[_TABLE_HALF_M, _TABLE_HALF_M, TABLE_THICKNESS_M / 2],
        pos=[0.0, 0.0, -TABLE_THICKNESS_M / 2],
        friction=TABLE_FRICTION,
        condim=4,
    )
    body = spec.worldbody.add_body(name=OBJECT)
    body.add_freejoint(name=OBJECT)
    add_contact_parts(spec, body, OBJECT, asset)
    return spec


def hand_spec(model: ArmModel) -> mujoco.MjSpec:
    """The gripper of an arm without its looks, in an otherwise empty model, to be attached."""
    spec = mujoco.MjSpec.from_string(arm_mjcf(model), assets=mesh_files(model))
    for geom in list(spec.geoms):
        if geom.group == VISUAL_GROUP:
            spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    return spec


class HandBench:
    """A gripper on a vertical rail above one object that rests on the table; one compiled model for all trials.

    The object's frame is the world's, but for the height at which it rests. The tool is put at a pose by moving the
    foot of the rail; the rail then carries it up at whatever speed it is given, as a stiff arm would.
    """

    def __init__(self, asset: Asset, model: ArmModel, hand: mujoco.MjSpec, control_rate_hz: int) -> None:
        """Compiles the model.

        Args:
            asset: What to grasp.
            model: The arm whose gripper it is.
            hand: From `hand_spec` of that arm; it is copied.
            control_rate_hz: Of the rig, for the physics step.
        """
        gripper = model.gripper
        spec = table_with(asset, control_rate_hz)
        rail = spec.worldbody.add_body(name=RAIL)
        rail.add_joint(name=RAIL, type=mujoco.mjtJoint.mjJNT_SLIDE, armature=_RAIL_ARMATURE_KG)
        tool_from_gripper = inverse(model.flange_from_tcp) @ model.flange_from_gripper
        base = rail.add_frame().attach_body(hand.copy().body(gripper.base_link), "hand/", "")
        base.pos, base.quat = tool_from_gripper[:3, 3], quaternion_wxyz(tool_from_gripper[:3, :3])
        self.model = spec.compile()
        # In a scene the pads' friction wins; here it is no better than what the asset claims of itself.
        pads = [self.model.geom(f"hand/{finger.child}_pad").id for finger in gripper.fingers]
        self.model.geom_friction[pads, 0] = np.minimum(self.model.geom_friction[pads, 0], asset.friction)
        self.data = mujoco.MjData(self.model)
        self.step_s = float(self.model.opt.timestep)
        self.lower_m = -float(asset.box_min[2])
        self._corners = np.array(np.meshgrid(*np.stack([asset.box_min, asset.box_max], 1))).reshape(3, -1).T
        self._rail_body = self.model.body(RAIL).id
        self._rail_qpos = int(self.model.joint(RAIL).qposadr[0])
        self._rail_qvel = int(self.model.joint(RAIL).dofadr[0])
        self._fingers = [int(self.model.joint(f"hand/{finger.name}").qposadr[0]) for finger in gripper.fingers]
        self._object_qpos = int(self.model.joint(OBJECT).qposadr[0])
        bodies = [self.model.body(int(body)).name for body in self.model.geom_bodyid]
        self._is_object = np.array([name == OBJECT for name in bodies])
        self._finger_of_geom = np.array(
            [next((i for i, f in enumerate(gripper.fingers) if name == f"hand/{f.child}"), -1) for name in bodies]
        )
        self._of_hand = np.array([name.startswith("hand/") for name in bodies])

    def place(self, world_from_tool: Array, opening_m: float) -> None:
        """Starts anew: the object at rest, the tool at (4, 4), the fingers still at an opening."""
        mujoco.mj_resetData(self.model, self.data)
        self.model.opt.gravity[:2] = 0.0
        self.model.body_pos[self._rail_body] = world_from_tool[:3, 3]
        self.model.body_quat[self._rail_body] = quaternion_wxyz(world_from_tool[:3, :3])
        self.model.jnt_axis[self.model.joint(RAIL).id] = world_from_tool[2, :3]
        start = self._object_qpos
        self.data.qpos[start : start + 7] = [0.0, 0.0, self.lower_m, 1.0, 0.0, 0.0, 0.0]
        self.data.qpos[self._fingers] = opening_m / 2.0
        self.data.ctrl[0] = opening_m

    def overlap_m(self, offset: Array) -> float:
        """How deep the hand, moved by (3,) m from where it was placed, is inside the object or the table."""
        place = self.model.body_pos[self._rail_body].copy()
        self.model.body_pos[self._rail_body] = place + offset
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_collision(self.model, self.data)
        self.model.body_pos[self._rail_body] = place
        contact = self.data.contact
        with_hand = self._of_hand[contact.geom].any(axis=1)
        return float(-contact.dist[with_hand].min(initial=0.0))

    def run(self, openings_m: Array, speeds_m_s: Array) -> None:
        """Steps along: (T,) commanded openings and (T,) speeds of the rail."""
        model, data, rail = self.model, self.data, self._rail_qvel
        for opening, speed in zip(openings_m.tolist(), speeds_m_s.tolist(), strict=True):
            data.ctrl[0] = opening
            data.qvel[rail] = speed
            mujoco.mj_step(model, data)

    def push(self, x_m_s2: float) -> None:
        """Accelerates the table and the hand sideways, seen from where they are at rest."""
        self.model.opt.gravity[0] = -x_m_s2

    @property
    def lifted_m(self) -> float:
        """Height of the hand above where it was placed."""
        return float(self.data.qpos[self._rail_qpos])

    def world_from_object(self) -> Array:
        """(4, 4) pose of the object in the present state."""
        pose = np.eye(4)
        position = self.data.qpos[self._object_qpos :]
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, position[3:7])
        pose[:3, :3], pose[:3, 3] = rotation.reshape(3, 3), position[:3]
        return pose

    def rise_m(self) -> float:
        """Height of the lowest corner of the object's box above the table."""
        return float(apply(self.world_from_object(), self._corners)[:, 2].min())

    def held(self) -> bool:
        """Whether both fingers touch the object."""
        geoms = self.data.contact.geom
        touching = geoms[self._is_object[geoms].any(axis=1)]
        return {0, 1} <= set(self._finger_of_geom[touching].ravel().tolist())
