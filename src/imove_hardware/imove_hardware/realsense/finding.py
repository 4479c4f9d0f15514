"""Finds a camera by its serial number: on USB, among recordings, or on the feed of an emulated table."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice
from imove_hardware.realsense.library import realsense


class CameraMissingError(ImoveError):
    """The camera is not there now; it may come."""


@dataclass(frozen=True)
class CameraFacts:
    """What a camera says of itself.

    Attributes:
        serial: Serial number.
        model: Name of the product, e.g. `Intel RealSense D455`.
        firmware: Version of its firmware, "" where it does not say.
        usb: Kind of USB connection, e.g. `3.2`, "" where it does not say.
    """

    serial: str
    model: str
    firmware: str
    usb: str


class CameraSource(Protocol):
    """Where a camera's device comes from, again and again as it is unplugged and plugged in."""

    @property
    def serial(self) -> str:
        """Serial number of the camera."""
        ...

    def device(self) -> Any:
        """The device, ready to be opened; raises CameraMissingError where it is not there."""
        ...

    def gone(self) -> bool:
        """Whether the device has been taken away since `device` was called; quick."""
        ...

    def close(self) -> None:
        """Lets go of the device."""
        ...


class DeviceContext:
    """The cameras that the RealSense library sees: those on USB, and recordings that stand for cameras."""

    def __init__(self, recordings: Sequence[str] = ()) -> None:
        """Looks for cameras.

        Args:
            recordings: Files (.db3) of recorded cameras.

        Raises:
            ImoveError: The library or a recording cannot be loaded.
        """
        self._library = realsense()
        self._context = self._library.context()
        # The context itself holds weak references: without these, recordings would vanish at once.
        self._loaded: dict[str, Any] = {}
        self.changes = 0
        self._lock = threading.Lock()
        self._context.set_devices_changed_callback(self._on_change)
        for path in recordings:
            self.load(path)

    def _on_change(self, _: Any) -> None:
        # Comes in a thread of the library; whoever is concerned looks for itself.
        with self._lock:
            self.changes += 1

    def load(self, path: str) -> None:
        """Plugs a recorded camera in; raises ImoveError where the file is no recording."""
        if not Path(path).is_file():
            raise ImoveError(f"recorded camera {path} does not exist")
        try:
            self._loaded[path] = self._context.load_device(path)
        except RuntimeError as error:
            raise ImoveError(f"recorded camera {path} cannot be read: {error}") from error

    def unload(self, path: str) -> None:
        """Unplugs a recorded camera."""
        self._context.unload_device(path)
        del self._loaded[path]

    def cameras(self) -> tuple[CameraFacts, ...]:
        """All cameras, by serial number."""
        found = (_facts(self._library.camera_info, device) for device in self._context.query_devices())
        return tuple(sorted(found, key=lambda facts: facts.serial))

    def device(self, serial: str) -> Any:
        """The device of a serial number; raises CameraMissingError naming those that are there."""
        for device in self._context.query_devices():
            if _facts(self._library.camera_info, device).serial == serial:
                return device
        there = ", ".join(f"{facts.serial} ({facts.model})" for facts in self.cameras())
        raise CameraMissingError(f"no camera has the serial number {serial}; there are {there or 'no cameras at all'}")

    def source(self, serial: str) -> CameraSource:
        """The camera of a serial number, whether it is there or not."""
        return _ContextSource(self, serial)


class _ContextSource:
    def __init__(self, context: DeviceContext, serial: str) -> None:
        self._context, self._serial = context, serial
        self._seen_changes = 0

    @property
    def serial(self) -> str:
        return self._serial

    def device(self) -> Any:
        self._seen_changes = self._context.changes
        return self._context.device(self._serial)

    def gone(self) -> bool:
        changes = self._context.changes
        if changes == self._seen_changes:
            return False
        self._seen_changes = changes
        return all(facts.serial != self._serial for facts in self._context.cameras())

    def close(self) -> None:
        pass


def camera_source(device: CameraDevice) -> CameraSource:
    """Where the camera of a rig's file comes from.

    Args:
        device: With a feed, it is an emulated camera; with a playback, a recorded one; else it is on USB.

    Raises:
        ImoveError: The library or the recording cannot be loaded, or the feed's address is none.
    """
    if device.feed:
        # Only emulated cameras need it.
        from imove_hardware.emulation.realsense.live import FeedSource

        return FeedSource(device.feed, device.serial)
    return DeviceContext([device.playback] if device.playback else []).source(device.serial)


def _facts(info: Any, device: Any) -> CameraFacts:
    def said(what: Any) -> str:
        return str(device.get_info(what)) if device.supports(what) else ""

    return CameraFacts(
        serial=said(info.serial_number),
        model=said(info.name),
        firmware=said(info.firmware_version),
        usb=said(info.usb_type_descriptor),
    )
