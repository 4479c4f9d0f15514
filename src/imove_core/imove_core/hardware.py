"""A lab's rig: which bus each arm is on, which serial number each camera has, when what was calibrated."""

import re
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field, NonNegativeFloat, PositiveFloat, PositiveInt

from imove_core.values import FrozenValue

_BUS = re.compile(
    r"(socketcan:[\w.-]+|virtual:[\w.-]+|socketcand:[\w.-]+:\d{1,5}/[\w.-]+|ros2_control:[\w./-]+)", re.ASCII
)
TABLE = "table"
"""Name under which the calibration of the table stands among those of cameras."""
BUS_FORMS = "socketcan:INTERFACE, socketcand:HOST:PORT/CHANNEL, virtual:NAME or ros2_control:CONTROLLER"


def _bus(address: str) -> str:
    if address and not _BUS.fullmatch(address):
        raise ValueError(f"bus is '{address}'; allowed: {BUS_FORMS}")
    return address


Bus = Annotated[str, AfterValidator(_bus)]


class ArmDevice(FrozenValue):
    """How an arm is connected.

    Attributes:
        bus: `socketcan:can_left` on a lab's machine; `socketcand:127.0.0.1:29536/left` between processes,
            `virtual:left` within one, `ros2_control:fr3_arm_controller` behind a controller of ROS.
        leader_bus: Bus of the leader that a person guides; the same as `bus` where the leader drives the follower by
            itself, "" where there is none.
        firmware: As it was read when the rig was set up, "" where nobody knows.
        speed_percent: Share of the controller's own top speed that the arm may move at.
    """

    bus: Bus
    leader_bus: Bus = ""
    firmware: str = ""
    speed_percent: Annotated[int, Field(ge=1, le=100)] = 100


class CameraProfile(FrozenValue):
    """A mode of a camera: pixels and images a second."""

    width: PositiveInt = 640
    height: PositiveInt = 480
    rate_hz: PositiveInt = 30


class CameraDevice(FrozenValue):
    """Which camera it is, and how it is set.

    Attributes:
        serial: Serial number, as printed on the camera.
        profile: Mode of colour and depth.
        exposure_us: Exposure of the colour image; None for the camera's own control.
        playback: Recorded camera (.db3) that stands for the device, "" for the device.
        feed: Address of an emulated camera's images, `tcp://HOST:PORT`, "" for a device.
    """

    serial: str
    profile: CameraProfile = CameraProfile()
    exposure_us: PositiveFloat | None = None
    playback: str = ""
    feed: str = ""


class Calibrated(FrozenValue):
    """When the place of a camera, or of the table, was measured, and how well.

    Attributes:
        calibrated_on: Day, UTC.
        reprojection_px: Root mean square over all views of how far the corners of the board were seen from where its
            pose puts them; None where nobody knows.
        residual_mm: Root mean square of how far the views contradict each other, None where nobody knows.
    """

    calibrated_on: date
    reprojection_px: NonNegativeFloat | None = None
    residual_mm: NonNegativeFloat | None = None


class RigHardware(FrozenValue):
    """Devices of a rig by the names of its arms and cameras; empty where there is only a simulation.

    Attributes:
        arms: How arms are connected.
        cameras: Which devices the cameras are.
        calibration: Of what a lab has calibrated: names of cameras, and `table`.
    """

    arms: dict[str, ArmDevice] = {}
    cameras: dict[str, CameraDevice] = {}
    calibration: dict[str, Calibrated] = {}
