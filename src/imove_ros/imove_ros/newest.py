"""The newest message of a topic, taken when somebody asks: what comes in between costs nothing."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile


class UnspunNode(Node):
    """A node that no executor spins; its subscriptions are read by hand."""

    def __init__(self, beside: Node) -> None:
        """Joins the graph of another node under that one's name with an ending."""
        # Remappings of the process, its name among them, are for the other node.
        super().__init__(
            f"{beside.get_name()}_reader",
            context=beside.context,
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )


class Newest:
    """Reads one topic."""

    def __init__(self, node: UnspunNode, message_type: type, topic: str) -> None:
        """Subscribes; of what comes the middleware keeps the newest alone."""
        self._lock = threading.Lock()
        self._subscription = node.create_subscription(message_type, topic, lambda message: None, QoSProfile(depth=1))
        self._newest: Any = None

    def get(self) -> Any:
        """The message that came last, None before the first."""
        with self._lock, self._subscription.handle:
            while True:
                taken = self._subscription.handle.take_message(self._subscription.msg_type, self._subscription.raw)
                if taken is None:
                    return self._newest
                self._newest = taken[0]
