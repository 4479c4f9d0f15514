"""Reads pairs of colour and depth images from a camera: each once, and only those that belong together."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.profiles import Streams
from imove_hardware.realsense.stamps import Domain, domain_of
from imove_hardware.realsense.stats import CameraCounts

# Newest only: a reader that is slow must not be served old images (librealsense issue 7837).
_WAITING = 1


@dataclass(frozen=True)
class Pair:
    """A colour image with the depth image of the same moment, still in the library's memory.

    Attributes:
        frames: The frameset.
        device_ns: Time of the colour image as the camera gave it, in ns.
        domain: Whose clock that is.
    """

    frames: Any
    device_ns: int
    domain: Domain


class FrameReader:
    """An opened camera."""

    def __init__(self, streams: Streams, counts: CameraCounts) -> None:
        """Opens and starts it.

        Args:
            streams: The streams to open.
            counts: Where images that are lost, come again or come late are counted.

        Raises:
            RuntimeError: The camera cannot be opened, as where another process uses it.
        """
        self._counts = counts
        self._align = None if streams.aligned else realsense().align(realsense().stream.color)
        self._in_mm = _millimetres(streams.depth_unit_m)
        self._half_period_ms = 500.0 / streams.color.fps()
        self._last_color = self._last_depth = 0
        self._last_time_ms = 0.0
        self._syncer = realsense().syncer(_WAITING)
        self._sensors: list[Any] = []
        try:
            for sensor, profiles in streams.by_sensor():
                sensor.open(profiles)
                self._sensors.append(sensor)
            for sensor in self._sensors:
                sensor.start(self._syncer)
        except RuntimeError:
            self.close()
            raise

    def read(self, timeout_s: float) -> Pair | None:
        """The next pair; None where none comes in time."""
        until = time.monotonic() + timeout_s
        while (left_s := until - time.monotonic()) > 0:
            came, frames = self._syncer.try_wait_for_frames(max(1, round(1000 * left_s)))
            if came and (pair := self._pair(frames)) is not None:
                return pair
        return None

    def _pair(self, frames: Any) -> Pair | None:
        color, depth = frames.get_color_frame(), frames.get_depth_frame()
        # The library hands on single images as well, and repeats the old image of one stream beside the other's new.
        if not color or not depth:
            return None
        number, time_ms = int(color.get_frame_number()), float(color.get_timestamp())
        if number == self._last_color:
            self._counts.duplicated += 1
            return None
        if abs(depth.get_timestamp() - time_ms) > self._half_period_ms or depth.get_frame_number() == self._last_depth:
            return None
        if number < self._last_color and time_ms <= self._last_time_ms:
            self._counts.late += 1
            return None
        # A number that falls while time goes on is a counter that began anew; nobody knows what was lost.
        if self._last_color and number > self._last_color:
            self._counts.dropped += number - self._last_color - 1
        self._last_color, self._last_depth, self._last_time_ms = number, int(depth.get_frame_number()), time_ms
        return Pair(frames, round(time_ms * 1e6), domain_of(color))

    def color(self, pair: Pair) -> NDArray[np.uint8]:
        """The colour image (H, W, 3), RGB, for its reader to keep."""
        # The library has a few dozen images: a camera whose images are kept by somebody stops.
        return np.array(pair.frames.get_color_frame().get_data())

    def depth_mm(self, pair: Pair) -> NDArray[np.uint16]:
        """The depth image (H, W) as the colour image sees it: mm along the optical axis, 0 for none."""
        frames = pair.frames if self._align is None else self._align.process(pair.frames)
        counts: NDArray[np.uint16] = np.asarray(frames.get_depth_frame().get_data())
        return counts.copy() if self._in_mm is None else self._in_mm[counts]

    def close(self) -> None:
        """Stops the camera, also one that has been unplugged meanwhile."""
        for sensor in self._sensors:
            for end in (sensor.stop, sensor.close):
                try:
                    end()
                except RuntimeError:
                    # Not started, or no longer there: what was wanted.
                    continue


def _millimetres(unit_m: float) -> NDArray[np.uint16] | None:
    """Depth in mm by count, None where a count is a millimetre; too far for 16 bits is as good as no return."""
    if round(unit_m * 1e6) == 1000:
        return None
    distances = np.rint(np.arange(65536) * (unit_m * 1e3))
    return np.where(distances > 65535, 0, distances).astype(np.uint16)
