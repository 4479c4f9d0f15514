"""A camera that comes back: opened by serial number, noticed when it vanishes, opened again when it returns."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.hardware import CameraProfile
from imove_hardware.realsense.finding import CameraSource
from imove_hardware.realsense.frames import FrameReader, Pair
from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.options import CameraSettings, apply_settings
from imove_hardware.realsense.profiles import Optics, Streams, choose_streams
from imove_hardware.realsense.stamps import Domain, StampClock
from imove_hardware.realsense.stats import LATE_NS, CameraCounts, RateMeter

# First images may take that long, on a USB hub with several cameras above all (realsense-ros issue 3146).
_START_S = 5.0
STALLED_S = 3.0
"""A camera that is there and gives nothing for that long is reset, and opened again."""
# How long a read may keep the loop from noticing that the camera is gone.
_READ_S = 0.1
_RETRIES_S = (0.5, 1.0, 2.0, 4.0)
# Cameras that come back together, as with their hub, open one after the other.
_STAGGERED, _STAGGER_S = 5, 0.2


@dataclass(frozen=True)
class CameraImage:
    """One image of a camera.

    Attributes:
        stamp_ns: When it was exposed, ROS time.
        rgb: (H, W, 3) uint8.
        depth_mm: (H, W) uint16 as colour sees it, mm along the optical axis, 0 for none; None where not asked for.
        optics: Of both.
    """

    stamp_ns: int
    rgb: NDArray[np.uint8]
    depth_mm: NDArray[np.uint16] | None
    optics: Optics


@dataclass(frozen=True)
class CameraState:
    """How a camera does.

    Attributes:
        serial: Serial number.
        connected: Whether it is open and has given images.
        problem: Why it gives no images, or which settings it refused; "" where all is well.
        rate_hz: Images a second over the last two seconds.
        nominal_hz: Rate of its mode.
        domain: Whose clock stamped its last image, None before the first one.
        counts: What became of its images.
    """

    serial: str
    connected: bool
    problem: str
    rate_hz: float
    nominal_hz: int
    domain: Domain | None
    counts: CameraCounts


@dataclass
class _Opened:
    device: Any
    streams: Streams
    reader: FrameReader
    optics: Optics
    refused: tuple[str, ...]
    alive_until: float
    seen: bool = False


class Camera:
    """Images of one camera; for one thread."""

    def __init__(
        self,
        source: CameraSource,
        profile: CameraProfile,
        settings: CameraSettings,
        now_ns: Callable[[], int] = time.time_ns,
        stalled_s: float = STALLED_S,
    ) -> None:
        """Opens nothing yet.

        Args:
            source: Where the device comes from.
            profile: Mode of colour and depth.
            settings: Exposure and the like.
            now_ns: ROS time.
            stalled_s: After how long without images a camera that is there is opened again.
        """
        self._source, self._profile, self._settings = source, profile, settings
        self._now_ns, self._stalled_s = now_ns, stalled_s
        self._clock, self._meter, self._counts = StampClock(), RateMeter(), CameraCounts()
        self._opened: _Opened | None = None
        self._attempts, self._next_attempt = 0, 0.0
        self._problem = f"camera {source.serial} has given no image yet"
        self._domain: Domain | None = None

    def open(self) -> None:
        """Opens the camera at once.

        Raises:
            CameraMissingError: It is not there; `image` tries again.
            ImoveError: It cannot do what is asked of it.
        """
        try:
            with _plain_errors(self._source.serial):
                device = self._source.device()
                streams = choose_streams(device, self._profile, self._source.serial)
                refused = apply_settings(streams, self._settings)
                reader = FrameReader(streams, self._counts)
        except ImoveError as error:
            self._problem = str(error)
            self._retry_later()
            raise
        self._clock.restart()
        alive_until = time.monotonic() + _START_S
        self._opened = _Opened(device, streams, reader, streams.optics, refused, alive_until)

    def image(self, timeout_s: float, depth: bool = True) -> CameraImage | None:
        """The next image.

        A camera that is not open is opened when it is time to try again; one that has vanished, or that gives nothing
        any more, is closed; a recording that ends begins anew.

        Args:
            timeout_s: How long to wait, roughly.
            depth: Whether depth is wanted; it takes time to align.

        Returns:
            The image, None where none came.
        """
        until = time.monotonic() + timeout_s
        while (left_s := until - time.monotonic()) > 0:
            if self._opened is None:
                self._try_to_open(left_s)
                continue
            try:
                with _plain_errors(self._source.serial):
                    image = self._read(self._opened, min(left_s, _READ_S), depth)
            except ImoveError as error:
                self._lose(str(error))
                continue
            if image is not None:
                return image
        return None

    def _read(self, opened: _Opened, timeout_s: float, depth: bool) -> CameraImage | None:
        pair = opened.reader.read(timeout_s)
        arrival_ns = self._now_ns()
        if not self._goes_on(opened, pair is not None) or pair is None:
            return None
        stamp_ns = self._stamp(pair, arrival_ns)
        if stamp_ns is None:
            return None
        depth_mm = opened.reader.depth_mm(pair) if depth else None
        return CameraImage(stamp_ns, opened.reader.color(pair), depth_mm, opened.optics)

    def _try_to_open(self, left_s: float) -> None:
        wait_s = self._next_attempt - time.monotonic()
        if wait_s > 0:
            time.sleep(min(wait_s, left_s))
            return
        try:
            self.open()
        except ImoveError:
            # `state` tells; a camera that lacks a mode may be back on a faster port the next time.
            return

    def _retry_later(self) -> None:
        pause_s = _RETRIES_S[min(self._attempts, len(_RETRIES_S) - 1)]
        stagger_s = zlib.crc32(self._source.serial.encode()) % _STAGGERED * _STAGGER_S
        self._attempts += 1
        self._next_attempt = time.monotonic() + pause_s + stagger_s

    def _goes_on(self, opened: _Opened, came: bool) -> bool:
        """Whether the camera is still there; closes it where not."""
        now = time.monotonic()
        if self._source.gone():
            self._lose(f"camera {self._source.serial} was unplugged")
        elif came:
            opened.alive_until, opened.seen = now + self._stalled_s, True
            self._attempts, self._problem = 0, "; ".join(opened.refused)
        elif opened.seen and _ended(opened.device):
            self._begin_anew(opened)
        elif now > opened.alive_until:
            self._lose(f"camera {self._source.serial} gives no images{_reset(opened.device)}")
        return self._opened is not None

    def _begin_anew(self, opened: _Opened) -> None:
        opened.reader.close()
        self._clock.restart()
        opened.reader = FrameReader(opened.streams, self._counts)

    def _lose(self, why: str) -> None:
        self._close_device()
        self._problem = why
        self._counts.restarts += 1
        self._retry_later()

    def _stamp(self, pair: Pair, arrival_ns: int) -> int | None:
        stamp_ns = self._clock.stamp(pair.device_ns, pair.domain, arrival_ns)
        self._domain, self._counts.jumps = pair.domain, self._clock.jumps
        if stamp_ns is None or arrival_ns - stamp_ns > LATE_NS:
            self._counts.late += 1
        if stamp_ns is not None:
            self._counts.images += 1
            self._meter.saw(arrival_ns)
        return stamp_ns

    def state(self) -> CameraState:
        """How the camera does."""
        return CameraState(
            serial=self._source.serial,
            connected=self._opened is not None and self._opened.seen,
            problem=self._problem,
            rate_hz=self._meter.rate_hz(self._now_ns()),
            nominal_hz=self._profile.rate_hz,
            domain=self._domain,
            counts=replace(self._counts),
        )

    def close(self) -> None:
        """Closes the device for good."""
        self._close_device()
        self._source.close()

    def _close_device(self) -> None:
        if self._opened is not None:
            self._opened.reader.close()
            self._opened = None


@contextmanager
def _plain_errors(serial: str) -> Iterator[None]:
    """Makes the library's errors, as of a camera that vanishes meanwhile or that another process uses, ours."""
    try:
        yield
    except RuntimeError as error:
        raise ImoveError(f"camera {serial} failed: {error}") from error


def _ended(device: Any) -> bool:
    stopped = realsense().playback_status.stopped
    return bool(device.is_playback() and device.as_playback().current_status() == stopped)


def _reset(device: Any) -> str:
    try:
        device.hardware_reset()
    except RuntimeError:
        return ""
    return " and was reset"
