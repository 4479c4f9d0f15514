"""Runs one episode through the graph: sets it up, asks the policy to run it, scores every control step."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from imove_interfaces.action import RunEpisode
from imove_interfaces.msg import Phase
from imove_interfaces.msg import StageEvent as StageEventMsg
from imove_interfaces.srv import ResetEpisode
from rclpy.action import ActionClient
from rclpy.node import Node

from imove_analysis.records import (
    COMPLETED,
    POLICY_FAILED,
    POLICY_LOST,
    SIMULATOR_LOST,
    STATES_LOST,
    STOPPED,
    Execution,
)
from imove_core import contract
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_core.step_trace import trace_bytes
from imove_core.transforms import Array
from imove_eval.ending import Aborted
from imove_eval.providers import END_TIMEOUT_S, SceneProvider
from imove_eval.runner import Job
from imove_eval.verdicts import JUDGED_OUTCOMES
from imove_ros.assembly import StateAssembler
from imove_ros.by_hand import Batches
from imove_ros.conversions import ns_from_time, phase_message, stage_event_message
from imove_ros.policy_loop import loop_summary
from imove_ros.presence import POLL_S, Presence, same_server, wait_for
from imove_ros.qos import ContractTopics
from imove_tasks.stages import StageEvent
from imove_tasks.stages.phases import PhaseMachine
from imove_tasks.stages.scoring import Arrivals, EpisodeScorer

START_TIMEOUT_S = 60.0
FIRST_STATE_TIMEOUT_S = 1.0
FIRST_STATE_TRIES = 5
STATES_TIMEOUT_S = 30.0


class RosExecutor:
    """Drives scene provider and policy nodes from a thread that is not the executor's."""

    def __init__(
        self,
        node: Node,
        rig: Rig,
        topics: ContractTopics,
        provider: SceneProvider,
        policies: Mapping[str, ActionClient[Any, Any, Any]],
        *,
        traces: bool = True,
    ) -> None:
        """Subscribes on `node`, which must be spinning while `run` is called.

        Args:
            node: The evaluator.
            rig: The embodiment.
            topics: Of the evaluator.
            provider: Sets up episodes.
            policies: By label, "" for the only one; each served by a node of its own.
            traces: Whether the control steps of episodes are kept.
        """
        self._node, self._rig, self._provider, self._policies = node, rig, provider, policies
        self._events = topics.publisher(StageEventMsg, contract.STAGE_EVENTS_TOPIC)
        self._phases = topics.publisher(Phase, contract.PHASE_TOPIC)
        self._arrivals: Arrivals = Arrivals()
        self._assembler = StateAssembler(
            topics,
            rig,
            lambda *step: self._arrivals.put(step),
            None if provider.one_clock else Batches(node, rig.control_rate_hz),
        )
        self._met: set[str] = set()
        self._traces = traces

    def run(self, job: Job) -> Execution:
        """Runs one episode to its end, whatever that is."""
        key = job.key

        def publish(stamp_ns: int, event: StageEvent) -> None:
            self._events.publish(stage_event_message(key, stamp_ns, asdict(event)))

        machine = PhaseMachine(self._rig)
        phases: list[str] = []
        states: list[StepState] = []

        def follow(state: StepState, targets: Array) -> None:
            states.append(state)
            phases.append(machine.update(state, targets))
            self._phases.publish(phase_message(key, state, phases[-1]))

        scorer = EpisodeScorer(self._rig, job.spec, job.condition, key, publish, follow)
        start = ResetEpisode.Response()
        try:
            self._meet(job)
            began = time.monotonic()
            start = self._set_up(job, scorer)
            execution = replace(self._complete(job, scorer), phases=tuple(phases))
            execution = replace(execution, wall={"duration_s": time.monotonic() - began, **execution.wall})
        except Aborted as aborted:
            outcome, may_work = aborted.outcome, aborted.next_may_work
            execution = Execution(outcome, scorer.score(), message=str(aborted), next_may_work=may_work)
        return replace(
            execution,
            # A trial that was stopped may be kept by the operator.
            trace=trace_bytes(states) if self._traces and states and execution.outcome in JUDGED_OUTCOMES else None,
            last_step=len(phases) - 1 if execution.outcome == STOPPED else None,
            stamp_ns=ns_from_time(start.stamp),
            settled_pose_hash=start.settled_pose_hash,
            simulator=json.loads(start.provenance_json or "{}"),
        )

    def _complete(self, job: Job, scorer: EpisodeScorer) -> Execution:
        result, stopped = self._drive(job, scorer)
        loop = loop_summary(result.loop)
        facts = {
            "policy_id": result.policy_id,
            "prompt": result.prompt,
            "inferences": loop.inferences,
            "loop": loop.to_record(),
            "safety": loop.safety_record(),
            "wall": loop.wall_record(),
        }
        if stopped:
            return Execution(STOPPED, scorer.score(), message=stopped, next_may_work=True, **facts)
        scorer.take_until(lambda: scorer.finished, self._arrivals, STATES_TIMEOUT_S)
        if scorer.missing:
            raise Aborted(STATES_LOST, f"control steps {scorer.missing} of episode {job.key} did not arrive")
        return Execution(COMPLETED, scorer.score(), **facts)

    def _meet(self, job: Job) -> None:
        """Waits until scene provider and policy are there."""
        client = self._policies[job.label]
        policy = f"policy {job.label}".strip()
        for what, ready, lost in (
            (self._provider.what, self._provider.ready, self._provider.lost),
            (policy, client.wait_for_server, POLICY_LOST),
        ):
            # What answered before has no excuse for being slow to start.
            if not ready(POLL_S if what in self._met else START_TIMEOUT_S):
                raise Aborted(lost, f"the {what} node is not there; episode {job.key} was not started")
            self._met.add(what)

    def _set_up(self, job: Job, scorer: EpisodeScorer) -> ResetEpisode.Response:
        """Resets the scene and waits for its first observation."""
        while not self._arrivals.empty():
            self._arrivals.get_nowait()
        reset = self._provider.reset(job)
        if not self._provider.one_clock:
            # Time on the table runs from the start on: the policy is not kept waiting for what comes by itself.
            return reset
        for _ in range(FIRST_STATE_TRIES):
            if scorer.take_until(lambda: scorer.begun, self._arrivals, FIRST_STATE_TIMEOUT_S):
                return reset
            reset = self._provider.show_again(job) or reset
        raise Aborted(STATES_LOST, f"the first observation of episode {job.key} did not arrive")

    def _drive(self, job: Job, scorer: EpisodeScorer) -> tuple[RunEpisode.Result, str]:
        """Lets the policy run the episode while its control steps are scored.

        Returns:
            What the policy node says, and why the scene provider ended the episode, "" where it did not.
        """
        provider, client, key = self._provider.presence(), self._policies[job.label], job.key
        policy = Presence(same_server(self._node, client.server_is_ready, contract.POLICY_STATUS_TOPIC))
        goal = RunEpisode.Goal(episode_id=key, horizon_steps=job.spec.horizon_steps, seed=job.seed)
        # In the executor's thread: rclpy loses an answer that is taken while another thread is still sending.
        sending = self._node.executor.create_task(client.send_goal_async, goal)
        sent = wait_for(sending, START_TIMEOUT_S, policy.there)
        handle = None if sent is None else wait_for(sent, START_TIMEOUT_S, policy.there)
        if handle is None or not handle.accepted:
            raise Aborted(POLICY_LOST, f"the policy node did not take episode {key}")
        future = handle.get_result_async()
        stopped = ""
        try:
            while not future.done():
                scorer.take(self._arrivals, POLL_S)
                if not policy.there():
                    raise Aborted(POLICY_LOST, f"the policy node was lost in episode {key}")
                if not provider.there():
                    raise Aborted(self._provider.lost, f"the {self._provider.what} node was lost in episode {key}")
                if not stopped and (stopped := self._provider.ended(job)):
                    handle.cancel_goal_async()
        except BaseException:
            # Whoever interrupts the evaluator does not want the arms to go on.
            handle.cancel_goal_async()
            raise
        result = future.result().result
        if stopped or result.ok:
            return result, stopped
        # Policy and scene provider hear of an emergency stop at about the same time.
        if stopped := self._provider.ended(job, END_TIMEOUT_S):
            return result, stopped
        if result.next_may_work:
            raise Aborted(POLICY_FAILED, result.message, next_may_work=True)
        raise _failure(result.message or "the policy node failed", key)


def _failure(reason: str, key: str) -> Aborted:
    outcome = f"aborted: {reason}"
    return Aborted(outcome, f"the simulator node was lost in episode {key}" if outcome == SIMULATOR_LOST else reason)
