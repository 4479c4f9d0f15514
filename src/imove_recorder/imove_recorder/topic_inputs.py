"""Subscriptions to everything that is recorded, as bytes, with what its publishers offer."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from rclpy.subscription import Subscription

from imove_core.bag.topics import BagTopic
from imove_core.contract import Qos
from imove_core.errors import ImoveError
from imove_recorder.arrivals import Arrival, LossCounter
from imove_recorder.readiness import Offer, common_qos
from imove_ros.by_hand import ByHand, taken
from imove_ros.qos import profile

# What may wait for this process while another one has the processor: two seconds of images, and far more of the rest.
IMAGES_KEPT = 60
MESSAGES_KEPT = 2048
READ_HZ = 50.0
"""How often what has come is read: an executor's round for each message costs more than the message."""
# How rclpy writes the hash of a publisher that does not tell it.
NO_HASH = "INVALID"
_IMAGES = frozenset({"sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"})


class TopicInputs:
    """Raw subscriptions whose QoS follows what the publishers offer."""

    def __init__(self, node: Node, topics: Sequence[BagTopic], receive: Callable[[Arrival], None]) -> None:
        """Subscribes as the contract says.

        Args:
            node: Which subscribes.
            topics: Which.
            receive: Called with each message, in the executor's thread, in the order in which they came.

        Raises:
            ImoveError: The package of a message type is not installed.
        """
        self._node, self._topics, self._receive = node, topics, receive
        self._losses = LossCounter()
        self._subscriptions: dict[str, tuple[Qos, Subscription[Any]]] = {}
        for topic in topics:
            self._subscribe(topic, topic.qos)
        # Simulated time stands still while nothing moves; a recorder goes on.
        node.create_timer(1.0 / READ_HZ, self._read, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def offers(self) -> dict[str, list[Offer]]:
        """What the publishers of each topic offer; subscribes anew where an offer is weaker than what was asked for."""
        offers = {topic.name: self._offers_of(topic.name) for topic in self._topics}
        for topic in self._topics:
            qos = common_qos(topic, offers[topic.name])
            asked, subscription = self._subscriptions[topic.name]
            if (asked.latched, asked.reliable) != (qos.latched, qos.reliable):
                self._node.destroy_subscription(subscription)
                self._subscribe(topic, qos)
        return offers

    def _offers_of(self, name: str) -> list[Offer]:
        return [
            Offer(
                type=info.topic_type,
                type_hash="" if (text := str(info.topic_type_hash)) == NO_HASH else text,
                reliable=info.qos_profile.reliability == ReliabilityPolicy.RELIABLE,
                latched=info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL,
            )
            for info in self._node.get_publishers_info_by_topic(name)
        ]

    def _subscribe(self, topic: BagTopic, qos: Qos) -> None:
        kept = replace(qos, depth=IMAGES_KEPT if topic.type in _IMAGES else MESSAGES_KEPT)
        subscription = self._node.create_subscription(
            message_class(topic.type), topic.name, lambda cdr: None, profile(kept), callback_group=ByHand(), raw=True
        )
        self._subscriptions[topic.name] = (qos, subscription)

    def _read(self) -> None:
        arrivals = []
        for topic, (_, subscription) in self._subscriptions.items():
            for cdr, info in taken(subscription):
                publisher = bytes(info["publisher_gid"]["data"])
                lost = self._losses.lost(topic, publisher, info["publication_sequence_number"])
                arrivals.append(Arrival(topic, cdr, info["received_timestamp"], publisher, lost))
        # As they came over all topics: an announcement parts what came before it from what came after.
        for arrival in sorted(arrivals, key=lambda arrival: arrival.received_ns):
            self._receive(arrival)


def message_class(type_name: str) -> type:
    """The class of a message type `package/msg/Type`; raises ImoveError when its package is not installed."""
    package, _, name = type_name.split("/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError) as error:
        raise ImoveError(f"message type {type_name} is not installed; build or install package {package}") from error
