"""Subscriptions that no executor looks at: what comes is taken when somebody asks for it, or many at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import MessageInfo, Subscription

from imove_ros.qos import ContractTopics


class ByHand(CallbackGroup):
    """A group whose callbacks are never ready, so that an executor does not wait for them."""

    def can_execute(self, entity: Any) -> bool:
        """Never."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Never."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Has nothing to note."""


def taken(subscription: Subscription[Any]) -> Iterator[tuple[Any, MessageInfo]]:
    """What has come, in the order in which it came: messages, and what the middleware says of each."""
    with subscription.handle:
        while (found := subscription.handle.take_message(subscription.msg_type, subscription.raw)) is not None:
            yield found


class Newest:
    """The newest message of a topic, taken when somebody asks: what comes in between costs nothing."""

    def __init__(self, node: Node, message_type: type, topic: str) -> None:
        """Subscribes; of what comes the middleware keeps the newest alone."""
        self._lock = threading.Lock()
        self._subscription = node.create_subscription(
            message_type, topic, lambda message: None, QoSProfile(depth=1), callback_group=ByHand()
        )
        self._newest: Any = None

    def get(self) -> Any:
        """The message that came last, None before the first."""
        with self._lock:
            for message, _ in taken(self._subscription):
                self._newest = message
            return self._newest


class Batches:
    """Fast topics, read so many times a second: many messages for one wake of the executor.

    rclpy builds its list of what to wait for anew for each message, which costs some ten times what the message does.
    """

    def __init__(self, node: Node, rate_hz: float) -> None:
        """Reads by wall time; no batch begins before the last one is through."""
        self._taken: list[tuple[Subscription[Any], Callable[[Any], object]]] = []
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(1.0 / rate_hz, self._take, MutuallyExclusiveCallbackGroup(), steady)

    def subscribe(
        self, topics: ContractTopics, message_type: type, topic: str, take: Callable[[Any], object], **options: Any
    ) -> None:
        """Hands the messages of a topic of the contract to `take`, in order."""
        subscription = topics.subscribe(message_type, topic, take, callback_group=ByHand(), **options)
        self._taken.append((subscription, take))

    def _take(self) -> None:
        for subscription, take in self._taken:
            for message, _ in taken(subscription):
                take(message)
