"""Publishes the picture by which a scene is laid out, while somebody looks at it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CameraInfo, CompressedImage

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import Camera, Rig
from imove_core.spec import EpisodeSpec
from imove_ros.qos import ContractTopics
from imove_tasks.assets.model import Asset
from imove_trials.conversions import jpeg_message, lens_from
from imove_trials.layout_check import LayoutReport
from imove_trials.layout_view import LayoutView, image_of, jpeg_of
from imove_trials.silhouettes import Lens, Silhouettes

FRESH_S = 2.0
"""An older image would show objects where they no longer are."""


def fixed_camera(rig: Rig) -> Camera:
    """The first camera that stands still; raises ImoveError where every one sits on an arm."""
    for camera in rig.cameras:
        if camera.arm_and_link is None:
            return camera
    raise ImoveError(f"rig {rig.name} has no camera that is fixed in the world; trials are laid out by one")


class LayoutPicture:
    """Draws over the newest image of the fixed camera."""

    def __init__(
        self, node: Node, topics: ContractTopics, camera: Camera, asset: Callable[[str], Asset], group: Any
    ) -> None:
        """Subscribes in a callback group that runs beside long callbacks.

        Args:
            node: The conductor.
            topics: Of the node.
            camera: To draw over.
            asset: Gives the asset of an id.
            group: Of the subscriptions.
        """
        self._node, self._camera, self._asset = node, camera, asset
        self._image: tuple[bytes, float] = (b"", 0.0)
        self._lens: Lens | None = None
        self._view: tuple[str, Lens, LayoutView] | None = None
        self._publisher = topics.publisher(CompressedImage, contract.LAYOUT_VIEW_TOPIC)
        image, info = contract.compressed_topic(camera.name), contract.color_info_topic(camera.name)
        # Read only when a picture is to be drawn.
        topics.subscribe(CompressedImage, image, self._on_image, raw=True, callback_group=group)
        topics.subscribe(CameraInfo, info, self._on_info, callback_group=group)

    def _on_image(self, data: bytes) -> None:
        self._image = (data, time.monotonic())

    def _on_info(self, message: CameraInfo) -> None:
        self._lens = lens_from(message)

    def show(self, spec: EpisodeSpec, report: LayoutReport) -> None:
        """Publishes one picture, where somebody looks and there is an image."""
        data, heard_s = self._image
        if not self._publisher.get_subscription_count() or self._lens is None or time.monotonic() - heard_s > FRESH_S:
            return
        image = deserialize_message(data, CompressedImage)
        pixels = image_of(bytes(image.data))
        if pixels is not None:
            picture = jpeg_of(self._view_of(spec, self._lens).draw(pixels, report))
            self._publisher.publish(jpeg_message(picture, image.header.stamp, self._camera.optical_frame))

    def _view_of(self, spec: EpisodeSpec, lens: Lens) -> LayoutView:
        if self._view is None or self._view[:2] != (spec.id, lens):
            self._view = (spec.id, lens, LayoutView(spec, Silhouettes(self._camera, lens, self._asset)))
        return self._view[2]
