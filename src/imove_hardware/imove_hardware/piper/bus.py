"""The way to an arm: a CAN bus behind the vendor's SDK, opened by the address in the rig file.

The SDK is `piper_sdk` 0.6.2, unmodified, with its own judgement of kernel interfaces switched off: it knows socketcan
only. Every frame goes through the SDK's parser and then to one listener, in the SDK's reading thread, so that what the
SDK holds can be copied before the next frame changes it.
"""

from __future__ import annotations

import itertools
import logging
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imove_core.errors import ImoveError

BITRATE = 1_000_000
REACH_TIMEOUT_S = 0.5
TRANSPORTS = ("socketcan", "socketcand", "virtual")

FrameListener = Callable[[int, float], None]
"""Told of a frame's identifier and time stamp in s, after the SDK has parsed it."""

WANTED_FRAMES = (
    (0x2A1, 0x7FF),
    (0x2A4, 0x7FC),
    (0x2A8, 0x7FF),
    (0x250, 0x7F8),
    (0x260, 0x7F8),
    (0x150, 0x7F0),
    (0x470, 0x7F0),
    (0x4A0, 0x7F0),
)
"""Identifiers and masks of what is read: status, joints, gripper, motors, a leader's commands, answers. The end poses
0x2A2 and 0x2A3 are a seventh of the traffic, and nobody reads them."""
FOREIGN_FRAMES = ((0x2B0, 0x7F0), (0x2C0, 0x7F0), (0x3A0, 0x7F0))
"""Where the feedback of an arm is that was left with moved identifiers, or as a leader."""

_ADDRESS = re.compile(r"(?P<kind>socketcan|virtual):(?P<channel>[\w.-]+)|socketcand:(?P<place>[\w.-]+:\d+/[\w.-]+)")
_CLIENT = "imove_hardware.piper.socketcand_bus"
_opening = threading.Lock()
_numbers = itertools.count()


@dataclass(frozen=True)
class BusAddress:
    """Where a bus is.

    Attributes:
        kind: One of `TRANSPORTS`.
        channel: Network interface, channel of the server, or name within the process.
        host: Of the server; "" where there is none.
        port: Of the server; 0 where there is none.
    """

    kind: str
    channel: str
    host: str = ""
    port: int = 0

    def __str__(self) -> str:
        """As in the rig file."""
        return f"{self.kind}:{self.host}:{self.port}/{self.channel}" if self.host else f"{self.kind}:{self.channel}"


def parse_address(address: str) -> BusAddress:
    """Reads an address of the rig file.

    Raises:
        ImoveError: It is not one of a CAN bus.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ImoveError(
            f"bus '{address}' is none of a PiPER; allowed: socketcan:INTERFACE, socketcand:HOST:PORT/CHANNEL, "
            "virtual:NAME"
        )
    if found["kind"]:
        return BusAddress(found["kind"], found["channel"])
    place, channel = found["place"].split("/")
    host, port = place.split(":")
    return BusAddress("socketcand", channel, host, int(port))


class PiperBus:
    """One open bus with the SDK over it; opened anew after each loss, since the SDK does not come back by itself."""

    def __init__(self, address: BusAddress) -> None:
        """Opens the bus; nothing is sent, and nothing read before `start`.

        Raises:
            ImoveError: There is no such bus, or nothing answers where it should be.
        """
        _check_reachable(address)
        # Imported here, since the SDK makes loggers and tables as it is imported.
        from piper_sdk import C_PiperInterface_V2, LogLevel  # noqa: PLC0415
        from piper_sdk.utils import global_area  # noqa: PLC0415

        # It would log each frame that cannot be sent, a thousand a second; the driver tells of a dead bus itself.
        logging.getLogger(global_area).disabled = True
        # The SDK keeps one instance a name for ever, with what it last read.
        self._key = f"{address}#{next(_numbers)}"
        self._class = C_PiperInterface_V2
        self.sdk: Any = C_PiperInterface_V2(
            self._key, judge_flag=False, can_auto_init=False, logger_level=LogLevel.SILENT
        )
        try:
            with _configured(address):
                self.sdk.CreateCanBus(address.channel, bustype=address.kind, expected_bitrate=BITRATE)
        except ConnectionError as error:
            self._forget()
            raise ImoveError(_not_opened(address)) from error
        self._can = self.sdk.GetCanBus()
        if self._can.recv_bus is None:
            self._forget()
            raise ImoveError(_not_opened(address))
        self._leave_unread(address)
        self.accept(WANTED_FRAMES + FOREIGN_FRAMES)

    def start(self, listener: FrameListener) -> None:
        """Starts to read.

        Args:
            listener: Told of every frame, in the reading thread.
        """

        def receive(message: Any) -> None:
            self.sdk.ParseCANFrame(message)
            listener(message.arbitration_id, message.timestamp)

        self._can.callback_function = receive
        self.sdk.ConnectPort(piper_init=False)

    def accept(self, frames: tuple[tuple[int, int], ...]) -> None:
        """Lets only these identifiers, with their masks, through to the SDK; the kernel does it on socketcan."""
        self._can.recv_bus.set_filters([{"can_id": i, "can_mask": mask, "extended": False} for i, mask in frames])

    def _leave_unread(self, address: BusAddress) -> None:
        """The SDK opens a second bus to send on, where all that comes would wait for a reader who never comes."""
        can = self._can
        if address.kind == "socketcan":
            can.send_bus.set_filters([{"can_id": 0, "can_mask": 0x7FF, "extended": False}])
        else:
            # Emulated buses need no second connection; the SDK does the same on other systems.
            can.send_bus.shutdown()
            can.send_bus = can.recv_bus

    def close(self) -> None:
        """Stops to read and closes the bus; the arm stays as it is."""
        self.sdk.DisconnectPort()
        self._forget()

    def _forget(self) -> None:
        """Ends what the SDK leaves behind: its monitor and its counter go on for ever after `DisconnectPort`."""
        private = f"_{self._class.__name__}__"
        stop_monitor = getattr(self.sdk, f"{private}can_monitor_stop_event", None)
        if stop_monitor is not None:
            stop_monitor.set()
        counter = getattr(self.sdk, f"{private}fps_counter", None)
        if counter is not None:
            counter.stop()
        self._class._instances.pop(self._key, None)


@contextmanager
def _configured(address: BusAddress) -> Iterator[None]:
    """Tells python-can what the SDK does not: where the server is, and to wait for it in measure.

    In this process, and while a bus is opened.
    """
    import can  # noqa: PLC0415
    from can.interfaces import BACKENDS  # noqa: PLC0415

    with _opening:
        before, client = dict(can.rc), BACKENDS["socketcand"]
        BACKENDS["socketcand"] = (_CLIENT, "SocketcandBus")
        if address.kind == "socketcand":
            can.rc.update(host=address.host, port=address.port, tcp_tune=True)
        try:
            yield
        finally:
            can.rc.clear()
            can.rc.update(before)
            BACKENDS["socketcand"] = client


def _check_reachable(address: BusAddress) -> None:
    """Looks before the SDK does: python-can tries to reach a server for 10 s, at the cost of a whole core."""
    if address.kind == "socketcan":
        state = Path("/sys/class/net") / address.channel / "operstate"
        if not state.exists() or state.read_text(encoding="ascii").strip() == "down":
            raise ImoveError(_not_opened(address))
    if address.kind == "socketcand":
        try:
            with socket.create_connection((address.host, address.port), REACH_TIMEOUT_S) as probe:
                greeting = probe.recv(64)
        except OSError as error:
            raise ImoveError(_not_opened(address)) from error
        if b"hi" not in greeting:
            raise ImoveError(_not_opened(address))


def _not_opened(address: BusAddress) -> str:
    if address.kind == "socketcan":
        return (
            f"CAN interface {address.channel} is not there or not up; plug in its adapter, then run "
            f"`sudo ip link set {address.channel} up type can bitrate {BITRATE}`"
        )
    if address.kind == "socketcand":
        return f"no CAN server answers at {address.host}:{address.port} for channel {address.channel}"
    return f"bus {address} cannot be opened"
