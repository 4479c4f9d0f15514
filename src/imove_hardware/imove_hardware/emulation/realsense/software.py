"""Cameras of the RealSense library's own making: devices without hardware, in the shape of a D455 or a D405."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Intrinsics
from imove_hardware.emulation.realsense.feed import FeedCamera
from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.stamps import Domain

# Product ids of the devices; depth units and baselines between the imagers as of the factory, m and mm.
_PRODUCT_IDS = {"D455": "0B5C", "D405": "0B5B"}
DEPTH_UNITS_M = {"D455": 1e-3, "D405": 1e-4}
_BASELINES_MM = {"D455": 95.0, "D405": 18.0}
_FIRMWARE = "5.17.0.10"
# Ranges of the exposure options: RGB camera of the D455 in 100 us, depth module of the D405 in us.
_EXPOSURES = {"D455": (1.0, 10000.0, 156.0), "D405": (1.0, 165000.0, 33000.0)}


@dataclass(frozen=True)
class DepthView:
    """Where the depth image is seen from, where that is not the colour image's place.

    Attributes:
        intrinsics: Of the depth image.
        color_from_depth_m: Translation of depth points into the colour camera.
    """

    intrinsics: Intrinsics
    color_from_depth_m: tuple[float, float, float]


class SoftwareCamera:
    """A device of the RealSense library whose images are pushed into it."""

    def __init__(self, camera: FeedCamera, depth_view: DepthView | None = None, options: bool = True) -> None:
        """Makes the device.

        Args:
            camera: What it is.
            depth_view: Where depth is seen from; None for the same place as colour.
            options: Whether its exposure can be set.
        """
        library = realsense()
        self.camera = camera
        self.device = library.software_device()
        info = library.camera_info
        for what, text in (
            (info.name, f"Intel RealSense {camera.model}"),
            (info.serial_number, camera.serial),
            (info.firmware_version, _FIRMWARE),
            (info.usb_type_descriptor, "3.2"),
            (info.product_line, "D400"),
            (info.product_id, _PRODUCT_IDS[camera.model]),
            (info.physical_port, f"emulated-{camera.serial}"),
        ):
            self.device.register_info(what, text)
        self._depth_sensor = self.device.add_sensor("Stereo Module")
        # A D405 has no RGB camera: colour comes from the stereo module.
        self._color_sensor = self.device.add_sensor("RGB Camera") if camera.model == "D455" else self._depth_sensor
        view = depth_view or DepthView(camera.intrinsics, (0.0, 0.0, 0.0))
        self._depth = self._depth_sensor.add_video_stream(self._stream("depth", view.intrinsics), True)
        self._color = self._color_sensor.add_video_stream(self._stream("color", camera.intrinsics), True)
        motion = library.extrinsics()
        motion.rotation, motion.translation = np.eye(3).ravel().tolist(), list(view.color_from_depth_m)
        self._depth.register_extrinsics_to(self._color, motion)
        self._unit_m = DEPTH_UNITS_M[camera.model]
        self._depth_sensor.add_read_only_option(library.option.depth_units, self._unit_m)
        self._depth_sensor.add_read_only_option(library.option.stereo_baseline, _BASELINES_MM[camera.model])
        if options:
            self._add_options()
        self.device.create_matcher(library.matchers.dlr_c)

    def _stream(self, kind: str, intrinsics: Intrinsics) -> Any:
        library = realsense()
        stream, pinhole = library.video_stream(), library.intrinsics()
        pinhole.width, pinhole.height = intrinsics.width, intrinsics.height
        pinhole.fx, pinhole.fy, pinhole.ppx, pinhole.ppy = intrinsics.fx, intrinsics.fy, intrinsics.cx, intrinsics.cy
        pinhole.model, pinhole.coeffs = library.distortion.brown_conrady, [0.0] * 5
        color = kind == "color"
        stream.type = library.stream.color if color else library.stream.depth
        stream.index, stream.uid = 0, int(color)
        stream.width, stream.height, stream.fps = intrinsics.width, intrinsics.height, self.camera.rate_hz
        stream.bpp, stream.fmt = (3, library.format.rgb8) if color else (2, library.format.z16)
        stream.intrinsics = pinhole
        return stream

    def _add_options(self) -> None:
        option = realsense().option
        low, high, default = _EXPOSURES[self.camera.model]
        for which, least, most, first in (
            (option.exposure, low, high, default),
            (option.enable_auto_exposure, 0.0, 1.0, 1.0),
            (option.auto_exposure_priority, 0.0, 1.0, 1.0),
        ):
            allowed = realsense().option_range()
            allowed.min, allowed.max, allowed.step, allowed.default = least, most, 1.0, first
            self._color_sensor.add_option(which, allowed, True)

    def push(
        self,
        rgb: NDArray[np.uint8] | None,
        depth_mm: NDArray[np.uint16] | None,
        number: int,
        time_ms: float,
        domain: Domain = Domain.SYSTEM,
    ) -> None:
        """Gives the device images; whoever has opened it gets them.

        Args:
            rgb: (H, W, 3), None for a lost colour image.
            depth_mm: (H, W) in mm, None for a lost depth image.
            number: Frame number of both.
            time_ms: Time of both, by the clock of `domain`.
            domain: Whose clock that is.
        """
        metadata = realsense().frame_metadata_value
        for sensor in (self._depth_sensor, self._color_sensor):
            # Without the true rate the library takes the first second's images for those of different moments.
            sensor.set_metadata(metadata.actual_fps, 1000 * self.camera.rate_hz)
        if depth_mm is not None:
            frame = self._frame(self._depth, self._counts(depth_mm), 2, number, time_ms, domain)
            frame.depth_units = self._unit_m
            self._depth_sensor.on_video_frame(frame)
        if rgb is not None:
            pixels = np.ascontiguousarray(rgb)
            self._color_sensor.on_video_frame(self._frame(self._color, pixels, 3, number, time_ms, domain))

    def _counts(self, depth_mm: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Depth in the device's unit, 0 where it is too far for 16 bits."""
        per_mm = round(1e-3 / self._unit_m)
        if per_mm == 1:
            return np.ascontiguousarray(depth_mm)
        return np.where(depth_mm > 65535 // per_mm, 0, depth_mm * per_mm).astype(np.uint16)

    def _frame(
        self, profile: Any, pixels: NDArray[Any], pixel_bytes: int, number: int, time_ms: float, domain: Domain
    ) -> Any:
        frame = realsense().software_video_frame()
        frame.stride, frame.bpp, frame.pixels = pixels.shape[1] * pixel_bytes, pixel_bytes, pixels
        frame.timestamp, frame.frame_number = time_ms, number
        frame.domain = getattr(realsense().timestamp_domain, domain.value)
        frame.profile = profile.as_video_stream_profile()
        return frame
