"""Tells cameras that look alike apart: a person covers one with a hand."""

from __future__ import annotations

import time
from collections.abc import Sequence

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice
from imove_hardware.realsense.camera import Camera
from imove_hardware.realsense.finding import camera_source
from imove_hardware.realsense.options import CameraSettings

_SHARE = 0.5
"""A hand on the lens takes more light away; a hand that passes by does not."""
_DARK_IMAGES = 3
_READ_S = 0.1


def covered_camera(devices: Sequence[CameraDevice], timeout_s: float) -> str:
    """Waits until one camera is covered.

    Args:
        devices: That may be meant.
        timeout_s: How long to wait.

    Returns:
        Serial number of the camera that became dark first.

    Raises:
        ImoveError: A camera cannot be opened, or none became dark.
    """
    cameras: dict[str, Camera] = {}
    try:
        for device in devices:
            camera = Camera(camera_source(device), device.profile, CameraSettings(exposure_us=device.exposure_us))
            cameras[device.serial] = camera
            camera.open()
        brightest = dict.fromkeys(cameras, 0.0)
        dark = dict.fromkeys(cameras, 0)
        deadline_s = time.monotonic() + timeout_s
        while time.monotonic() < deadline_s:
            for serial, camera in cameras.items():
                image = camera.image(_READ_S, depth=False)
                if image is None:
                    continue
                brightness = float(image.rgb[::4, ::4].mean())
                brightest[serial] = max(brightest[serial], brightness)
                dark[serial] = dark[serial] + 1 if brightness < _SHARE * brightest[serial] else 0
                if dark[serial] >= _DARK_IMAGES:
                    return serial
    finally:
        for camera in cameras.values():
            camera.close()
    raise ImoveError(f"none of the cameras {', '.join(cameras)} was covered within {timeout_s:g} s")
