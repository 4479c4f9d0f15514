"""The MuJoCo backend: same spec, same commands, same states, bit for bit, on one platform."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any

import mujoco
import numpy as np
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.trajectory import JointCommand, TrajectoryFollower
from imove_core.transforms import Array, rotation_from_quaternion
from imove_tasks.assets.model import Asset

from imove_sim_bridge.backend import CameraFrame
from imove_sim_bridge.contacts import object_contacts
from imove_sim_bridge.gl import check_gl
from imove_sim_bridge.rendering import Renderer
from imove_sim_bridge.scene import SUBSTEPS, Scene, compile_scene, compose_base

# Several conditions and policies run on one scene; a few compiled models cost little memory.
KEPT_MODELS = 4
MOVED_M = 0.01
# Episodes are apart on the clock, so that no stamp of one can be taken for another's.
EPISODE_GAP_NS = 1_000_000_000


class MujocoBackend:
    """Runs episodes of one rig."""

    def __init__(self, rig: Rig, find_asset: Callable[[str], Asset], image_size: tuple[int, int] = (640, 480)) -> None:
        """Prepares the rig; nothing is rendered before the first `observe`.

        Args:
            rig: The embodiment.
            find_asset: Returns the asset of a UUID; raises ImoveError when there is none.
            image_size: Width and height of every camera image in pixels.
        """
        self._rig = rig
        self._find_asset = find_asset
        self._image_size = image_size
        self._base = compose_base(rig, *image_size)
        self._scenes: OrderedDict[str, tuple[Scene, mujoco.MjData]] = OrderedDict()
        self._spec: EpisodeSpec | None = None
        self._scene: Scene | None = None
        self._data: mujoco.MjData | None = None
        self._renderer: Renderer | None = None
        self._rendered: Scene | None = None
        self._followers: dict[str, TrajectoryFollower] = {}
        self._start_ns = 0
        self._step = 0
        self._targets = rig.home_positions
        self._first_positions = np.zeros((0, 3))

    def load(self, spec: EpisodeSpec) -> None:
        """Compiles the scene of `spec` unless it is among the last ones used; see SimBackend."""
        if spec.rig != self._rig.name:
            raise ImoveError(f"episode {spec.id} is for rig '{spec.rig}'; the simulator runs '{self._rig.name}'")
        key = spec.content_hash
        if key not in self._scenes:
            assets = {item.asset: self._find_asset(item.asset) for item in spec.objects}
            scene = compile_scene(self._base, self._rig, spec, assets)
            self._scenes[key] = (scene, mujoco.MjData(scene.model))
            while len(self._scenes) > KEPT_MODELS:
                self._scenes.popitem(last=False)
        self._scenes.move_to_end(key)
        self._scene, self._data = self._scenes[key]
        self._spec = spec

    def reset(self) -> StepState:
        """Starts the loaded episode anew; see SimBackend."""
        scene, data, spec = self._loaded()
        mujoco.mj_resetData(scene.model, data)
        home = self._rig.home_positions
        data.qpos[scene.joint_qpos] = home / scene.opening_scale
        for first, second in scene.finger_qpos:
            data.qpos[second] = data.qpos[first]
        for row, item in zip(scene.object_qpos, spec.objects, strict=True):
            x, y, z, w = item.quaternion_xyzw
            data.qpos[row] = [*item.position, w, x, y, z]
        data.ctrl[scene.actuators] = home
        mujoco.mj_forward(scene.model, data)
        homes = self._rig.split(home)
        self._followers = {
            arm.name: TrajectoryFollower(arm.limits, homes[arm.name], arm.velocity_limits) for arm in self._rig.arms
        }
        self._targets = home
        elapsed_ns = self._stamp_ns(self._step) if self._step else self._start_ns
        self._start_ns = (elapsed_ns // EPISODE_GAP_NS + 1) * EPISODE_GAP_NS
        self._step = 0
        self._first_positions = data.qpos[scene.object_qpos[:, :3]].copy()
        return self._state()

    def advance(self, commands: Mapping[str, JointCommand], steps: int) -> list[StepState]:
        """Follows the commands for `steps` control steps; see SimBackend."""
        self._loaded()
        for name, command in commands.items():
            self._followers[self._rig.arm(name).name].command(command)
        return [self._control_step() for _ in range(steps)]

    def hold(self, arm_name: str) -> None:
        """Drops the commands of one arm; it holds the target in force."""
        arm = self._rig.arm(arm_name)
        self._followers[arm.name].hold(self._rig.split(self._targets)[arm.name])

    def _control_step(self) -> StepState:
        scene, data, _ = self._loaded()
        stamp_ns = self._stamp_ns(self._step + 1)
        period_s = 1.0 / self._rig.control_rate_hz
        targets = np.concatenate([self._followers[arm.name].advance(stamp_ns, period_s) for arm in self._rig.arms])
        change = (targets - self._targets) / SUBSTEPS
        for substep in range(1, SUBSTEPS + 1):
            data.ctrl[scene.actuators] = self._targets + change * substep
            mujoco.mj_step(scene.model, data)
        self._targets = targets
        self._step += 1
        return self._state()

    def joint_targets(self) -> Array:
        """Targets in force (D,); see SimBackend."""
        return self._targets.copy()

    @property
    def stamp_ns(self) -> int:
        """Time of the current state."""
        return self._stamp_ns(self._step)

    def _stamp_ns(self, step: int) -> int:
        return self._start_ns + round(step * 1_000_000_000 / self._rig.control_rate_hz)

    def _state(self) -> StepState:
        scene, data, _ = self._loaded()
        robot = RobotState(
            positions=data.qpos[scene.joint_qpos] * scene.opening_scale,
            velocities=data.qvel[scene.joint_qvel] * scene.opening_scale,
            efforts=data.actuator_force[scene.actuators],
        )
        contacts = object_contacts(data, scene.owners)
        poses, velocities = data.qpos[scene.object_qpos], data.qvel[scene.object_qvel]
        objects = []
        for index, (object_id, asset) in enumerate(zip(scene.owners.object_ids, scene.assets, strict=True)):
            quaternion_xyzw = np.roll(poses[index, 3:], -1)
            contact = contacts[index]
            moved = np.linalg.norm(poses[index, :3] - self._first_positions[index]) > MOVED_M
            objects.append(
                ObjectState(
                    id=object_id,
                    position=poses[index, :3],
                    quaternion_xyzw=quaternion_xyzw,
                    box_min=asset.box_min,
                    box_max=asset.box_max,
                    linear_velocity=velocities[index, :3],
                    # MuJoCo gives a free joint's rotation in the body's own frame.
                    angular_velocity=rotation_from_quaternion(quaternion_xyzw) @ velocities[index, 3:],
                    moved=bool(moved),
                    held_by=contact.held_by,
                    touched_by=tuple(sorted(contact.touched_by)),
                    supported_by=tuple(sorted(contact.supported_by)),
                )
            )
        return StepState(self.stamp_ns, self._step, robot, tuple(objects))

    def observe(self, cameras: Collection[str], depth: Collection[str] = ()) -> dict[str, CameraFrame]:
        """Renders the current state; see SimBackend."""
        scene, data, _ = self._loaded()
        if self._renderer is None:
            check_gl()
            self._renderer = Renderer(*self._image_size)
        if self._rendered is not scene:
            self._renderer.load(scene.model)
            self._rendered = scene
        chosen = {self._rig.camera(name): scene.cameras[name] for name in cameras}
        return self._renderer.render(data, chosen, frozenset(depth))

    def provenance(self) -> dict[str, Any]:
        """Engine and settings; see SimBackend."""
        return {
            "engine": f"mujoco {mujoco.__version__}",
            "timestep_s": self._base.option.timestep,
            "image_size": list(self._image_size),
        }

    def close(self) -> None:
        """Frees the renderer; see SimBackend."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
            self._rendered = None

    def _loaded(self) -> tuple[Scene, mujoco.MjData, EpisodeSpec]:
        if self._scene is None or self._data is None or self._spec is None:
            raise ImoveError("no episode is loaded in the simulator; reset an episode first")
        return self._scene, self._data, self._spec
