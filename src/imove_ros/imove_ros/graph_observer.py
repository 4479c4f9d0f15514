"""Watches the topics of the contract in a running graph and notes what they are."""

import importlib
import statistics
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from rclpy.action import get_action_names_and_types
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from imove_core import contract
from imove_core.graph_record import GraphRecord, TopicRecord
from imove_core.rig import Rig
from imove_ros.conversions import ns_from_time

# What a message says of itself that must not depend on the domain.
_FACTS: dict[str, Callable[[Any], dict[str, str]]] = {
    "sensor_msgs/msg/Image": lambda m: {"encoding": m.encoding, "size": f"{m.width}x{m.height}"},
    "sensor_msgs/msg/CameraInfo": lambda m: {"size": f"{m.width}x{m.height}", "model": m.distortion_model},
    "sensor_msgs/msg/JointState": lambda m: {
        "joints": ",".join(m.name),
        "velocities": str(len(m.velocity)),
        "efforts": str(len(m.effort)),
    },
    "imove_interfaces/msg/ObjectStates": lambda m: {"objects": ",".join(item.id for item in m.objects)},
    "imove_interfaces/msg/Episode": lambda m: {"rig": m.rig},
    "tf2_msgs/msg/TFMessage": lambda m: {f"parent of {t.child_frame_id}": t.header.frame_id for t in m.transforms},
}


class _Heard:
    """What came on one topic."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        self._facts_of = _FACTS.get(type_name, lambda message: {})
        self.messages = 0
        self.stamps_ns: list[int] = []
        self.frames: set[str] = set()
        self.facts: defaultdict[str, set[str]] = defaultdict(set)
        self.largest: list[float] = []

    def take(self, message: Any) -> None:
        self.messages += 1
        header = getattr(message, "header", None)
        if header is not None:
            self.stamps_ns.append(ns_from_time(header.stamp))
            self.frames.add(header.frame_id)
        for fact, value in self._facts_of(message).items():
            self.facts[fact].add(value)
        if "joints" in self.facts:
            self.largest = [max(pair) for pair in zip(self._padded(message), map(abs, message.position), strict=True)]

    def _padded(self, message: Any) -> list[float]:
        return self.largest if len(self.largest) == len(message.position) else [0.0] * len(message.position)

    @property
    def interval_s(self) -> float:
        steps = [b - a for a, b in zip(self.stamps_ns, self.stamps_ns[1:], strict=False) if b > a]
        return statistics.median(steps) / 1e9 if steps else 0.0


class GraphObserver:
    """Subscribes to everything of a rig's contract that somebody publishes."""

    def __init__(self, node: Node, rig: Rig, domain: str) -> None:
        """Serves one node, which somebody spins.

        Args:
            node: Whose view of the graph counts.
            rig: Whose contract.
            domain: `sim` or `real`.
        """
        self._node, self._rig, self._domain = node, rig, domain
        self._heard: dict[str, _Heard] = {}
        self._lock = threading.Lock()

    def listen(self) -> None:
        """Subscribes to what has come up since the last call."""
        for topic in contract.topics(self._rig):
            types = {info.topic_type for info in self._node.get_publishers_info_by_topic(topic.name)}
            if topic.name in self._heard or topic.type not in types:
                continue
            with self._lock:
                self._heard[topic.name] = _Heard(topic.type)
            # Asks for little, so that publishers with a weaker QoS than the contract's are heard too.
            qos = QoSProfile(
                depth=topic.qos.depth,
                reliability=ReliabilityPolicy.BEST_EFFORT,
                durability=DurabilityPolicy.TRANSIENT_LOCAL if topic.qos.latched else DurabilityPolicy.VOLATILE,
            )
            self._node.create_subscription(_message_type(topic.type), topic.name, self._taker(topic.name), qos)

    def forget(self) -> None:
        """Begins anew with what comes from now on."""
        with self._lock:
            self._heard = {name: _Heard(heard.type_name) for name, heard in self._heard.items()}

    def _taker(self, topic: str) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            with self._lock:
                self._heard[topic].take(message)

        return take

    def record(self) -> GraphRecord:
        """What has been seen since the beginning."""
        topics = {}
        with self._lock:
            for topic in contract.topics(self._rig):
                infos = self._node.get_publishers_info_by_topic(topic.name)
                if infos:
                    topics[topic.name] = self._topic(topic.name, infos)
        served = dict(self._node.get_service_names_and_types())
        served |= dict(get_action_names_and_types(self._node))
        names = {endpoint.name for endpoint in contract.endpoints(self._rig)}
        return GraphRecord(self._domain, topics, {name: types[0] for name, types in served.items() if name in names})

    def _topic(self, name: str, infos: list[Any]) -> TopicRecord:
        types = sorted({info.topic_type for info in infos})
        profiles = [info.qos_profile for info in infos]
        heard = self._heard.get(name) or _Heard(types[0])
        return TopicRecord(
            type=" and ".join(types),
            publishers=len(infos),
            reliable=all(profile.reliability == ReliabilityPolicy.RELIABLE for profile in profiles),
            latched=all(profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for profile in profiles),
            messages=heard.messages,
            interval_s=heard.interval_s if len(infos) == 1 else 0.0,
            frames=frozenset(heard.frames),
            facts={fact: frozenset(values) for fact, values in heard.facts.items()},
            largest=tuple(heard.largest),
        )


def _message_type(name: str) -> Any:
    package, _, kind = name.partition("/msg/")
    return getattr(importlib.import_module(f"{package}.msg"), kind)
