"""One episode of a policy in a world: ask, act, advance. The same loop with and without ROS."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from imove_core.policy import Chunk, EpisodeStart, Observation, Policy, PolicyNeeds
from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_policy_node.scheduling import Scheduler


@dataclass(frozen=True)
class ArmTargets:
    """A chunk split by arm, with the times at which its rows are due.

    Attributes:
        stamp_ns: Of the observation that was answered.
        offsets_ns: (H,) time of each row after the stamp.
        positions: By arm name, (H, size) float64.
    """

    stamp_ns: int
    offsets_ns: tuple[int, ...]
    positions: Mapping[str, Array]


class World(Protocol):
    """Where an episode takes place."""

    def observe(self, needs: PolicyNeeds, request_id: int) -> Observation:
        """The observation at the present step."""
        ...

    def advance(self, targets: ArmTargets, steps: int, needs: PolicyNeeds) -> int:
        """Sends targets and lets `steps` control steps pass; returns the steps since the first observation.

        `needs` says what the next `observe` will ask for.
        """
        ...


@dataclass(frozen=True)
class Inference:
    """One question to the policy and its answer.

    Attributes:
        step: Control step of the observation.
        request_id: Counts from 0.
        chunk: The answer.
        latency_s: Wall time.
        chunk_age_s: Age of the previous answer when this one replaced it.
    """

    step: int
    request_id: int
    chunk: Chunk
    latency_s: float
    chunk_age_s: float


@dataclass(frozen=True)
class Rollout:
    """What was asked and answered in one episode."""

    steps: int
    inferences: tuple[Inference, ...]

    @property
    def prompt(self) -> str:
        """The text that the policy echoed last."""
        return self.inferences[-1].chunk.prompt if self.inferences else ""


def split_targets(rig: Rig, chunk: Chunk) -> ArmTargets:
    """Turns a checked chunk into targets by arm.

    Raises:
        ImoveError: The chunk cannot be commands of `rig`.
    """
    chunk.check(rig)
    offsets = tuple(round((row + 1) * chunk.dt_s * 1e9) for row in range(len(chunk.positions)))
    return ArmTargets(chunk.observation_stamp_ns, offsets, rig.split(chunk.positions.astype(np.float64)))


def run_episode(
    world: World,
    policy: Policy,
    scheduler: Scheduler,
    episode: EpisodeStart,
    horizon_steps: int,
    on_inference: Callable[[Inference], None] = lambda inference: None,
    keep_going: Callable[[], bool] = lambda: True,
) -> Rollout:
    """Runs a policy until the horizon.

    Args:
        world: An episode that has just been set up.
        policy: Is reset here.
        scheduler: When to ask again.
        episode: What the policy is told.
        horizon_steps: Control steps to run.
        on_inference: Called after each answer.
        keep_going: Asked before each question; False ends the episode early.

    Raises:
        ImoveError: The policy or the world fails.
    """
    policy.reset(episode)
    inferences: list[Inference] = []
    step = 0
    while step < horizon_steps and keep_going():
        observation = world.observe(policy.needs, len(inferences))
        began = time.perf_counter()
        chunk = policy.infer(observation)
        latency_s = time.perf_counter() - began
        targets = split_targets(episode.rig, chunk)
        age_s = 0.0
        if inferences:
            age_s = (observation.stamp_ns - inferences[-1].chunk.observation_stamp_ns) / 1e9
        inference = Inference(step, len(inferences), chunk, latency_s, age_s)
        inferences.append(inference)
        on_inference(inference)
        steps = min(scheduler.steps_to_run(len(chunk.positions)), horizon_steps - step)
        step = world.advance(targets, steps, policy.needs)
    return Rollout(step, tuple(inferences))
