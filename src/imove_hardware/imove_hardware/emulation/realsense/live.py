"""An emulated camera that lives: a device of the RealSense library that shows the images of a feed."""

from __future__ import annotations

import threading
from typing import Any

from imove_core.errors import ImoveError
from imove_hardware.emulation.realsense.feed import FeedFrame, FrameSubscriber
from imove_hardware.emulation.realsense.software import SoftwareCamera
from imove_hardware.realsense.finding import CameraMissingError
from imove_hardware.realsense.stamps import Domain

# How long the feed may take to give the image from which the device takes its shape.
_FIRST_IMAGE_S = 1.0
_POLL_S = 0.1


class FeedSource:
    """The camera of a feed, for a driver that takes it for a device."""

    def __init__(self, address: str, serial: str) -> None:
        """Subscribes to the feed; raises ImoveError where the address is none.

        Args:
            address: Of the feed, `tcp://HOST:PORT`.
            serial: Serial number of the camera.
        """
        self._address, self._serial = address, serial
        self._subscriber = FrameSubscriber(address, serial)
        self._news = threading.Condition()
        self._newest: FeedFrame | None = None
        self._software: SoftwareCamera | None = None
        self._wrong = ""
        self._ending = threading.Event()
        # Reads on while no device is open: what waits unread would be old when it is wanted.
        self._thread = threading.Thread(target=self._run, name=f"feed {serial}", daemon=True)
        self._thread.start()

    @property
    def serial(self) -> str:
        """Serial number of the camera."""
        return self._serial

    def device(self) -> Any:
        """A new device in the shape of the camera that the feed announces.

        Raises:
            CameraMissingError: The feed shows no image of it, or what it sends is none.
        """
        with self._news:
            self._newest = self._software = None
            frame = self._news.wait_for(lambda: self._newest, _FIRST_IMAGE_S)
            if frame is None:
                raise CameraMissingError(
                    self._wrong or f"camera feed {self._address} shows no images of camera {self._serial}"
                )
            self._software = SoftwareCamera(frame.camera)
            return self._software.device

    def gone(self) -> bool:
        """Whether the camera was unplugged."""
        return self._software is None

    def close(self) -> None:
        """Unsubscribes."""
        self._ending.set()
        self._thread.join()
        self._subscriber.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._show(self._subscriber.newest(_POLL_S))
            except ImoveError as error:
                self._wrong = str(error)

    def _show(self, frame: FeedFrame | None) -> None:
        with self._news:
            software = self._software
            if not self._subscriber.plugged or (frame and software and frame.camera != software.camera):
                # Another camera under the same number is another device.
                self._newest = self._software = None
                return
            if frame is None:
                return
            self._newest, self._wrong = frame, ""
            self._news.notify_all()
        if software is not None:
            software.push(frame.rgb, frame.depth_mm, frame.number, frame.stamp_ns / 1e6, Domain.SYSTEM)
