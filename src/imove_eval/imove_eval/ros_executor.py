"""Runs one episode through the graph: sets it up, asks the policy to run it, scores every control step."""

import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from imove_interfaces.action import RunEpisode
from imove_interfaces.msg import StageEvent as StageEventMsg
from imove_interfaces.srv import ResetEpisode
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future

from imove_core import contract
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_eval.records import (
    COMPLETED,
    POLICY_LOST,
    SIMULATOR_LOST,
    STATES_LOST,
    Execution,
    episode_id,
)
from imove_eval.runner import Job
from imove_ros.assembly import StateAssembler
from imove_ros.conversions import time_from_ns
from imove_ros.qos import ContractTopics
from imove_tasks.stages import StageEvent, StageMachine

START_TIMEOUT_S = 60.0
RESET_TIMEOUT_S = 60.0
RESET_TRIES = 5
FIRST_STATE_TIMEOUT_S = 2.0
STATES_TIMEOUT_S = 10.0
POLL_S = 0.2
LOST_AFTER_S = 2.0


class RosExecutor:
    """Drives scene provider and policy node from a thread that is not the executor's."""

    def __init__(self, node: Node, rig: Rig) -> None:
        """Creates clients and subscriptions on `node`, which must be spinning while `run` is called."""
        self._node, self._rig = node, rig
        topics = ContractTopics(node, rig)
        self._reset = node.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)
        self._run = ActionClient(node, RunEpisode, contract.RUN_EPISODE_ACTION)
        self._events = topics.publisher(StageEventMsg, contract.STAGE_EVENTS_TOPIC)
        self._arrived: queue.Queue[tuple[str, StepState]] = queue.Queue()
        self._assembler = StateAssembler(topics, rig, lambda key, state: self._arrived.put((key, state)))
        self._met: set[str] = set()

    def __call__(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Execution]]:
        """Runs jobs one after another."""
        for job in jobs:
            yield job, self.run(job)

    def run(self, job: Job) -> Execution:
        """Runs one episode to its end, whatever that is."""
        key = episode_id(job.spec, job.condition)
        for what, ready, lost in (
            ("simulator", self._reset.wait_for_service, SIMULATOR_LOST),
            ("policy", self._run.wait_for_server, POLICY_LOST),
        ):
            # What answered before has no excuse for being slow to start.
            if not ready(timeout_sec=POLL_S if what in self._met else START_TIMEOUT_S):
                return Execution(lost, None, message=f"the {what} node is not there; episode {key} was not started")
            self._met.add(what)
        began = time.monotonic()
        for _ in range(RESET_TRIES):
            self._drain()
            request = ResetEpisode.Request(episode_id=key, spec_json=job.spec.to_json(), condition=job.condition)
            reset = self._wait(self._reset.call_async(request), RESET_TIMEOUT_S, self._reset.service_is_ready)
            if reset is None:
                return Execution(SIMULATOR_LOST, None, message=f"the simulator node was lost before episode {key}")
            if not reset.ok:
                return Execution(f"aborted: {reset.message}", None, message=reset.message)
            scorer = _Scorer(self._rig, job, key, self._publish_event)
            scorer.take(self._arrived, FIRST_STATE_TIMEOUT_S)
            # The first state is missed while the simulator does not yet know this node's subscriptions.
            if scorer.last_step >= 0:
                break
        goal = RunEpisode.Goal(episode_id=key, horizon_steps=job.spec.horizon_steps, seed=job.seed)
        policy, simulator = _Presence(self._run.server_is_ready), _Presence(self._reset.service_is_ready)
        handle = self._wait(self._run.send_goal_async(goal), START_TIMEOUT_S, policy.there)
        if handle is None or not handle.accepted:
            return self._lost(scorer, POLICY_LOST, f"the policy node did not take episode {key}", reset)
        future = handle.get_result_async()
        while not future.done():
            scorer.take(self._arrived, POLL_S)
            if not policy.there():
                return self._lost(scorer, POLICY_LOST, f"the policy node was lost in episode {key}", reset)
            if not simulator.there():
                return self._lost(scorer, SIMULATOR_LOST, f"the simulator node was lost in episode {key}", reset)
        result = future.result().result
        if not result.ok:
            return self._lost(scorer, f"aborted: {result.message}", result.message, reset)
        deadline = time.monotonic() + STATES_TIMEOUT_S
        while scorer.last_step < job.spec.horizon_steps and time.monotonic() < deadline:
            scorer.take(self._arrived, POLL_S)
        if scorer.last_step < job.spec.horizon_steps or scorer.gap:
            message = f"control steps {scorer.gap or f'after {scorer.last_step}'} of episode {key} did not arrive"
            return self._lost(scorer, STATES_LOST, message, reset)
        return Execution(
            COMPLETED,
            scorer.machine.score(),
            policy_id=result.policy_id,
            prompt=result.prompt,
            inferences=result.inferences,
            settled_pose_hash=reset.settled_pose_hash,
            simulator=json.loads(reset.provenance_json or "{}"),
            wall={
                "duration_s": time.monotonic() - began,
                "latency_mean_s": result.latency_mean_s,
                "latency_max_s": result.latency_max_s,
            },
        )

    def _lost(self, scorer: "_Scorer", outcome: str, message: str, reset: ResetEpisode.Response) -> Execution:
        score = scorer.machine.score() if scorer.last_step >= 0 else None
        return Execution(outcome, score, settled_pose_hash=reset.settled_pose_hash, message=message)

    def _publish_event(self, key: str, stamp_ns: int, event: StageEvent) -> None:
        message = StageEventMsg(
            episode_id=key,
            rubric=event.rubric,
            stage=event.stage,
            object_id=event.object_id,
            is_target=event.is_target,
            elapsed_s=event.elapsed_s,
        )
        message.header.stamp = time_from_ns(stamp_ns)
        self._events.publish(message)

    def _wait(self, future: Future, timeout_s: float, alive: Callable[[], bool]) -> Any:
        """The result of a future, None when it does not come in time or the server goes away."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        deadline = time.monotonic() + timeout_s
        while not done.wait(POLL_S):
            if time.monotonic() > deadline or not alive():
                return None
        return future.result()

    def _drain(self) -> None:
        while not self._arrived.empty():
            self._arrived.get_nowait()


class _Presence:
    """Whether a server is there; one that is away for a moment is not yet lost."""

    def __init__(self, ready: Callable[[], bool]) -> None:
        self._ready = ready
        self._seen = time.monotonic()

    def there(self) -> bool:
        now = time.monotonic()
        if self._ready():
            self._seen = now
        return now - self._seen < LOST_AFTER_S


class _Scorer:
    """Feeds the stage machine with the control steps of one episode, in order, each once."""

    def __init__(self, rig: Rig, job: Job, key: str, on_event: Callable[[str, int, StageEvent], None]) -> None:
        self.machine = StageMachine(rig, job.spec, job.condition)
        self.last_step = -1
        self.gap = ""
        self._key = key
        self._horizon = job.spec.horizon_steps
        self._on_event = on_event

    def take(self, arrived: "queue.Queue[tuple[str, StepState]]", timeout_s: float) -> None:
        """Scores what has arrived; waits for the first piece at most `timeout_s`."""
        try:
            key, state = arrived.get(timeout=timeout_s)
            while True:
                self._score(key, state)
                key, state = arrived.get_nowait()
        except queue.Empty:
            return

    def _score(self, key: str, state: StepState) -> None:
        if key != self._key or not self.last_step < state.step <= self._horizon:
            return
        if state.step != self.last_step + 1 and not self.gap:
            self.gap = f"{self.last_step + 1} to {state.step - 1}"
        self.last_step = state.step
        for event in self.machine.update(state):
            self._on_event(key, state.stamp_ns, event)
