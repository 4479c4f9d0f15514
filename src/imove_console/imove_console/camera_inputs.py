"""Subscribes to the images that somebody looks at, and to no others: in simulation each costs a rendering."""

from __future__ import annotations

import time
from typing import Any

from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CompressedImage, Image

from imove_console.frames import LAYOUT_VIEW, Frames, jpeg_of
from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_ros.conversions import rgb_from
from imove_ros.qos import ContractTopics

PERIOD_S = 0.09
"""Images that follow sooner are left out before they are decoded."""
LOG_PERIOD_S = 10.0


class CameraInputs:
    """Images of cameras, and of the layout view, for the pages."""

    def __init__(self, node: Node, rig: Rig, topics: ContractTopics, frames: Frames) -> None:
        """Subscribes to nothing yet.

        Args:
            node: Of the console.
            rig: Whose cameras there are.
            topics: Of the node.
            frames: Where images go.
        """
        self._node, self._topics, self._frames = node, topics, frames
        self._compressed = {camera.name: contract.compressed_topic(camera.name) for camera in rig.cameras}
        self._compressed[LAYOUT_VIEW] = contract.LAYOUT_VIEW_TOPIC
        self._raw = {camera.name: contract.color_topic(camera.name) for camera in rig.cameras}
        self._subscribed: dict[str, tuple[str, Any]] = {}
        self._taken_s: dict[str, float] = {}

    def update(self) -> None:
        """Subscribes to what is looked at now; to be called in the executor's thread, some times a second."""
        looked_at = self._frames.looked_at
        for source in [source for source in self._subscribed if source not in looked_at]:
            self._leave(source)
        for source in looked_at:
            topic = self._topic(source)
            if source in self._subscribed and self._subscribed[source][0] != topic:
                self._leave(source)
            if source not in self._subscribed:
                self._subscribed[source] = (topic, self._subscribe(source, topic))

    def _topic(self, source: str) -> str:
        """The driver's JPEG where there is a driver; else raw images, which are encoded here."""
        compressed = self._compressed[source]
        if source not in self._raw or self._node.count_publishers(compressed):
            return compressed
        return self._raw[source]

    def _subscribe(self, source: str, topic: str) -> Any:
        kind = Image if topic == self._raw.get(source) else CompressedImage
        return self._topics.subscribe(kind, topic, lambda data: self._take(source, kind, data), raw=True)

    def _leave(self, source: str) -> None:
        self._node.destroy_subscription(self._subscribed.pop(source)[1])

    def _take(self, source: str, kind: type, data: bytes) -> None:
        now_s = time.monotonic()
        if now_s - self._taken_s.get(source, 0.0) < PERIOD_S:
            return
        self._taken_s[source] = now_s
        message = deserialize_message(data, kind)
        try:
            jpeg = jpeg_of(rgb_from(message)) if kind is Image else _checked_jpeg(source, message)
        except ImoveError as error:
            self._node.get_logger().warning(str(error), throttle_duration_sec=LOG_PERIOD_S)
            return
        self._frames.put(source, jpeg)


def _checked_jpeg(source: str, message: CompressedImage) -> bytes:
    data = bytes(message.data)
    if not data.startswith(b"\xff\xd8\xff"):
        raise ImoveError(f"compressed image of {source} is {message.format!r}; JPEG is allowed")
    return data
