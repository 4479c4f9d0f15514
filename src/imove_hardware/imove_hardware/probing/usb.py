"""Which USB ports the cameras share, and how fast they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from imove_core.hardware import CameraProfile

DEVICES = Path("/sys/bus/usb/devices")
_REALSENSE = "RealSense"
SLOWEST_MBPS = 5000
"""USB 3; at the 480 Mbit/s of USB 2 a RealSense offers fewer modes, and slower ones."""
PAYLOAD = 0.8 * 0.8
"""Share of a USB 3 port's nominal rate that is left for images: 8 of 10 bits are data, the protocol takes a fifth."""
BYTES_PER_PIXEL = 4
"""On the wire: 2 of colour (YUYV) and 2 of depth (Z16)."""


@dataclass(frozen=True)
class UsbCamera:
    """A camera as the USB tree has it.

    Attributes:
        name: Its place in the tree, e.g. `2-1.3`: bus 2, root port 1, port 3 of the hub there.
        product: Name of the product.
        speed_mbps: Agreed speed of the link in Mbit/s.
    """

    name: str
    product: str
    speed_mbps: int

    @property
    def root_port(self) -> str:
        """The computer's own port, which all devices behind a hub share."""
        return self.name.split(".")[0]


def usb_cameras(devices: Path = DEVICES) -> tuple[UsbCamera, ...]:
    """All RealSense cameras on USB, by place."""
    found = []
    for folder in sorted(devices.glob("*-*")):
        try:
            product = (folder / "product").read_text(encoding="utf-8", errors="replace").strip()
            if _REALSENSE in product:
                speed = float((folder / "speed").read_text(encoding="ascii"))
                found.append(UsbCamera(folder.name, product, int(speed)))
        except (OSError, ValueError):
            continue  # An interface of a device, or a device that went away.
    return tuple(found)


def needed_mbps(profile: CameraProfile) -> float:
    """What a mode needs on the wire, colour and depth, in Mbit/s."""
    return profile.width * profile.height * profile.rate_hz * BYTES_PER_PIXEL * 8 / 1e6


def usb_problem(cameras: Sequence[UsbCamera], profile: CameraProfile) -> str:
    """What is wrong with how cameras are plugged in, "" where nothing is.

    Args:
        cameras: All on USB.
        profile: The largest mode that one of them runs in.
    """
    slow = [camera for camera in cameras if camera.speed_mbps < SLOWEST_MBPS]
    if slow:
        return (
            f"{slow[0].product} at USB {slow[0].name} is connected with {slow[0].speed_mbps} Mbit/s; {SLOWEST_MBPS} "
            "are needed: use a USB 3 port and the short cable that came with it"
        )
    for port, sharing in _by_root_port(cameras).items():
        needed, there = len(sharing) * needed_mbps(profile), PAYLOAD * min(camera.speed_mbps for camera in sharing)
        if needed > there:
            return (
                f"{len(sharing)} cameras share USB port {port} and need {needed:.0f} Mbit/s there; {there:.0f} pass: "
                "give one of them a port of its own, or a smaller mode"
            )
    return ""


def usb_summary(cameras: Sequence[UsbCamera]) -> str:
    """How cameras are spread over ports, in a few words."""
    ports = _by_root_port(cameras)
    return ", ".join(
        f"{len(sharing)} on port {port} ({sharing[0].speed_mbps} Mbit/s)" for port, sharing in ports.items()
    )


def _by_root_port(cameras: Sequence[UsbCamera]) -> Mapping[str, list[UsbCamera]]:
    ports: dict[str, list[UsbCamera]] = {}
    for camera in cameras:
        ports.setdefault(camera.root_port, []).append(camera)
    return ports
