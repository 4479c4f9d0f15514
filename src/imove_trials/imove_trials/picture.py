"""Publishes the picture by which a scene is laid out, while somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import Camera, Rig
from imove_core.spec import EpisodeSpec
from imove_ros.by_hand import Newest
from imove_ros.conversions import ns_from_time
from imove_ros.qos import ContractTopics
from imove_tasks.assets.model import Asset
from imove_trials.conversions import jpeg_message, lens_from
from imove_trials.layout_check import LayoutReport
from imove_trials.layout_view import LayoutView, image_of, jpeg_of
from imove_trials.silhouettes import Lens, Silhouettes

FRESH_NS = 2_000_000_000
"""An older image would show objects where they no longer are."""


def fixed_camera(rig: Rig) -> Camera:
    """The first camera that stands still; raises ImoveError where every one sits on an arm."""
    for camera in rig.cameras:
        if camera.arm_and_link is None:
            return camera
    raise ImoveError(f"rig {rig.name} has no camera that is fixed in the world; trials are laid out by one")


class LayoutPicture:
    """Draws over the newest image of the fixed camera."""

    def __init__(self, node: Node, topics: ContractTopics, camera: Camera, asset: Callable[[str], Asset]) -> None:
        """Subscribes.

        Args:
            node: The conductor.
            topics: Of the conductor.
            camera: To draw over.
            asset: Gives the asset of an id.
        """
        self._node, self._camera, self._asset = node, camera, asset
        # Images are read only when a picture is to be drawn.
        self._images = Newest(node, CompressedImage, contract.compressed_topic(camera.name))
        self._infos = Newest(node, CameraInfo, contract.color_info_topic(camera.name))
        self._view: tuple[str, Lens, LayoutView] | None = None
        self._publisher = topics.publisher(CompressedImage, contract.LAYOUT_VIEW_TOPIC)

    def show(self, spec: EpisodeSpec, report: LayoutReport) -> None:
        """Publishes one picture, where somebody looks and there is an image."""
        if not self._publisher.get_subscription_count():
            return
        image, info = self._images.get(), self._infos.get()
        if image is None or info is None:
            return
        age_ns = self._node.get_clock().now().nanoseconds - ns_from_time(image.header.stamp)
        pixels = image_of(bytes(image.data)) if age_ns < FRESH_NS else None
        if pixels is not None:
            picture = jpeg_of(self._view_of(spec, lens_from(info)).draw(pixels, report))
            self._publisher.publish(jpeg_message(picture, image.header.stamp, self._camera.optical_frame))

    def _view_of(self, spec: EpisodeSpec, lens: Lens) -> LayoutView:
        if self._view is None or self._view[:2] != (spec.id, lens):
            self._view = (spec.id, lens, LayoutView(spec, Silhouettes(self._camera, lens, self._asset)))
        return self._view[2]
