"""What the policy node says of itself: a status for each answer, and its health once a second."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import PolicyStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from imove_core import contract
from imove_core.policy import prompt_hash
from imove_core.policy_loop import LoopSummary
from imove_policy_node.health import Health
from imove_policy_node.rollout_record import Rollout
from imove_ros.conversions import time_from_ns
from imove_ros.diagnostics import diagnostic_array
from imove_ros.policy_loop import loop_message
from imove_ros.qos import ContractTopics

DIAGNOSTICS_PERIOD_S = 1.0


class Reporter:
    """Publishes /imove/policy_status and /diagnostics."""

    def __init__(self, node: Node, topics: ContractTopics, policy_id: str, label: str = "") -> None:
        """Advertises both topics, and reports health by wall time, which goes on when simulated time stands still.

        Args:
            node: The policy node.
            topics: Its topics.
            policy_id: As the policy calls itself.
            label: That stands for it where nobody is to know which policy acts.
        """
        self._node, self._policy_id, self._label = node, label or policy_id, label
        self._status = topics.publisher(PolicyStatus, contract.POLICY_STATUS_TOPIC)
        self._diagnostics = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._health = Health()
        node.create_timer(DIAGNOSTICS_PERIOD_S, self._report_health, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def begin(self, episode_id: str) -> None:
        """An episode begins."""
        self._health = Health(episode_id)

    def answered(self, rollout: Rollout) -> None:
        """The policy has answered; `rollout` is the episode so far."""
        summary = rollout.summary()
        self._health = self._health.answered(summary)
        message = _status(self._health.episode_id, rollout, summary)
        message.policy_id = self._label or message.policy_id
        self._status.publish(message)

    def failed(self, message: str) -> None:
        """The episode ended with an error: said at once, since the next episode may begin before the next report."""
        self._health = self._health.failed(message)
        self._report_health()

    def _report_health(self) -> None:
        name = f"{self._node.get_name()}: {self._policy_id}"
        message = diagnostic_array(
            name, self._policy_id, self._health.level, self._health.sentence, self._health.values
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(message)


def _status(episode_id: str, rollout: Rollout, summary: LoopSummary) -> PolicyStatus:
    inference = rollout.inferences[-1]
    chunk = inference.chunk
    message = PolicyStatus(
        episode_id=episode_id,
        policy_id=chunk.policy_id,
        prompt=chunk.prompt,
        prompt_sha256=prompt_hash(chunk.prompt),
        request_id=inference.request_id,
        step=inference.step,
        chunk_length=len(chunk.positions),
        latency_s=inference.latency_s,
        delay_s=inference.delay_s,
        chunk_age_s=inference.chunk_age_s,
        dropped_rows=inference.dropped_rows,
        stale=inference.stale,
        late=inference.late,
        loop=loop_message(summary),
    )
    message.header.stamp = time_from_ns(chunk.observation_stamp_ns)
    return message
