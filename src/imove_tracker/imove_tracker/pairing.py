"""Colour and depth of one exposure, no more often than they can be looked at."""

from __future__ import annotations

from typing import Generic, TypeVar

from imove_core.errors import ImoveError

Message = TypeVar("Message")
NS = 1_000_000_000
SAME_NS = 5_000_000
"""Colour and aligned depth of one exposure have one stamp, but for rounding."""
BUSY_SHARE = 0.5
"""Of the time may be spent on images: joints must not wait long."""


class ImagePairs(Generic[Message]):
    """Keeps the newest colour and depth image until the other one comes."""

    def __init__(self, rate_hz: float) -> None:
        """Hands over pairs at a rate.

        Args:
            rate_hz: Of the pairs, at most.

        Raises:
            ImoveError: The rate is not positive.
        """
        if not rate_hz > 0.0:
            raise ImoveError(f"image_rate_hz is {rate_hz:g}; a positive number is needed")
        self._least_ns = self._period_ns = round(NS / rate_hz)
        self._color: tuple[int, Message] | None = None
        self._depth: tuple[int, Message] | None = None
        self._given_ns: int | None = None

    def color(self, stamp_ns: int, message: Message) -> tuple[int, Message, Message] | None:
        """Takes a colour image; stamp, colour and depth where both are there and it is time."""
        self._color = (stamp_ns, message)
        return self._pair()

    def depth(self, stamp_ns: int, message: Message) -> tuple[int, Message, Message] | None:
        """Takes a depth image; see `color`."""
        self._depth = (stamp_ns, message)
        return self._pair()

    def looked(self, took_s: float) -> None:
        """Says how long the last pair took: slow looks come more seldom."""
        self._period_ns = max(self._least_ns, round(took_s / BUSY_SHARE * NS))

    def _pair(self) -> tuple[int, Message, Message] | None:
        if self._color is None or self._depth is None or abs(self._color[0] - self._depth[0]) > SAME_NS:
            return None
        stamp_ns = self._color[0]
        # A tenth of tolerance, so that every third image of a camera at 30 Hz is taken at 10 Hz.
        passed = self._given_ns is None or not 0 <= stamp_ns - self._given_ns < 0.9 * self._period_ns
        if not passed:
            return None
        color, depth = self._color[1], self._depth[1]
        self._color, self._depth, self._given_ns = None, None, stamp_ns
        return stamp_ns, color, depth
