"""A task family as a gymnasium environment: the simulator, the control steps and the stage events of an evaluation."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import WORLD_FRAME, Camera, Rig, load_rig
from imove_core.spec import CONDITIONS
from imove_core.state import StepState
from imove_core.trajectory import JointCommand, make_command
from imove_gym.choosing import choose
from imove_gym.running import RunningEpisode
from imove_gym.spaces import action_space, joint_limits, observation_space
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.stages import StageEvent
from imove_tasks.suites import Suite, default_suite, open_suite

Observation = dict[str, Any]


class ImoveEnv(gymnasium.Env[Observation, NDArray[Any]]):
    """Episodes of one suite; one step is one control step.

    The reward of a step is the progress of the strict stages in it: stages reached by now less stages reached before,
    as a share of all stages of the episode. Over an episode rewards sum up to S_pick or S_pnp. Under a condition
    without a target any object counts, as in an evaluation.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}

    def __init__(
        self,
        task: str,
        rig: str = "",
        suite: str = "",
        condition: str = "normal",
        *,
        cameras: Sequence[str] | None = None,
        image_size: tuple[int, int] = (224, 224),
        normalized_actions: bool = False,
        stop_on_success: bool = False,
        sim: str = "mujoco",
        assets: Sequence[str | Path] = (),
        render_mode: str | None = None,
    ) -> None:
        """Opens suite and rig; the simulator is made at the first reset.

        Args:
            task: Name of the family.
            rig: Shipped rig or a .yaml file; "" for the one that the suite is for.
            suite: Shipped suite or a .jsonl file; "" for the one that the task is evaluated on with the rig.
            condition: What the policy is told, where `reset` is not asked for another condition.
            cameras: Names of the cameras in the observation; None for all of the rig, which are rendered at every step.
            image_size: Width and height of every image, pixels.
            normalized_actions: Whether actions are from -1 to 1 over the joint limits, instead of rad and m.
            stop_on_success: Whether an episode terminates when all its stages are reached; else it runs to its horizon.
            sim: Name of the simulator.
            assets: Corpus folders with objects beside the shipped ones.
            render_mode: `rgb_array` or None.

        Raises:
            ImoveError: One of these does not exist, or they do not go together.
        """
        self._suite = open_suite(suite or default_suite(task, load_rig(rig).name if rig else ""))
        families = sorted({spec.family for spec in self._suite.specs})
        if families != [task]:
            raise ImoveError(
                f"suite {self._suite.name} is of the task {', '.join(families)}; task {task} was asked for"
            )
        if condition not in CONDITIONS:
            raise unknown_name("condition", condition, CONDITIONS)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise unknown_name("render mode", render_mode, self.metadata["render_modes"])
        self._rig = self._suite.open_rig(rig)
        names = [camera.name for camera in self._rig.cameras] if cameras is None else cameras
        self._cameras = tuple(self._rig.camera(name).name for name in names)
        self._condition = condition
        self._image_size = (int(image_size[0]), int(image_size[1]))
        self._normalized_actions, self._stop_on_success = normalized_actions, stop_on_success
        self._sim, self._assets = sim, tuple(Path(folder) for folder in assets)
        self._backend: SimBackend | None = None
        self._episode: RunningEpisode | None = None
        self.render_mode = render_mode
        self.action_space = action_space(self._rig, normalized=normalized_actions)
        self.observation_space = observation_space(self._rig, self._cameras, self._image_size, self._suite.specs)

    @property
    def rig(self) -> Rig:
        """The embodiment."""
        return self._rig

    @property
    def suite(self) -> Suite:
        """The scenes."""
        return self._suite

    @property
    def state(self) -> StepState:
        """The true state of robot and objects, no part of the observation; raises ImoveError before the first reset."""
        if self._episode is None:
            raise ImoveError("no episode has begun in the environment; reset it first")
        return self._episode.state

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: Of the draws of scenes from here on; nothing else is drawn.
            options: `episode` (number in the suite from 0, or id) and `condition`; see `choosing.choose`.

        Returns:
            The first observation, and information on the episode.

        Raises:
            ImoveError: There is no such episode, or the simulator cannot be made.
        """
        super().reset(seed=seed)
        choice = choose(self._suite, self._condition, options or {}, self.np_random)
        if self._backend is None:
            library = open_library(self._assets)
            self._backend = create_backend(self._sim, self._rig, library.get, self._image_size)
        self._backend.load(choice.spec)
        self._episode = RunningEpisode(self._rig, choice, self._backend.reset())
        return self._observe(), self._info(self._episode.first_events)

    def step(self, action: NDArray[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Sends targets for all joints, and lets one control step pass.

        Args:
            action: (D,) in rig order. What lies outside of the limits is clipped to them, and targets move no faster
                than the velocity limits, as with every command.

        Returns:
            Observation, reward, whether the episode terminated by success, whether its horizon is reached, information.

        Raises:
            ImoveError: The action is no command of the rig, or no episode is running.
        """
        backend, episode = self._backend, self._running()
        assert backend is not None
        before = episode.progress
        (state,) = backend.advance(self._commands(action, episode.state.stamp_ns), 1)
        events = episode.take(state)
        terminated = self._stop_on_success and episode.progress == 1.0
        truncated = not terminated and episode.at_horizon
        info = self._info(events)
        if terminated or truncated:
            info["score"] = episode.score.to_record()
            episode.over = True
        return self._observe(), episode.progress - before, terminated, truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """The image of the first camera that stands still, (height, width, 3) RGB; None without a render mode."""
        if self.render_mode is None:
            return None
        name = fixed_camera(self._rig).name
        assert self._backend is not None
        return self._backend.observe([name])[name].rgb

    def close(self) -> None:
        """Frees the simulator; a reset makes another one."""
        if self._backend is not None:
            self._backend.close()
        self._backend = self._episode = None

    def _running(self) -> RunningEpisode:
        if self._episode is None or self._episode.over:
            raise ImoveError("no episode is running in the environment; reset it first")
        return self._episode

    def _commands(self, action: NDArray[Any], stamp_ns: int) -> dict[str, JointCommand]:
        values = np.asarray(action, dtype=np.float64)
        if values.shape != (self._rig.size,):
            raise ImoveError(f"action has the shape {values.shape}; rig {self._rig.name} takes ({self._rig.size},)")
        if self._normalized_actions:
            low, high = joint_limits(self._rig).T
            values = low + (values + 1) / 2 * (high - low)
        period_ns = round(1e9 / self._rig.control_rate_hz)
        positions = self._rig.split(values)
        return {
            arm.name: make_command(arm, arm.joint_names, stamp_ns, [period_ns], [positions[arm.name].tolist()])
            for arm in self._rig.arms
        }

    def _observe(self) -> Observation:
        assert self._backend is not None and self._episode is not None
        seen: Observation = {
            "state": self._episode.state.robot.positions.astype(np.float32),
            "instruction": self._episode.choice.instruction.text,
        }
        if self._cameras:
            frames = self._backend.observe(self._cameras)
            seen["images"] = {name: frame.rgb for name, frame in frames.items()}
        return seen

    def _info(self, events: Sequence[StageEvent]) -> dict[str, Any]:
        assert self._episode is not None
        choice, instruction = self._episode.choice, self._episode.choice.instruction
        return {
            "spec_id": choice.spec.id,
            "condition": choice.condition,
            "prompt": instruction.text,
            "target": instruction.target,
            "destination": instruction.destination,
            "step": self._episode.state.step,
            "stage_events": tuple(asdict(event) for event in events),
        }


def fixed_camera(rig: Rig) -> Camera:
    """The first camera of a rig that stands still; its first camera where all of them move."""
    return next((camera for camera in rig.cameras if camera.parent == WORLD_FRAME), rig.cameras[0])
