"""Chooses the modes in which colour and depth of a camera run, and reads their optics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core.errors import ImoveError
from imove_core.hardware import CameraProfile
from imove_core.rig import Intrinsics
from imove_hardware.realsense.library import realsense

# Two images that differ by less show the same scene pixel by pixel.
_SAME_PIXELS, _SAME_METRES = 1e-3, 1e-4


@dataclass(frozen=True)
class Optics:
    """How a camera's image comes about.

    Attributes:
        intrinsics: Pinhole of the image.
        distortion: Coefficients k1, k2, p1, p2, k3.
    """

    intrinsics: Intrinsics
    distortion: tuple[float, ...]


@dataclass(frozen=True)
class Streams:
    """The chosen modes.

    Attributes:
        color_sensor: Sensor with the colour stream; on a D405 it is the depth sensor.
        color: Profile of the colour stream.
        depth_sensor: Sensor with the depth stream.
        depth: Profile of the depth stream.
    """

    color_sensor: Any
    color: Any
    depth_sensor: Any
    depth: Any

    @property
    def one_sensor(self) -> bool:
        """Whether colour and depth come from the same sensor, as on a D405."""
        return self.color_sensor is self.depth_sensor

    def by_sensor(self) -> tuple[tuple[Any, list[Any]], ...]:
        """Each sensor with the profiles that it is to be opened with."""
        if self.one_sensor:
            return ((self.depth_sensor, [self.depth, self.color]),)
        return ((self.depth_sensor, [self.depth]), (self.color_sensor, [self.color]))

    @property
    def optics(self) -> Optics:
        """Optics of the colour image."""
        return optics_of(self.color)

    @property
    def depth_unit_m(self) -> float:
        """What one count of the depth image stands for."""
        return float(self.depth_sensor.as_depth_sensor().get_depth_scale())

    @property
    def aligned(self) -> bool:
        """Whether depth is seen from where colour is seen, so that nothing is left to align."""
        color, depth = optics_of(self.color), optics_of(self.depth)
        motion = self.depth.get_extrinsics_to(self.color)
        turned = np.abs(np.array(motion.rotation).reshape(3, 3) - np.eye(3)).max()
        moved = np.abs(np.array(motion.translation)).max()
        pinholes = np.abs(color.intrinsics.matrix - depth.intrinsics.matrix).max()
        same_size = (color.intrinsics.width, color.intrinsics.height) == (
            depth.intrinsics.width,
            depth.intrinsics.height,
        )
        return bool(
            same_size
            and color.distortion == depth.distortion
            and turned < _SAME_METRES
            and moved < _SAME_METRES
            and pinholes < _SAME_PIXELS
        )


def optics_of(profile: Any) -> Optics:
    """Optics of a video stream profile."""
    found = profile.as_video_stream_profile().get_intrinsics()
    pinhole = Intrinsics(width=found.width, height=found.height, fx=found.fx, fy=found.fy, cx=found.ppx, cy=found.ppy)
    return Optics(pinhole, tuple(float(value) for value in found.coeffs))


def choose_streams(device: Any, wanted: CameraProfile, serial: str) -> Streams:
    """The colour and depth streams of a mode.

    Args:
        device: The camera.
        wanted: The mode, the same for colour (rgb8) and depth (z16).
        serial: How to call the camera in error messages.

    Raises:
        ImoveError: The camera does not offer the mode; the message says what it offers.
    """
    library = realsense()
    offered = [
        (sensor, profile)
        for sensor in device.query_sensors()
        for profile in sensor.get_stream_profiles()
        if profile.is_video_stream_profile()
    ]
    chosen = []
    for name, stream, pixels in (
        ("colour", library.stream.color, library.format.rgb8),
        ("depth", library.stream.depth, library.format.z16),
    ):
        fitting = [
            (sensor, profile)
            for sensor, profile in offered
            if profile.stream_type() == stream and profile.format() == pixels
        ]
        modes = {_mode(profile): (sensor, profile) for sensor, profile in fitting}
        mode = (wanted.width, wanted.height, wanted.rate_hz)
        if mode not in modes:
            allowed = ", ".join(_text(*found) for found in sorted(modes)) or f"no {name} at all"
            raise ImoveError(f"camera {serial} does not offer {name} at {_text(*mode)}; it offers {allowed}")
        chosen.append(modes[mode])
    (color_sensor, color), (depth_sensor, depth) = chosen
    return Streams(color_sensor, color, depth_sensor, depth)


def _mode(profile: Any) -> tuple[int, int, int]:
    video = profile.as_video_stream_profile()
    return int(video.width()), int(video.height()), int(video.fps())


def _text(width: int, height: int, rate_hz: int) -> str:
    return f"{width}x{height} at {rate_hz} Hz"
