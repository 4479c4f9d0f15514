"""The vendor's driver in place of ours: how realsense2_camera must be started to keep the topic contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

import yaml

from imove_core.errors import ImoveError, unknown_name
from imove_core.hardware import CameraDevice
from imove_core.rig import Rig

PACKAGE, EXECUTABLE = "realsense2_camera", "realsense2_camera_node"
# Module that the colour stream belongs to, and unit of its exposure in microseconds.
_COLOR_MODULES = {"D455": ("rgb_camera", 100.0), "D405": ("depth_module", 1.0)}


@dataclass(frozen=True)
class VendorDriver:
    """A node of realsense2_camera.

    Attributes:
        name: Name of the node, which is that of the camera: its topics are below it.
        parameters: ROS parameters.
        remappings: Pairs (name in the node, name in the graph).
    """

    name: str
    parameters: Mapping[str, str | int | float | bool]
    remappings: tuple[tuple[str, str], ...]


def vendor_driver(rig: Rig, camera: str) -> VendorDriver:
    """The vendor's node for a camera of a rig; it publishes images in the size of the camera's mode only.

    Args:
        rig: A lab's rig, with the camera's serial number.
        camera: Name of the camera.

    Raises:
        ImoveError: The rig does not say which device it is, it is an emulated one, or its model is not known.
    """
    model, device = rig.camera(camera).model, rig.camera_device(camera)
    if model not in _COLOR_MODULES:
        raise unknown_name(f"model of camera '{camera}'", model, _COLOR_MODULES)
    if device.feed:
        raise ImoveError(f"camera '{camera}' is an emulated one, which {PACKAGE} cannot open")
    parameters = _read(f"{model}.yaml") | {"camera_name": camera} | _device(model, device)
    remappings = tuple((inner, str(outer)) for inner, outer in _read("remap.yaml").items())
    return VendorDriver(camera, parameters, remappings)


def _device(model: str, device: CameraDevice) -> dict[str, str | int | float | bool]:
    module, step_us = _COLOR_MODULES[model]
    mode = f"{device.profile.width}x{device.profile.height}x{device.profile.rate_hz}"
    # The driver takes the underscore away; without it, a launch file makes a number of the text.
    wanted: dict[str, str | int | float | bool] = {"serial_no": f"_{device.serial}"}
    if device.playback:
        wanted |= {"rosbag_filename": device.playback, "rosbag_loop": True}
    wanted |= {f"{module}.color_profile": mode, "depth_module.depth_profile": mode}
    wanted[f"{module}.enable_auto_exposure"] = device.exposure_us is None
    if device.exposure_us is not None:
        wanted[f"{module}.exposure"] = round(device.exposure_us / step_us)
    return wanted


def _read(name: str) -> dict[str, str | int | float | bool]:
    text = (resources.files("imove_hardware.realsense.vendor") / name).read_text()
    content: dict[str, str | int | float | bool] = yaml.safe_load(text)
    return content
