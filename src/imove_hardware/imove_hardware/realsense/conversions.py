"""Images, optics and health of a camera as messages."""

from array import array

from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import CameraInfo, CompressedImage

from imove_hardware.realsense.camera import CameraState
from imove_hardware.realsense.health import health_of
from imove_hardware.realsense.profiles import Optics
from imove_ros.conversions import camera_info, time_from_ns
from imove_ros.diagnostics import diagnostic_array

# As image_transport's plugin writes it, so that its subscribers know the channel order.
_JPEG_FORMAT = "rgb8; jpeg compressed bgr8"


def optics_message(stamp_ns: int, frame: str, optics: Optics) -> CameraInfo:
    """Intrinsics and distortion of an image."""
    message = camera_info(stamp_ns, frame, optics.intrinsics)
    message.d = list(optics.distortion)
    return message


def jpeg_message(stamp_ns: int, frame: str, encoded: bytes) -> CompressedImage:
    """A JPEG as a message."""
    message = CompressedImage(format=_JPEG_FORMAT)
    message.header.stamp, message.header.frame_id = time_from_ns(stamp_ns), frame
    data = array("B")
    data.frombytes(encoded)
    message.data = data
    return message


def health_message(camera: str, state: CameraState) -> DiagnosticArray:
    """How a camera does, for /diagnostics."""
    level, sentence, values = health_of(state)
    return diagnostic_array(f"camera/{camera}", state.serial, level, sentence, values)
