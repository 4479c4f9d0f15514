"""The MuJoCo backend: same spec, same commands, same states, bit for bit, on one platform."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any

import mujoco
import numpy as np

from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Arm, Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand, TrajectoryFollower
from imove_core.transforms import Array, quaternion_from_rotation
from imove_sim_bridge.backend import CameraFrame
from imove_sim_bridge.physics import SUBSTEPS
from imove_sim_bridge.reading import Reading, object_states, robot_state
from imove_sim_bridge.rendering import Renderer
from imove_sim_bridge.scene import compile_scene, compose_base, find_assets
from imove_sim_bridge.scene_index import Scene
from imove_sim_bridge.visibility import visible_shares
from imove_tasks.assets.model import Asset

# Several conditions and policies run on one scene; a few compiled models cost little memory.
KEPT_MODELS = 4
# Episodes begin at whole seconds, at least one second after the last one ended: no stamp of one can be taken for
# another's.
EPISODE_GAP_NS = 1_000_000_000
# What MuJoCo does about these (zero the controls, reset the state) must not pass for a simulation.
_BREAKDOWNS = tuple(getattr(mujoco.mjtWarning, f"mjWARN_BAD{kind}") for kind in ("QPOS", "QVEL", "QACC", "CTRL"))
_SUBSTEP_NUMBERS = np.arange(1, SUBSTEPS + 1)[:, None]


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
        self._renderer: Renderer | None = None
        self._begun = False
        self._shown = False
        self._followers: dict[str, TrajectoryFollower] = {}
        self._start_ns = 0
        self._step = 0
        self._targets = rig.home_positions
        self._first_positions = np.zeros((0, 3))
        self._warnings: list[Any] = []

    def load(self, spec: EpisodeSpec) -> None:
        """Compiles the scene of `spec` unless it is among the last ones used; see SimBackend."""
        if spec.rig != self._rig.name:
            raise ImoveError(f"episode {spec.id} is for rig '{spec.rig}'; the simulator runs '{self._rig.name}'")
        key = spec.content_hash
        if key not in self._scenes:
            scene = compile_scene(self._base, self._rig, spec, find_assets(spec, self._find_asset))
            self._scenes[key] = (scene, mujoco.MjData(scene.model))
            while len(self._scenes) > KEPT_MODELS:
                self._scenes.popitem(last=False)
        self._scenes.move_to_end(key)
        self._spec, self._begun = spec, False

    def reset(self) -> StepState:
        """Starts the loaded episode anew; see SimBackend."""
        if self._spec is None:
            raise ImoveError("no episode is loaded in the simulator; load one first")
        scene, data = self._scenes[self._spec.content_hash]
        mujoco.mj_resetData(scene.model, data)
        home = scene.rig.home_positions
        data.qpos[scene.joint_qpos] = home / scene.opening_scale
        for first, second in scene.finger_qpos:
            data.qpos[second] = data.qpos[first]
        for row, item in zip(scene.object_qpos, self._spec.objects, strict=True):
            data.qpos[row] = [*item.position, *item.quaternion_xyzw]
        data.ctrl[scene.actuators] = home
        mujoco.mj_forward(scene.model, data)
        homes = self._rig.split(home)
        self._followers = {arm.name: self._follower(arm, homes[arm.name]) for arm in self._rig.arms}
        self._targets = home
        self._start_ns = (-(-self.stamp_ns // EPISODE_GAP_NS) + 1) * EPISODE_GAP_NS
        self._step = 0
        self._first_positions = data.qpos[scene.object_qpos[:, :3]].copy()
        self._warnings = [data.warning[kind] for kind in _BREAKDOWNS]
        self._begun, self._shown = True, False
        return self._state(0, Reading.of(data, scene))

    def advance(self, commands: Mapping[str, JointCommand], steps: int) -> list[StepState]:
        """Follows the commands for `steps` control steps; see SimBackend."""
        self._running()
        if self._shown:
            raise ImoveError(
                "the simulator shows a recorded state, and does not go on from it; reset the episode first"
            )
        for name, command in commands.items():
            if command.stamp_ns < self._start_ns:
                raise ImoveError(
                    f"command for arm '{name}' is stamped {command.stamp_ns / 1e9:.3f} s; the episode began at "
                    f"{self._start_ns / 1e9:.3f} s"
                )
        followers = [self._followers[self._rig.arm(name).name] for name in commands]
        for follower, command in zip(followers, commands.values(), strict=True):
            follower.command(command)
        first = self._step + 1
        targets = [self._next_targets(step) for step in range(first, first + steps)]
        readings = [self._control_step(target) for target in targets]
        self._check_breakdown(first)
        return [self._state(step, reading) for step, reading in enumerate(readings, start=first)]

    def hold(self, arm_name: str) -> None:
        """Drops the commands of one arm; see SimBackend."""
        arm = self._rig.arm(arm_name)
        if self._begun:
            self._followers[arm.name].hold(self._rig.split(self._targets)[arm.name])

    def put(self, positions: Array | None = None, objects: Mapping[str, Array] | None = None) -> None:
        """Puts arms and objects somewhere else, at rest, as hands do on a real table; no time passes.

        Args:
            positions: Joint positions (D,) in rig order, which the arms hold from then on; None leaves the arms.
            objects: world_from_object (4, 4) by object id; the others stay.

        Raises:
            ImoveError: No episode is running, or the scene has no such object.
        """
        scene, data = self._running()
        if positions is not None:
            data.qpos[scene.joint_qpos] = positions / scene.opening_scale
            data.qvel[scene.joint_qvel] = 0.0
            for first, second in scene.finger_qpos:
                data.qpos[second] = data.qpos[first]
            self._targets = positions.copy()
            for name, held in self._rig.split(positions).items():
                self._followers[name] = self._follower(self._rig.arm(name), held)
        ids = scene.owners.object_ids
        for object_id, world_from_object in (objects or {}).items():
            if object_id not in ids:
                raise unknown_name("object of the scene", object_id, ids)
            index = ids.index(object_id)
            position, rotation = world_from_object[:3, 3], world_from_object[:3, :3]
            data.qpos[scene.object_qpos[index]] = [*position, *quaternion_from_rotation(rotation)]
            data.qvel[scene.object_qvel[index]] = 0.0
            self._first_positions[index] = position
        mujoco.mj_step1(scene.model, data)

    def show(self, state: StepState) -> None:
        """Shows a state; see SimBackend."""
        scene, data = self._running()
        ids = tuple(item.id for item in state.objects)
        if ids != scene.owners.object_ids or state.robot.positions.shape != scene.joint_qpos.shape:
            raise ImoveError(
                f"a state with {len(state.robot.positions)} joints and the objects {', '.join(ids)} cannot be shown; "
                f"the scene has {len(scene.joint_qpos)} and {', '.join(scene.owners.object_ids)}"
            )
        self._shown = True
        data.qpos[scene.joint_qpos] = state.robot.positions / scene.opening_scale
        for first, second in scene.finger_qpos:
            data.qpos[second] = data.qpos[first]
        for row, item in zip(scene.object_qpos, state.objects, strict=True):
            data.qpos[row] = [*item.position, *item.quaternion_xyzw]
        mujoco.mj_kinematics(scene.model, data)
        mujoco.mj_camlight(scene.model, data)

    @staticmethod
    def _follower(arm: Arm, positions: Array) -> TrajectoryFollower:
        return TrajectoryFollower(arm.limits, positions, arm.velocity_limits)

    def _next_targets(self, step: int) -> Array:
        stamp_ns, period_s = self._stamp_ns(step), 1.0 / self._rig.control_rate_hz
        return np.concatenate([self._followers[arm.name].advance(stamp_ns, period_s) for arm in self._rig.arms])

    def _control_step(self, targets: Array) -> Reading:
        scene, data = self._running()
        change = (targets - self._targets) / SUBSTEPS
        controls = np.empty((SUBSTEPS, len(targets)))
        controls[:, scene.actuators] = self._targets + change * _SUBSTEP_NUMBERS
        model, ctrl = scene.model, data.ctrl
        for control in controls:
            ctrl[:] = control
            # The halves of mj_step in reverse order: the same physics, but poses and contacts are those of the state
            # at the end of the step, not those of one physics step before.
            mujoco.mj_step2(model, data)
            mujoco.mj_step1(model, data)
        self._targets = targets
        self._step += 1
        return Reading.of(data, scene)

    def _check_breakdown(self, first_step: int) -> None:
        if any(warning.number for warning in self._warnings):
            self._begun = False
            raise ImoveError(
                f"the simulation broke down in control steps {first_step} to {self._step} (a position, velocity, "
                "acceleration or command is not finite or too large); reset the episode"
            )

    def joint_targets(self) -> Array:
        """Targets in force (D,); see SimBackend."""
        return self._targets.copy()

    @property
    def stamp_ns(self) -> int:
        """Time of the current state."""
        return self._stamp_ns(self._step)

    def _stamp_ns(self, step: int) -> int:
        return self._start_ns + round(step * 1_000_000_000 / self._rig.control_rate_hz)

    def _state(self, step: int, reading: Reading) -> StepState:
        scene, _ = self._running()
        objects = object_states(reading, scene, self._first_positions)
        return StepState(self._stamp_ns(step), step, robot_state(reading, scene), objects)

    def observe(self, cameras: Collection[str], depth: Collection[str] = ()) -> dict[str, CameraFrame]:
        """Renders the current state; see SimBackend."""
        scene, data = self._running()
        views = {name: scene.cameras[self._rig.camera(name).name] for name in cameras}
        for name in depth:
            if self._rig.camera(name).name not in views:
                raise ImoveError(
                    f"depth of camera '{name}' is asked for without its colour; asked for are {', '.join(cameras)}"
                )
        if self._renderer is None:
            self._renderer = Renderer(*self._image_size)
        self._renderer.load(scene.model)
        return self._renderer.render(data, views, depth)

    def visible_shares(self) -> dict[str, float]:
        """How much of each object a fixed camera sees; see SimBackend."""
        scene, data = self._running()
        return visible_shares(scene, data)

    def provenance(self) -> dict[str, Any]:
        """Engine and settings; see SimBackend."""
        return {
            "engine": f"mujoco {mujoco.__version__}",
            "timestep_s": self._base.option.timestep,
            "image_size": list(self._image_size),
            "renderer": self._renderer.driver if self._renderer else None,
        }

    def close(self) -> None:
        """Frees the renderer and all models; see SimBackend."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        self._scenes.clear()
        self._spec, self._begun = None, False

    def _running(self) -> tuple[Scene, mujoco.MjData]:
        if self._spec is None or not self._begun:
            loaded = "none" if self._spec is None else f"'{self._spec.id}'"
            raise ImoveError(f"no episode is running in the simulator (loaded is {loaded}); reset an episode first")
        return self._scenes[self._spec.content_hash]
