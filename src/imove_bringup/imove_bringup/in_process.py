"""Runs episodes without a ROS graph: simulator, policy and scorer in one process."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from imove_analysis.records import COMPLETED, POLICY_FAILED, Execution, episode_id
from imove_bringup.backend_world import BackendWorld
from imove_core.errors import ImoveError
from imove_core.policy import EpisodeStart, PolicyError
from imove_core.rig import load_rig
from imove_core.state import StepState, pose_hash
from imove_core.step_trace import trace_bytes
from imove_eval.runner import Job
from imove_eval.settings import RunSettings
from imove_motion.safety.guard import SafetyGuard
from imove_motion.safety.settings import DEFAULT, load_safety
from imove_policy_node.asking import LockstepAsker
from imove_policy_node.registry import PolicyContext, create_policy
from imove_policy_node.rollout import run_episode
from imove_policy_node.scheduling.latency import parse_latency
from imove_policy_node.scheduling.registry import create_scheduler
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.stages import StageMachine


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker needs to be made, small enough to be sent to another process."""

    rig: str
    sim: str
    policy: str
    scheduler: str
    image_size: tuple[int, int]
    assets: tuple[Path, ...] = ()
    policy_url: str = ""
    policy_config: str = ""
    execute_steps: int = 0
    latency: str = "0"
    safety: str = DEFAULT
    traces: bool = True

    @classmethod
    def of(
        cls,
        settings: RunSettings,
        rig_name_or_path: str,
        assets: Sequence[Path] = (),
        policy_url: str = "",
        traces: bool = True,
    ) -> "WorkerSettings":
        """The part of a run's settings that a worker needs, and whether it keeps the control steps of episodes."""
        return cls(
            rig=rig_name_or_path,
            sim=settings.sim,
            policy=settings.policy,
            scheduler=settings.scheduler,
            image_size=settings.image_size,
            assets=tuple(assets),
            policy_url=policy_url,
            policy_config=settings.policy_config,
            execute_steps=settings.execute_steps,
            latency=settings.latency,
            safety=settings.safety,
            traces=traces,
        )


class Worker:
    """One simulator and one policy, for one episode after another."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Makes simulator and policy; raises ImoveError when one of them cannot be."""
        self._rig = load_rig(settings.rig)
        library = open_library(settings.assets)
        self._backend = create_backend(settings.sim, self._rig, library.get, settings.image_size)
        self._name = settings.policy
        self._context = PolicyContext(
            self._rig, library, settings.policy_url, settings.policy_config, settings.image_size
        )
        self._policy = create_policy(self._name, self._context)
        self._scheduler = create_scheduler(settings.scheduler, settings.execute_steps)
        self._latency = parse_latency(settings.latency)
        self._guard = SafetyGuard(self._rig, load_safety(settings.safety, self._rig))
        self._traces = settings.traces

    def run(self, job: Job) -> Execution:
        """Runs one episode to its end."""
        began = time.monotonic()
        spec, key = job.spec, episode_id(job.spec, job.condition)
        instruction = spec.instruction(job.condition).text
        machine = StageMachine(self._rig, spec, job.condition)
        states: list[StepState] = []

        def take(state: StepState) -> None:
            states.append(state)
            machine.update(state)

        sees_spec = self._policy.needs.spec
        start = EpisodeStart(
            episode_id=key,
            rig=self._rig,
            instruction=instruction,
            seed=job.seed,
            condition=job.condition if sees_spec else "",
            spec=spec if sees_spec else None,
        )
        try:
            self._backend.load(spec)
            world = BackendWorld(self._rig, self._backend, key, instruction, take)
            rollout = run_episode(
                world,
                self._policy,
                self._scheduler,
                start,
                spec.horizon_steps,
                guard=self._guard,
                asker=LockstepAsker(self._policy, self._latency),
            )
        except PolicyError as error:
            return Execution(POLICY_FAILED, machine.score(), message=str(error), next_may_work=True)
        except ImoveError as error:
            return Execution(f"aborted: {error}", None, message=str(error))
        loop = rollout.summary()
        return Execution(
            COMPLETED,
            machine.score(),
            policy_id=self._policy.policy_id,
            prompt=rollout.prompt,
            inferences=len(rollout.inferences),
            settled_pose_hash=pose_hash(states[0].objects),
            simulator=self._backend.provenance(),
            loop=loop.to_record(),
            safety=loop.safety_record(),
            trace=trace_bytes(states) if self._traces else None,
            wall={"duration_s": time.monotonic() - began, **loop.wall_record()},
        )

    def use_server(self, url: str) -> None:
        """Asks the policy server at another address from now on."""
        self._policy.close()
        self._context = replace(self._context, url=url)
        self._policy = create_policy(self._name, self._context)

    def close(self) -> None:
        """Closes simulator and policy."""
        self._policy.close()
        self._backend.close()
