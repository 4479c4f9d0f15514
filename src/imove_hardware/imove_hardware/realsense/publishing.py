"""Publishes the images of a camera on the topics of the contract: each kind only where somebody listens."""

from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from imove_core import contract
from imove_core.rig import Rig
from imove_hardware.realsense.camera import CameraImage
from imove_hardware.realsense.conversions import jpeg_message, optics_message
from imove_hardware.realsense.encoding import Framing, jpeg
from imove_ros.conversions import image_message
from imove_ros.qos import ContractTopics


class ImagePublisher:
    """Colour, raw and as JPEG, aligned depth, and the optics of both."""

    def __init__(self, node: Node, rig: Rig, camera: str, width: int, height: int) -> None:
        """Creates the publishers.

        Args:
            node: Whose publishers they are.
            rig: The rig with the camera.
            camera: Name of the camera in the rig.
            width: Of published images, pixels.
            height: Of published images, pixels.
        """
        self._frame, self._size = rig.camera(camera).optical_frame, (width, height)
        self._framing: Framing | None = None
        topics = ContractTopics(node, rig)
        self._color = topics.publisher(Image, contract.color_topic(camera))
        self._jpeg = topics.publisher(CompressedImage, contract.compressed_topic(camera))
        self._depth = topics.publisher(Image, contract.depth_topic(camera))
        self._infos = [
            topics.publisher(CameraInfo, topic)
            for topic in (contract.color_info_topic(camera), contract.depth_info_topic(camera))
        ]

    @property
    def wants_depth(self) -> bool:
        """Whether somebody listens to depth."""
        return _heard(self._depth)

    def publish(self, image: CameraImage) -> None:
        """Publishes an image of the camera."""
        stamp_ns, frame = image.stamp_ns, self._frame
        if self._framing is None or self._framing.source != image.optics:
            self._framing = Framing(image.optics, *self._size)
        if _heard(self._color) or _heard(self._jpeg):
            rgb = self._framing.color(image.rgb)
            if _heard(self._color):
                self._color.publish(image_message(stamp_ns, frame, rgb))
            if _heard(self._jpeg):
                self._jpeg.publish(jpeg_message(stamp_ns, frame, jpeg(rgb)))
        if image.depth_mm is not None and self.wants_depth:
            self._depth.publish(image_message(stamp_ns, frame, self._framing.depth(image.depth_mm)))
        info = optics_message(stamp_ns, frame, self._framing.optics)
        for publisher in self._infos:
            publisher.publish(info)


def _heard(publisher: Any) -> bool:
    return bool(publisher.get_subscription_count())
