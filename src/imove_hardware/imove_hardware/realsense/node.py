"""The RealSense driver: one camera of a rig behind the topics of the contract."""

import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from imove_core import contract
from imove_core.rig import load_rig
from imove_hardware.realsense.camera import Camera, CameraState
from imove_hardware.realsense.conversions import health_message
from imove_hardware.realsense.finding import CameraMissingError, camera_source
from imove_hardware.realsense.options import CameraSettings
from imove_hardware.realsense.publishing import ImagePublisher
from imove_ros.node_main import run_node
from imove_ros.parameters import declare, declare_choice, declare_count
from imove_ros.qos import ContractTopics

_MOST_PIXELS = 4096
_HEALTH_S = 1.0
# How long the loop waits for an image before it looks whether the node is to end.
_WAIT_S = 0.2
_EMITTER = {"keep": None, "on": True, "off": False}


class RealSenseDriver(Node):
    """Publishes the images of one camera."""

    def __init__(self) -> None:
        """Reads the parameters and opens the camera; one that is not there is waited for."""
        super().__init__("realsense_driver")
        rig = load_rig(declare(self, "rig", "piperx_dual"))
        self._name = rig.camera(declare(self, "camera", rig.cameras[0].name)).name
        device = rig.camera_device(self._name)
        width, height = (
            declare_count(self, f"image_{side}", pixels, _MOST_PIXELS)
            for side, pixels in (("width", device.profile.width), ("height", device.profile.height))
        )
        emitter = _EMITTER[declare_choice(self, "emitter", tuple(_EMITTER))]
        settings = CameraSettings(exposure_us=device.exposure_us, emitter=emitter)
        self._camera = Camera(camera_source(device), device.profile, settings)
        try:
            self._camera.open()
        except CameraMissingError as error:
            self.get_logger().warning(f"{error}; the driver waits for it")
        self._images = ImagePublisher(self, rig, self._name, width, height)
        topics = ContractTopics(self, rig)
        self._health = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._told: CameraState | None = None
        self._tell_at = 0.0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=self._name)
        self._thread.start()

    def _serve(self) -> None:
        while not self._ending.is_set():
            image = self._camera.image(_WAIT_S, depth=self._images.wants_depth)
            if image is not None:
                self._images.publish(image)
            self._tell(self._camera.state())
        self._camera.close()

    def _tell(self, state: CameraState) -> None:
        told, self._told = self._told, state
        changed = told is None or (told.connected, told.problem) != (state.connected, state.problem)
        if changed and told is not None:
            self._log(state)
        if changed or time.monotonic() >= self._tell_at:
            self._tell_at = time.monotonic() + _HEALTH_S
            message = health_message(self._name, state)
            message.header.stamp = self.get_clock().now().to_msg()
            self._health.publish(message)

    def _log(self, state: CameraState) -> None:
        if state.problem:
            self.get_logger().warning(state.problem)
        else:
            self.get_logger().info(f"camera {state.serial} gives images")

    def destroy_node(self) -> None:
        """Closes the camera with the node."""
        self._ending.set()
        self._thread.join()
        super().destroy_node()


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(RealSenseDriver)
