"""What cameras and arms measure at one moment, for the calibration wizard."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState

from imove_console.calibration_samples import View
from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics, Rig
from imove_core.transforms import Array
from imove_ros.conversions import positions_of, rgb_from
from imove_ros.qos import ContractTopics

OLD_S = 1.0
REST_S = 0.4
"""For so long an arm must have been at rest: its camera sees it where its joints say."""
REST_RAD = 0.003
DISTORTION = 5
"""Values of the model `plumb_bob`."""


class ViewInputs:
    """Listens to one camera and all arms while somebody calibrates."""

    def __init__(self, node: Node, rig: Rig, topics: ContractTopics) -> None:
        """Listens to nothing yet."""
        self._node, self._rig, self._topics = node, rig, topics
        self._lock = threading.Lock()
        self._wanted: str | None = None
        self._listening: str | None = None
        self._subscriptions: list[Any] = []
        self._image: tuple[float, Image | CompressedImage] | None = None
        self._info: CameraInfo | None = None
        self._joints: dict[str, deque[tuple[float, Array]]] = {}

    def look(self, camera: str | None) -> None:
        """Listens to a camera, and to the arms, from the next `update` on."""
        with self._lock:
            self._wanted = camera

    def update(self) -> None:
        """Subscribes to what is wanted; to be called in the executor's thread, some times a second."""
        with self._lock:
            wanted = self._wanted
        if wanted == self._listening:
            return
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        with self._lock:
            self._subscriptions, self._listening = [], wanted
            self._image, self._info, self._joints = None, None, {}
        if wanted is not None:
            self._subscribe(wanted)

    def view(self) -> View:
        """What is measured now.

        Raises:
            ImoveError: Something is missing or old, or an arm moves.
        """
        with self._lock:
            image, info, camera = self._image, self._info, self._wanted
            joints = {name: tuple(heard) for name, heard in self._joints.items()}
        now_s = time.monotonic()
        if image is None or info is None or now_s - image[0] > OLD_S:
            raise ImoveError(f"camera '{camera}' sends no images")
        if len(info.d) > DISTORTION:
            raise ImoveError(f"distortion of camera '{camera}' has {len(info.d)} values; {DISTORTION} are allowed")
        distortion = np.zeros(DISTORTION)
        distortion[: len(info.d)] = info.d
        return View(
            _rgb(image[1]),
            _intrinsics(info),
            distortion,
            {name: _at_rest(name, heard, now_s) for name, heard in joints.items()},
        )

    def _subscribe(self, camera: str) -> None:
        compressed, raw = contract.compressed_topic(camera), contract.color_topic(camera)
        driven = self._node.count_publishers(compressed) > 0
        kind, topic = (CompressedImage, compressed) if driven else (Image, raw)
        info = contract.color_info_topic(camera)
        self._subscriptions = [
            self._topics.subscribe(kind, topic, self._on_image),
            self._topics.subscribe(CameraInfo, info, self._on_info),
        ]
        for arm in self._rig.arms:
            take = lambda message, name=arm.name: self._on_joints(name, message)  # noqa: E731
            self._subscriptions.append(self._topics.subscribe(JointState, contract.joint_states_topic(arm.name), take))

    def _on_image(self, message: Image | CompressedImage) -> None:
        with self._lock:
            self._image = (time.monotonic(), message)

    def _on_info(self, message: CameraInfo) -> None:
        with self._lock:
            self._info = message

    def _on_joints(self, name: str, message: JointState) -> None:
        try:
            positions = positions_of(message, self._rig.arm(name))
        except ImoveError:
            return
        now_s = time.monotonic()
        with self._lock:
            heard = self._joints.setdefault(name, deque())
            heard.append((now_s, positions))
            while now_s - heard[0][0] > 2 * REST_S:
                heard.popleft()


def _at_rest(name: str, heard: tuple[tuple[float, Array], ...], now_s: float) -> Array:
    """Mean positions (size,) of the last moments."""
    recent = [positions for at_s, positions in heard if now_s - at_s <= REST_S]
    if not recent:
        raise ImoveError(f"arm '{name}' does not say where its joints are")
    if np.ptp(np.stack(recent), axis=0).max() > REST_RAD:
        raise ImoveError(f"arm '{name}' moves; wait until it is at rest")
    return np.mean(recent, axis=0)


def _rgb(message: Image | CompressedImage) -> NDArray[np.uint8]:
    if isinstance(message, Image):
        return rgb_from(message)
    decoded = cv2.imdecode(np.frombuffer(message.data, np.uint8), cv2.IMREAD_COLOR_RGB)
    if decoded is None:
        raise ImoveError("the camera's image cannot be decoded")
    return np.asarray(decoded, np.uint8)


def _intrinsics(info: CameraInfo) -> Intrinsics:
    k = np.asarray(info.k, float)
    return Intrinsics(width=info.width, height=info.height, fx=k[0], fy=k[4], cx=k[2], cy=k[5])
