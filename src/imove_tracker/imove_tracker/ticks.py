"""Control ticks: the times at which states are published, from the stamp of an episode on."""

from __future__ import annotations

from collections.abc import Iterator

NS = 1_000_000_000
MOST_BEHIND = 150
"""Ticks that are made up for at once, five seconds of a busy machine; older ones are of no use after a silence."""


class Ticks:
    """The ticks of an episode, or of the time between two."""

    def __init__(self, rate_hz: float, start_ns: int) -> None:
        """Tick 0 is at the start.

        Args:
            rate_hz: Of the ticks.
            start_ns: Stamp of the first one.
        """
        self._rate_hz = rate_hz
        self._start_ns = start_ns
        self._next = 0

    @property
    def next_step(self) -> int:
        """The first tick that was not told of yet."""
        return self._next

    def stamp_ns(self, step: int) -> int:
        """Stamp of a tick; rounded to whole ns, as a simulator rounds its control steps."""
        return self._start_ns + round(step * NS / self._rate_hz)

    def due(self, until_ns: int) -> Iterator[tuple[int, int]]:
        """Step and stamp of each tick that has come and was not told of yet."""
        last = int((until_ns - self._start_ns) * self._rate_hz // NS)
        while self.stamp_ns(last + 1) <= until_ns:
            last += 1
        self._next = max(self._next, last + 1 - MOST_BEHIND)
        while self.stamp_ns(self._next) <= until_ns:
            step, self._next = self._next, self._next + 1
            yield step, self.stamp_ns(step)
