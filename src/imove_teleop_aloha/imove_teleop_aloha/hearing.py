"""What the node hears of leaders, followers, drivers and topics' rates."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.subscription import MessageInfo, Subscription
from sensor_msgs.msg import CameraInfo, JointState

from imove_core import contract
from imove_core.bag.messages import CAMERA_INFO, JOINT_STATE
from imove_core.bag.stamps import stamp_of
from imove_core.errors import ImoveError
from imove_core.rig import Arm, Rig
from imove_ros.by_hand import Batches, ByHand, taken
from imove_ros.conversions import ns_from_time, positions_of
from imove_ros.qos import ContractTopics
from imove_teleop_aloha.rates import RateMeter
from imove_teleop_aloha.relay import Relay

LEADER_HZ = 100.0
"""A PC relays at 100 to 200 Hz; a leader that says less is followed in jerks."""
DRIVER_HZ = 200.0
LOG_PERIOD_S = 5.0


def expected_rates(rig: Rig, *, simulated: bool, camera_hz: float) -> dict[str, float]:
    """Nominal rates of what is heard, Hz.

    Args:
        rig: The embodiment.
        simulated: Whether the followers are; drivers of real arms say more.
        camera_hz: Of the cameras.
    """
    rates = {contract.OBJECTS_TOPIC: float(rig.control_rate_hz)}
    for arm in rig.arms:
        rates[contract.joint_states_topic(arm.name)] = float(rig.control_rate_hz) if simulated else DRIVER_HZ
        rates[contract.joint_target_topic(arm.name)] = float(rig.control_rate_hz)
        rates[contract.leader_states_topic(arm.name)] = LEADER_HZ
    for camera in rig.cameras:
        # Published with each image, and so much smaller.
        rates[contract.color_info_topic(camera.name)] = camera_hz
    return rates


class Hearing:
    """Subscriptions that feed the relay and the rate meter."""

    def __init__(self, node: Node, rig: Rig, relay: Relay, rates: RateMeter, *, jogged: bool) -> None:
        """Subscribes.

        Args:
            node: Which.
            rig: The embodiment.
            relay: Is told of leaders, followers and faults.
            rates: Counts.
            jogged: Whether this very node publishes the leaders.
        """
        self._relay, self._rates, self._logger = relay, rates, node.get_logger()
        self._since_ns = 0
        topics, batches = ContractTopics(node, rig), Batches(node, rig.control_rate_hz)
        self._leaders: list[tuple[Arm, Subscription[JointState]]] = []
        for arm in rig.arms:
            leader = contract.leader_states_topic(arm.name)
            if jogged:
                batches.subscribe(topics, JointState, leader, partial(self._count, arm))
            else:
                hear = topics.subscribe(JointState, leader, partial(self._count, arm), callback_group=ByHand())
                self._leaders.append((arm, hear))
            states, target = contract.joint_states_topic(arm.name), contract.joint_target_topic(arm.name)
            batches.subscribe(topics, JointState, states, partial(self._on_follower, arm))
            batches.subscribe(topics, JointState, target, partial(self._on_raw, target, JOINT_STATE), raw=True)
        for camera in rig.cameras:
            name = contract.color_info_topic(camera.name)
            batches.subscribe(topics, CameraInfo, name, partial(self._on_raw, name, CAMERA_INFO), raw=True)
        self._arms = {f"arm/{arm.name}": arm for arm in rig.arms}
        topics.subscribe(DiagnosticArray, contract.DIAGNOSTICS_TOPIC, self._on_diagnostics)

    def take_leaders(self) -> None:
        """Tells the relay what leaders have said by now; called by the loop that commands, before it commands."""
        for arm, subscription in self._leaders:
            for message, info in taken(subscription):
                self._on_leader(arm, message, info)

    def ignore_before(self, stamp_ns: int) -> None:
        """Takes no follower's state that is older than a stamp: it is of another episode."""
        self._since_ns = stamp_ns
        self._relay.forget_followers()

    def _on_leader(self, arm: Arm, message: JointState, info: MessageInfo) -> None:
        now_s, sent_ns = time.monotonic(), info["source_timestamp"]
        # What has waited on its way is as old as that; both ends are on this host.
        age_s = max(0.0, (time.time_ns() - sent_ns) / 1e9) if sent_ns else 0.0
        self._count(arm, message)
        try:
            self._relay.hear_leader(arm.name, message.name, message.position, now_s - age_s)
        except ImoveError as error:
            self._logger.warning(str(error), throttle_duration_sec=LOG_PERIOD_S)

    def _count(self, arm: Arm, message: JointState) -> None:
        self._note(contract.leader_states_topic(arm.name), message)

    def _on_follower(self, arm: Arm, message: JointState) -> None:
        self._note(contract.joint_states_topic(arm.name), message)
        if ns_from_time(message.header.stamp) < self._since_ns:
            return
        try:
            self._relay.hear_follower(arm.name, positions_of(message, arm), time.monotonic())
        except ImoveError as error:
            self._logger.warning(str(error), throttle_duration_sec=LOG_PERIOD_S)

    def _note(self, topic: str, message: Any) -> None:
        self._rates.note(topic, ns_from_time(message.header.stamp), time.monotonic())

    def _on_raw(self, topic: str, kind: str, cdr: bytes) -> None:
        stamp_ns = stamp_of(kind, cdr)
        if stamp_ns is not None:
            self._rates.note(topic, stamp_ns, time.monotonic())

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            arm = self._arms.get(status.name)
            if arm is not None:
                # Stale means that whoever watches a driver has lost it.
                broken = status.level in (DiagnosticStatus.ERROR, DiagnosticStatus.STALE)
                said = f"arm '{arm.name}': {status.message.rstrip('.')}" if broken else ""
                self._relay.set_fault(status.name, said)
