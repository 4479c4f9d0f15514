"""Who sets up episodes: the simulator, or the trial conductor with a person at the table."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import Any, Protocol

from imove_interfaces.msg import EpisodeResult, TrialState
from imove_interfaces.srv import Advance, ResetEpisode
from rclpy.node import Node
from rclpy.task import Future

from imove_analysis.records import CONDUCTOR_LOST, OPERATOR_OUTCOMES, POLICY_LOST, SIMULATOR_LOST, Execution
from imove_core import contract
from imove_eval.ending import Aborted
from imove_eval.runner import Job
from imove_eval.verdicts import Verdict, judged
from imove_ros.conversions import ns_from_time
from imove_ros.presence import POLL_S, Presence, same_server, wait_for
from imove_ros.qos import ContractTopics

RESET_TIMEOUT_S = 60.0
END_TIMEOUT_S = 2.0
"""How much later than the policy the conductor may learn of an emergency stop."""


class SceneProvider(Protocol):
    """Sets up episodes; its methods are called from a thread that is not the executor's.

    Attributes:
        what: How to call it in sentences.
        lost: Outcome of an episode in which it was lost.
        one_clock: Whether all that is published of a control step has one stamp.
    """

    what: str
    lost: str
    one_clock: bool

    def ready(self, timeout_s: float) -> bool:
        """Waits until it is there; returns whether it came to that."""
        ...

    def presence(self) -> Presence:
        """Tells whether the one that is there now is still there."""
        ...

    def reset(self, job: Job) -> ResetEpisode.Response:
        """Has an episode set up; raises Aborted where it is not."""
        ...

    def show_again(self, job: Job) -> ResetEpisode.Response | None:
        """Shows the first observation once more to a node that missed it.

        Returns:
            The answer of another reset, None where there was none.
        """
        ...

    def ended(self, job: Job, wait_s: float = 0.0) -> str:
        """Why an episode that runs was ended from its side, "" where it was not; waits for that."""
        ...


class _Provider:
    """What both have in common."""

    what: str
    lost: str

    def __init__(self, node: Node, sign: str) -> None:
        """Creates the client; `sign` is a topic that only the server itself publishes."""
        self._node, self._sign = node, sign
        self._client = node.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)

    def ready(self, timeout_s: float) -> bool:
        """See SceneProvider."""
        there: bool = self._client.wait_for_service(timeout_sec=timeout_s)
        return there

    def presence(self) -> Presence:
        """See SceneProvider."""
        return Presence(same_server(self._node, self._client.service_is_ready, self._sign))

    def _request(self, job: Job, timeout_s: float) -> ResetEpisode.Response:
        request = ResetEpisode.Request(episode_id=job.key, spec_json=job.spec.to_json(), condition=job.condition)
        response = self._answer(self._client.call_async(request), job, timeout_s)
        if not response.ok:
            outcome = f"aborted: {response.message}"
            raise Aborted(outcome, response.message, next_may_work=outcome in OPERATOR_OUTCOMES)
        return response

    def _answer(self, future: Future, job: Job, timeout_s: float) -> Any:
        response = wait_for(future, timeout_s, self.presence().there)
        if response is None:
            raise Aborted(self.lost, f"the {self.what} node was lost before episode {job.key}")
        return response


class Simulator(_Provider):
    """The simulator."""

    what, lost, one_clock = "simulator", SIMULATOR_LOST, True

    def __init__(self, node: Node, *, lockstep: bool) -> None:
        """Creates the clients.

        Args:
            node: The evaluator.
            lockstep: Whether simulated time moves only when it is asked to.
        """
        super().__init__(node, contract.OBJECTS_TOPIC)
        self._advance = node.create_client(Advance, contract.ADVANCE_SERVICE) if lockstep else None

    def reset(self, job: Job) -> ResetEpisode.Response:
        """See SceneProvider."""
        return self._request(job, RESET_TIMEOUT_S)

    def show_again(self, job: Job) -> ResetEpisode.Response | None:
        """See SceneProvider; it is missed while the simulator does not yet know this node's subscriptions."""
        if self._advance is None:
            return self.reset(job)
        present = Advance.Request(episode_id=job.key, requester=self._node.get_fully_qualified_name(), steps=0)
        self._answer(self._advance.call_async(present), job, RESET_TIMEOUT_S)
        return None

    def ended(self, job: Job, wait_s: float = 0.0) -> str:
        """Nobody ends a simulated episode from that side."""
        return ""


class TrialTable(_Provider):
    """The trial conductor: a reset takes as long as a person takes, and a person says what came of it."""

    what, lost, one_clock = "trial conductor", CONDUCTOR_LOST, False

    def __init__(self, node: Node, topics: ContractTopics) -> None:
        """Creates client and subscriptions on the evaluator's node."""
        super().__init__(node, contract.TRIAL_TOPIC)
        self._state = TrialState()
        self._verdict = EpisodeResult()
        self._start_ns = 0
        topics.subscribe(TrialState, contract.TRIAL_TOPIC, self._on_state)
        topics.subscribe(EpisodeResult, contract.TRIAL_VERDICT_TOPIC, self._on_verdict)

    def _on_state(self, message: TrialState) -> None:
        self._state = message

    def _on_verdict(self, message: EpisodeResult) -> None:
        self._verdict = message

    def reset(self, job: Job) -> ResetEpisode.Response:
        """See SceneProvider; waits for as long as the conductor is there."""
        response = self._request(job, math.inf)
        self._start_ns = ns_from_time(response.stamp)
        return response

    def show_again(self, job: Job) -> ResetEpisode.Response | None:
        """Objects are published at every control step: the next one comes by itself."""
        return None

    def ended(self, job: Job, wait_s: float = 0.0) -> str:
        """See SceneProvider."""
        deadline = time.monotonic() + wait_s
        while not (reason := self._reason(job)) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        return reason

    def _reason(self, job: Job) -> str:
        state = self._state
        # What was said of the trial before it began is of another phase, or of another attempt.
        is_newer = state.episode_id == job.key and ns_from_time(state.header.stamp) >= self._start_ns
        return (state.message or state.phase) if is_newer and state.phase != "running" else ""

    def verdict(self, job: Job, stamp_ns: int) -> Verdict:
        """Waits for what the operator says of a trial that has ended and was announced.

        Args:
            job: What was run.
            stamp_ns: Start of the trial.

        Raises:
            Aborted: The conductor went away.
        """
        there = self.presence().there
        while (self._verdict.episode_id, ns_from_time(self._verdict.header.stamp)) != (job.key, stamp_ns):
            if not there():
                raise Aborted(self.lost, f"the {self.what} node was lost before it had judged episode {job.key}")
            time.sleep(POLL_S)
        return Verdict.from_record(json.loads(self._verdict.record_json))


def judged_by(table: TrialTable, job: Job, execution: Execution) -> Execution:
    """The result of a trial with the operator's word on it.

    Args:
        table: Where the trial ran.
        job: What was run.
        execution: As the run came out, already announced.
    """
    # Nobody is asked about what never began; where a node is gone the run ends, and the trial is repeated another time.
    if not execution.stamp_ns or execution.outcome in (POLICY_LOST, table.lost):
        return execution
    try:
        return judged(execution, table.verdict(job, execution.stamp_ns))
    except Aborted as aborted:
        return replace(execution, outcome=aborted.outcome, message=str(aborted), next_may_work=False)
