"""How a camera does: its rate, its drops, its exposure, watched through the driver's own code."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice
from imove_core.rig import Intrinsics
from imove_hardware.realsense.camera import Camera
from imove_hardware.realsense.finding import CameraMissingError, CameraSource, camera_source
from imove_hardware.realsense.options import CameraSettings

WATCH_S = 3.0
"""Longer than the two seconds over which a rate is told."""
START_S = 8.0
"""The first image of several cameras on one hub may take 5 s."""
_READ_S = 0.2
_DARK, _BRIGHT = 30, 250
"""Mean brightness below which an image is dark; value above which a pixel is blown out; both of 255."""
_BLOWN_SHARE = 0.2
"""White paper or a lamp fills less of an image that is exposed well."""


@dataclass(frozen=True)
class CameraProbe:
    """What was found.

    Attributes:
        serial: Serial number.
        problem: Why it gives no images, "" where it does.
        refused: Settings that it refused, in a sentence.
        intrinsics: Of its colour image in its mode, None where it gives none.
        rate_hz: Pairs of colour and depth a second.
        nominal_hz: Rate of its mode.
        dropped: Images that it numbered and that did not come, while it was watched.
        domain: Whose clock stamps its images.
        brightness: Mean of the colour image, of 255.
        blown_share: Share of pixels that are blown out.
        depth_share: Share of pixels with a distance.
    """

    serial: str
    problem: str
    refused: str = ""
    intrinsics: Intrinsics | None = None
    rate_hz: float = 0.0
    nominal_hz: int = 0
    dropped: int = 0
    domain: str = ""
    brightness: float = 0.0
    blown_share: float = 0.0
    depth_share: float = 0.0

    @property
    def exposure_problem(self) -> str:
        """What is wrong with its exposure, "" where nothing is."""
        if self.brightness < _DARK:
            return f"its image is dark (mean {self.brightness:.0f} of 255): more light, or a longer exposure_us"
        if self.blown_share > _BLOWN_SHARE:
            return f"{100 * self.blown_share:.0f} % of its image is blown out: less light, or a shorter exposure_us"
        return ""


@dataclass
class _Sums:
    brightness: list[float] = field(default_factory=list)
    blown: list[float] = field(default_factory=list)
    depth: list[float] = field(default_factory=list)

    def add(self, rgb: NDArray[np.uint8], depth_mm: NDArray[np.uint16] | None) -> None:
        # Every fourth pixel tells as much, and leaves the processor to the cameras.
        pixels = rgb[::4, ::4]
        self.brightness.append(float(pixels.mean()))
        self.blown.append(float((pixels.min(axis=2) >= _BRIGHT).mean()))
        if depth_mm is not None:
            self.depth.append(float((depth_mm[::4, ::4] > 0).mean()))


def probe_camera(
    device: CameraDevice,
    watch_s: float = WATCH_S,
    start_s: float = START_S,
    find: Callable[[CameraDevice], CameraSource] = camera_source,
) -> CameraProbe:
    """Opens a camera as the rig file says, and watches it.

    Args:
        device: Of the rig file.
        watch_s: How long, from its first image on.
        start_s: How long its first image may take.
        find: Says where the camera comes from.
    """
    try:
        camera = Camera(find(device), device.profile, CameraSettings(exposure_us=device.exposure_us))
    except ImoveError as error:
        return CameraProbe(device.serial, str(error))
    try:
        return _watch(camera, device, watch_s, start_s)
    except ImoveError as error:
        return CameraProbe(device.serial, str(error))
    finally:
        camera.close()


def _watch(camera: Camera, device: CameraDevice, watch_s: float, start_s: float) -> CameraProbe:
    try:
        camera.open()
    except CameraMissingError:
        # A feed may take a while to give its first image; a device is there or not.
        if not device.feed:
            raise
    first, until_s = None, time.monotonic() + start_s
    while first is None and time.monotonic() < until_s:
        first = camera.image(_READ_S)
    if first is None:
        return CameraProbe(device.serial, camera.state().problem or f"camera {device.serial} gives no images")
    dropped, sums = camera.state().counts.dropped, _Sums()
    sums.add(first.rgb, first.depth_mm)
    until_s = time.monotonic() + watch_s
    while time.monotonic() < until_s:
        image = camera.image(_READ_S)
        if image is not None:
            sums.add(image.rgb, image.depth_mm)
    state = camera.state()
    if not state.connected:
        return CameraProbe(device.serial, state.problem)
    return CameraProbe(
        serial=device.serial,
        problem="",
        refused=state.problem,
        intrinsics=first.optics.intrinsics,
        rate_hz=state.rate_hz,
        nominal_hz=state.nominal_hz,
        dropped=state.counts.dropped - dropped,
        domain=state.domain.value if state.domain is not None else "",
        brightness=float(np.mean(sums.brightness)),
        blown_share=float(np.mean(sums.blown)),
        depth_share=float(np.mean(sums.depth)) if sums.depth else 0.0,
    )
