"""What works on this machine: the findings that `imove doctor` prints."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from imove_bringup import ros_launch
from imove_bringup.installed import executable_path
from imove_core.errors import ImoveError

Status = Literal["ok", "absent", "warning", "failed"]

_LIBRARIES = ("numpy", "scipy", "pydantic", "mujoco", "shapely")


@dataclass(frozen=True)
class Finding:
    """One line of the diagnosis.

    Attributes:
        name: What was looked at.
        status: "absent" for something that only some jobs need, "warning" for something that works and could be
            better, "failed" for something that is needed.
        detail: What was found, or what to do.
    """

    name: str
    status: Status
    detail: str


def diagnose() -> list[Finding]:
    """Looks at everything, in the order in which it is printed."""
    checks = (_python, _ros, _launch, _libraries, _renderer, _disk, _shared_memory, _viewers, _can, _cameras)
    return [check() for check in checks]


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()}, {platform.platform()}")


def _ros() -> Finding:
    if importlib.util.find_spec("rclpy") is None:
        return Finding("ros", "failed", "rclpy is not importable; run ./imove setup or source a ROS 2 installation")
    from rclpy.utilities import get_rmw_implementation_identifier

    distribution = os.environ.get("ROS_DISTRO", "from wheels")
    domain, reach = os.environ.get("ROS_DOMAIN_ID", "0"), os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    detail = f"rclpy {_version('rclpy') or 'of unknown version'} ({distribution}), "
    detail += f"{get_rmw_implementation_identifier()}, domain {domain}, discovery {reach}"
    return Finding("ros", "ok", detail)


def _launch() -> Finding:
    return Finding("launch", "ok", "ROS launch" if ros_launch.is_available() else "imove's own supervisor")


def _libraries() -> Finding:
    versions = {name: _version(name) for name in _LIBRARIES}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return Finding("libraries", "failed", f"not installed: {', '.join(missing)}; run ./imove setup")
    return Finding("libraries", "ok", ", ".join(f"{name} {version}" for name, version in versions.items()))


def _renderer() -> Finding:
    from imove_sim_bridge.gl import check_gl

    try:
        info = check_gl()
    except ImoveError as error:
        return Finding("renderer", "failed", str(error))
    return Finding("renderer", "ok", ", ".join(str(value) for value in info.values()))


def _disk() -> Finding:
    from imove_eval.output_folder import NEEDED_BYTES

    free = shutil.disk_usage(Path.cwd()).free
    status: Status = "ok" if free >= NEEDED_BYTES else "failed"
    return Finding("disk", status, f"{free / 1e9:.1f} GB free in {Path.cwd()}")


def _shared_memory() -> Finding:
    folder = Path("/dev/shm")
    if not folder.is_dir():
        return Finding("shared memory", "absent", f"{folder} does not exist; images travel over loopback")
    return Finding("shared memory", "ok", f"{shutil.disk_usage(folder).free / 1e6:.0f} MB free in {folder}")


def _viewers() -> Finding:
    found = []
    try:
        executable_path("rviz2", "rviz2")
        found.append("rviz")
    except ImoveError:
        pass
    if importlib.util.find_spec("rerun") is not None:
        found.append("rerun")
    if not found:
        return Finding("viewers", "absent", "neither rviz2 nor rerun-sdk; ./imove setup --view installs the latter")
    return Finding("viewers", "ok", ", ".join(f"view:={name}" for name in found))


def _can() -> Finding:
    from imove_hardware.probing.interfaces import can_interfaces

    interfaces = [f"{interface.name} ({interface.summary})" for interface in can_interfaces()]
    if not interfaces:
        return Finding("can", "absent", "no CAN interface; real arms need one each")
    return Finding("can", "ok", ", ".join(interfaces))


def _cameras() -> Finding:
    if importlib.util.find_spec("pyrealsense2") is None:
        return Finding("cameras", "absent", "pyrealsense2 is not installed; real cameras need it")
    from imove_hardware.realsense.finding import DeviceContext

    try:
        devices = [f"{facts.model} {facts.serial}" for facts in DeviceContext().cameras()]
    except ImoveError as error:
        return Finding("cameras", "absent", str(error))
    if not devices:
        return Finding("cameras", "absent", "no RealSense camera is connected")
    return Finding("cameras", "ok", ", ".join(devices))
