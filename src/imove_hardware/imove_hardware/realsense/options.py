"""Sets a camera's exposure and what else bears on its images; what it refuses is told, and no reason to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.profiles import Streams

# Unit of the option `exposure`: the depth module counts microseconds, the RGB camera steps of 100 microseconds
# (librealsense issue 8243).
_DEPTH_MODULE_STEP_US, _RGB_CAMERA_STEP_US = 1.0, 100.0


@dataclass(frozen=True)
class CameraSettings:
    """How a camera is set.

    Attributes:
        exposure_us: Exposure of the colour image; None for the camera's own control.
        emitter: Whether the infrared projector shines; None leaves it as it is.
    """

    exposure_us: float | None = None
    emitter: bool | None = None


def apply_settings(streams: Streams, settings: CameraSettings) -> tuple[str, ...]:
    """Sets a camera before it starts.

    Host time and a constant rate are asked for wherever the camera knows them: automatic exposure may otherwise lower
    the rate in the dark.

    Args:
        streams: The streams that will run.
        settings: What the lab wants.

    Returns:
        A sentence for each setting that the camera refused.
    """
    option = realsense().option
    color, depth = streams.color_sensor, streams.depth_sensor
    refused: list[str] = []
    for sensor in (color,) if streams.one_sensor else (color, depth):
        _set(sensor, option.global_time_enabled, 1.0, refused, needed=False)
    _set(color, option.auto_exposure_priority, 0.0, refused, needed=False)
    if settings.exposure_us is None:
        _set(color, option.enable_auto_exposure, 1.0, refused, needed=False)
    else:
        # The control must be off before a value is taken.
        _set(color, option.enable_auto_exposure, 0.0, refused, needed=False)
        step_us = _DEPTH_MODULE_STEP_US if streams.one_sensor else _RGB_CAMERA_STEP_US
        _set(color, option.exposure, round(settings.exposure_us / step_us), refused, needed=True)
    if settings.emitter is not None:
        _set(depth, option.emitter_enabled, float(settings.emitter), refused, needed=True)
    return tuple(refused)


def _set(sensor: Any, option: Any, value: float, refused: list[str], needed: bool) -> None:
    if not sensor.supports(option) or sensor.is_option_read_only(option):
        if needed:
            refused.append(f"{option.name} cannot be set on this camera")
        return
    try:
        allowed = sensor.get_option_range(option)
        if not allowed.min <= value <= allowed.max:
            refused.append(f"{option.name} {value:g} was refused; allowed: {allowed.min:g} to {allowed.max:g}")
            return
        sensor.set_option(option, value)
    except RuntimeError as error:
        refused.append(f"{option.name} {value:g} was refused: {error}")
