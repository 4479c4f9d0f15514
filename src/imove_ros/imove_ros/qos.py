"""QoS profiles and topics of a node, from the contract."""

from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from imove_core.contract import Qos, topics
from imove_core.rig import Rig


def profile(qos: Qos) -> QoSProfile:
    """The ROS profile of a contract QoS."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=qos.depth,
        reliability=ReliabilityPolicy.RELIABLE if qos.reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if qos.latched else DurabilityPolicy.VOLATILE,
    )


class ContractTopics:
    """Creates publishers and subscriptions whose QoS is that of the contract.

    None of them listens for incompatible QoS: rclpy would look at two more things for each of them whenever a node
    wakes, which doubles what a message costs. `imove contract --live` compares what is offered and asked for.
    """

    def __init__(self, node: Node, rig: Rig) -> None:
        """Serves one node."""
        self._node = node
        self._qos = {topic.name: profile(topic.qos) for topic in topics(rig)}

    def publisher(self, message_type: type, topic: str) -> Any:
        """A publisher on a topic of the contract; raises KeyError for another one."""
        silent = PublisherEventCallbacks(use_default_callbacks=False)
        return self._node.create_publisher(message_type, topic, self._qos[topic], event_callbacks=silent)

    def subscribe(self, message_type: type, topic: str, callback: Any, **options: Any) -> Any:
        """A subscription to a topic of the contract; raises KeyError for another one."""
        silent = SubscriptionEventCallbacks(use_default_callbacks=False)
        return self._node.create_subscription(
            message_type, topic, callback, self._qos[topic], event_callbacks=silent, **options
        )
