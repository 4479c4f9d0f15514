"""Looks at every device of a rig at once, as they run together in an episode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from imove_core.rig import Rig
from imove_hardware.probing.arms import ArmProbe, probe_arm
from imove_hardware.probing.cameras import CameraProbe, probe_camera
from imove_hardware.probing.clock import clock_is_kept
from imove_hardware.probing.interfaces import CanInterface, can_interfaces
from imove_hardware.probing.usb import UsbCamera, usb_cameras

ROS_CONTROL = "ros2_control:"
OnDone = Callable[[str], None]
"""Told of each device that has been looked at."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """What was found.

    Attributes:
        interfaces: CAN interfaces of this computer.
        arms: By address of the bus.
        cameras: By the rig's name of the camera.
        usb: Cameras on USB.
        clock_kept: Whether a time server keeps the clock right, None where nobody knows.
    """

    interfaces: tuple[CanInterface, ...]
    arms: Mapping[str, ArmProbe]
    cameras: Mapping[str, CameraProbe]
    usb: tuple[UsbCamera, ...]
    clock_kept: bool | None


def can_buses(rig: Rig) -> tuple[str, ...]:
    """Addresses of all CAN buses of a rig, those of leaders too, each once."""
    devices = rig.hardware.arms.values()
    buses = [bus for device in devices for bus in (device.bus, device.leader_bus)]
    return tuple(dict.fromkeys(bus for bus in buses if bus and not bus.startswith(ROS_CONTROL)))


def measure(
    rig: Rig, on_done: OnDone = lambda name: None, known_arms: Mapping[str, ArmProbe] | None = None
) -> Measurement:
    """Looks at all devices of a rig file; takes a few seconds.

    Args:
        rig: With its hardware.
        on_done: Told of each device.
        known_arms: What was found on buses already, which are not asked again.

    Raises:
        ImoveError: An address is none.
    """
    known = known_arms or {}
    cameras = rig.hardware.cameras
    buses = [bus for bus in can_buses(rig) if bus not in known]
    with ThreadPoolExecutor(max_workers=max(1, len(buses) + len(cameras))) as pool:
        found_cameras = {pool.submit(probe_camera, device): name for name, device in cameras.items()}
        arms = {**known, **probe_buses(buses, on_done)}
        for future in as_completed(found_cameras):
            on_done(found_cameras[future])
        probes = {name: future.result() for future, name in found_cameras.items()}
    return Measurement(can_interfaces(), arms, probes, usb_cameras(), clock_is_kept())


def probe_buses(buses: Iterable[str], on_done: OnDone = lambda name: None) -> dict[str, ArmProbe]:
    """Looks at CAN buses at the same time; raises ImoveError where an address is none."""
    addresses = tuple(buses)
    with ThreadPoolExecutor(max_workers=max(1, len(addresses))) as pool:
        futures = {pool.submit(probe_arm, bus): bus for bus in addresses}
        for future in as_completed(futures):
            on_done(futures[future])
        return {bus: future.result() for future, bus in futures.items()}
