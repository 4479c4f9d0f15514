"""The newest image of each source, as JPEG, and which sources somebody looks at."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

LAYOUT_VIEW = "layout_view"
"""Source of the overlay that shows where objects go."""
QUALITY = 80
MOST_BYTES = 4_000_000
"""A JPEG larger than that is no camera image of ours."""
MOST_SIDE = 1280
FRESH_S = 2.0
"""An older image is not shown to a page that has just been opened: it would look live."""


@dataclass(frozen=True)
class Frame:
    """One image.

    Attributes:
        source: Name of the camera, or `layout_view`.
        number: Counts from 1 for each source.
        jpeg: Its file.
        at_s: When it came, by the clock of `Frames`.
    """

    source: str
    number: int
    jpeg: bytes
    at_s: float


class Frames:
    """Holds one image a source: a newer one takes the place of the one before, whoever has not seen it."""

    def __init__(self, sources: Iterable[str], clock: Callable[[], float] = time.monotonic) -> None:
        """Knows no images.

        Args:
            sources: Names that may be looked at.
            clock: Seconds since whenever.
        """
        self.sources = frozenset(sources)
        self._clock = clock
        self._lock = threading.Lock()
        self._newest: dict[str, Frame] = {}
        self._lookers: Counter[str] = Counter()
        self._listeners: list[Callable[[], None]] = []

    def on_frame(self, listener: Callable[[], None]) -> None:
        """Calls a listener, from whatever thread, whenever there is a new image."""
        self._listeners.append(listener)

    def put(self, source: str, jpeg: bytes) -> None:
        """Keeps an image in place of the one before; one that is too large to be true is dropped."""
        if len(jpeg) > MOST_BYTES:
            return
        with self._lock:
            before = self._newest.get(source)
            self._newest[source] = Frame(source, before.number + 1 if before else 1, jpeg, self._clock())
        for listener in self._listeners:
            listener()

    def newest(self, source: str) -> Frame | None:
        """The newest image of a source, None where there is none that could still be true."""
        with self._lock:
            frame = self._newest.get(source)
        return frame if frame is not None and self._clock() - frame.at_s < FRESH_S else None

    def look(self, now: frozenset[str], before: frozenset[str]) -> None:
        """Takes note of what one page looks at, in place of what it looked at before."""
        with self._lock:
            self._lookers.update(now)
            self._lookers.subtract(before)

    @property
    def looked_at(self) -> frozenset[str]:
        """Sources that some page looks at."""
        with self._lock:
            return frozenset(source for source, count in self._lookers.items() if count > 0)


def jpeg_of(rgb: NDArray[np.uint8]) -> bytes:
    """An image (H, W, 3) uint8 RGB as JPEG, made smaller where a side has more than 1280 pixels."""
    scale = MOST_SIDE / max(rgb.shape[:2])
    bgr = np.ascontiguousarray(rgb[..., ::-1])
    if scale < 1:
        bgr = np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    _, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(encoded)
