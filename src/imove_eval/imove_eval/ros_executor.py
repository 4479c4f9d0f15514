"""Runs one episode through the graph: sets it up, asks the policy to run it, scores every control step."""

import json
import time
from dataclasses import asdict, replace
from typing import Any

from imove_interfaces.action import RunEpisode
from imove_interfaces.msg import Phase
from imove_interfaces.msg import StageEvent as StageEventMsg
from imove_interfaces.srv import Advance, ResetEpisode
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future

from imove_core import contract
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_eval.records import COMPLETED, POLICY_FAILED, POLICY_LOST, SIMULATOR_LOST, STATES_LOST, Execution, episode_id
from imove_eval.runner import Job
from imove_ros.assembly import StateAssembler
from imove_ros.conversions import phase_message, stage_event_message
from imove_ros.policy_loop import loop_summary
from imove_ros.presence import POLL_S, Presence, same_server, wait_for
from imove_ros.qos import ContractTopics
from imove_tasks.stages import StageEvent
from imove_tasks.stages.phases import PhaseMachine
from imove_tasks.stages.scoring import Arrivals, EpisodeScorer

START_TIMEOUT_S = 60.0
RESET_TIMEOUT_S = 60.0
FIRST_STATE_TIMEOUT_S = 1.0
FIRST_STATE_TRIES = 5
STATES_TIMEOUT_S = 10.0


class _Aborted(Exception):
    """The episode ends here."""

    def __init__(self, outcome: str, message: str, *, next_may_work: bool = False) -> None:
        super().__init__(message)
        self.outcome, self.next_may_work = outcome, next_may_work


class RosExecutor:
    """Drives scene provider and policy node from a thread that is not the executor's."""

    def __init__(self, node: Node, rig: Rig, *, lockstep: bool) -> None:
        """Creates clients and subscriptions on `node`, which must be spinning while `run` is called.

        Args:
            node: The evaluator.
            rig: The embodiment.
            lockstep: Whether simulated time moves only when it is asked to.
        """
        self._node, self._rig = node, rig
        topics = ContractTopics(node, rig)
        self._reset = node.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)
        self._advance = node.create_client(Advance, contract.ADVANCE_SERVICE) if lockstep else None
        self._run = ActionClient(node, RunEpisode, contract.RUN_EPISODE_ACTION)
        self._events = topics.publisher(StageEventMsg, contract.STAGE_EVENTS_TOPIC)
        self._phases = topics.publisher(Phase, contract.PHASE_TOPIC)
        self._arrivals: Arrivals = Arrivals()
        self._assembler = StateAssembler(topics, rig, lambda *step: self._arrivals.put(step))
        self._met: set[str] = set()

    def run(self, job: Job) -> Execution:
        """Runs one episode to its end, whatever that is."""
        key = episode_id(job.spec, job.condition)

        def publish(stamp_ns: int, event: StageEvent) -> None:
            self._events.publish(stage_event_message(key, stamp_ns, asdict(event)))

        machine = PhaseMachine(self._rig)
        phases: list[str] = []

        def follow(state: StepState, targets: Array) -> None:
            phases.append(machine.update(state, targets))
            self._phases.publish(phase_message(key, state, phases[-1]))

        scorer = EpisodeScorer(self._rig, job.spec, job.condition, key, publish, follow)
        try:
            return replace(self._complete(job, key, scorer), phases=tuple(phases))
        except _Aborted as aborted:
            return Execution(aborted.outcome, scorer.score(), message=str(aborted), next_may_work=aborted.next_may_work)

    def _complete(self, job: Job, key: str, scorer: EpisodeScorer) -> Execution:
        self._meet(key)
        began = time.monotonic()
        reset = self._set_up(job, key, scorer)
        result = self._drive(job, key, scorer)
        scorer.take_until(lambda: scorer.finished, self._arrivals, STATES_TIMEOUT_S)
        if scorer.missing:
            raise _Aborted(STATES_LOST, f"control steps {scorer.missing} of episode {key} did not arrive")
        loop = loop_summary(result.loop)
        return Execution(
            COMPLETED,
            scorer.score(),
            policy_id=result.policy_id,
            prompt=result.prompt,
            inferences=loop.inferences,
            settled_pose_hash=reset.settled_pose_hash,
            simulator=json.loads(reset.provenance_json or "{}"),
            loop=loop.to_record(),
            safety=loop.safety_record(),
            wall={"duration_s": time.monotonic() - began, **loop.wall_record()},
        )

    def _meet(self, key: str) -> None:
        """Waits until simulator and policy are there."""
        for what, ready, lost in (
            ("simulator", self._reset.wait_for_service, SIMULATOR_LOST),
            ("policy", self._run.wait_for_server, POLICY_LOST),
        ):
            # What answered before has no excuse for being slow to start.
            if not ready(timeout_sec=POLL_S if what in self._met else START_TIMEOUT_S):
                raise _Aborted(lost, f"the {what} node is not there; episode {key} was not started")
            self._met.add(what)

    def _set_up(self, job: Job, key: str, scorer: EpisodeScorer) -> ResetEpisode.Response:
        """Resets the scene and waits for its first observation."""
        while not self._arrivals.empty():
            self._arrivals.get_nowait()
        reset = self._call_reset(job, key)
        for _ in range(FIRST_STATE_TRIES):
            if scorer.take_until(lambda: scorer.begun, self._arrivals, FIRST_STATE_TIMEOUT_S):
                return reset
            # It is missed while the simulator does not yet know this node's subscriptions.
            if self._advance is None:
                reset = self._call_reset(job, key)
            else:
                present = Advance.Request(episode_id=key, requester=self._node.get_fully_qualified_name(), steps=0)
                self._answer_of_simulator(self._advance.call_async(present), key)
        raise _Aborted(STATES_LOST, f"the first observation of episode {key} did not arrive")

    def _call_reset(self, job: Job, key: str) -> ResetEpisode.Response:
        request = ResetEpisode.Request(episode_id=key, spec_json=job.spec.to_json(), condition=job.condition)
        response = self._answer_of_simulator(self._reset.call_async(request), key)
        if not response.ok:
            raise _Aborted(f"aborted: {response.message}", response.message)
        return response

    def _answer_of_simulator(self, future: Future, key: str) -> Any:
        response = wait_for(future, RESET_TIMEOUT_S, self._simulator().there)
        if response is None:
            raise _Aborted(SIMULATOR_LOST, f"the simulator node was lost before episode {key}")
        return response

    def _simulator(self) -> Presence:
        return Presence(same_server(self._node, self._reset.service_is_ready, contract.OBJECTS_TOPIC))

    def _drive(self, job: Job, key: str, scorer: EpisodeScorer) -> RunEpisode.Result:
        """Lets the policy run the episode while its control steps are scored."""
        simulator = self._simulator()
        policy = Presence(same_server(self._node, self._run.server_is_ready, contract.POLICY_STATUS_TOPIC))
        goal = RunEpisode.Goal(episode_id=key, horizon_steps=job.spec.horizon_steps, seed=job.seed)
        # In the executor's thread: rclpy loses an answer that is taken while another thread is still sending.
        sending = self._node.executor.create_task(self._run.send_goal_async, goal)
        sent = wait_for(sending, START_TIMEOUT_S, policy.there)
        handle = None if sent is None else wait_for(sent, START_TIMEOUT_S, policy.there)
        if handle is None or not handle.accepted:
            raise _Aborted(POLICY_LOST, f"the policy node did not take episode {key}")
        future = handle.get_result_async()
        try:
            while not future.done():
                scorer.take(self._arrivals, POLL_S)
                if not policy.there():
                    raise _Aborted(POLICY_LOST, f"the policy node was lost in episode {key}")
                if not simulator.there():
                    raise _Aborted(SIMULATOR_LOST, f"the simulator node was lost in episode {key}")
        except BaseException:
            # Whoever interrupts the evaluator does not want the arms to go on.
            handle.cancel_goal_async()
            raise
        result = future.result().result
        if not result.ok:
            if result.next_may_work:
                raise _Aborted(POLICY_FAILED, result.message, next_may_work=True)
            raise _failure(result.message or "the policy node failed", key)
        return result


def _failure(reason: str, key: str) -> _Aborted:
    outcome = f"aborted: {reason}"
    return _Aborted(outcome, f"the simulator node was lost in episode {key}" if outcome == SIMULATOR_LOST else reason)
