"""Counts what becomes of a camera's images."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

_WINDOW_NS = 2_000_000_000
LATE_NS = 100_000_000
"""Age at its arrival from which on an image counts as late: three images at 30 Hz."""


@dataclass
class CameraCounts:
    """What became of a camera's images since its driver started.

    Attributes:
        images: Colour images with depth that were handed on.
        dropped: Images that the camera numbered and that never came as a pair of colour and depth.
        duplicated: Images that came again, and were left out.
        late: Images that were old when they came, or came after a newer one; the latter were left out.
        jumps: Times that the camera's clock, or the host's, was set to another time.
        restarts: Times that the camera was opened again.
    """

    images: int = 0
    dropped: int = 0
    duplicated: int = 0
    late: int = 0
    jumps: int = 0
    restarts: int = 0


class RateMeter:
    """Rate of images over the last two seconds."""

    def __init__(self) -> None:
        """Has seen no image."""
        self._arrivals: deque[int] = deque()

    def saw(self, arrival_ns: int) -> None:
        """An image came."""
        self._arrivals.append(arrival_ns)

    def rate_hz(self, now_ns: int) -> float:
        """Images a second, 0 where fewer than two came."""
        while self._arrivals and self._arrivals[0] < now_ns - _WINDOW_NS:
            self._arrivals.popleft()
        if len(self._arrivals) < 2:
            return 0.0
        return (len(self._arrivals) - 1) / max(1e-3, (now_ns - self._arrivals[0]) / 1e9)
