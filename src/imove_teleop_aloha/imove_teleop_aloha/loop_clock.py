"""A loop at a fixed rate that knows how punctual it is."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

KEPT = 6000
"""Periods of which figures are made: half a minute at 200 Hz."""


@dataclass(frozen=True)
class Figures:
    """Where durations lie, s; all 0 where there are none.

    Attributes:
        count: How many there are.
        p50: Value that half of them do not exceed.
        p99: Value that 99 in 100 do not exceed.
        max: The largest.
        mean: Arithmetic mean.
    """

    count: int = 0
    p50: float = 0.0
    p99: float = 0.0
    max: float = 0.0
    mean: float = 0.0


class Durations:
    """The newest durations, from any thread."""

    def __init__(self, kept: int = KEPT) -> None:
        """Has none."""
        self._values: deque[float] = deque(maxlen=kept)

    def add(self, value_s: float) -> None:
        """Adds one."""
        self._values.append(value_s)

    def clear(self) -> None:
        """Forgets all."""
        self._values.clear()

    def figures(self) -> Figures:
        """Where they lie."""
        # A copy is made at once, without another thread coming in between.
        ordered = sorted(self._values.copy())
        if not ordered:
            return Figures()
        p50, p99 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.99))
        return Figures(len(ordered), p50, p99, ordered[-1], sum(ordered) / len(ordered))


class LoopClock:
    """Calls a function at a fixed rate from a thread of its own, and measures its periods.

    Calls that were missed are not made up for.
    """

    def __init__(self, period_s: float, work: Callable[[float], None]) -> None:
        """Does not run yet.

        Args:
            period_s: From one call to the next.
            work: Called with the time of `time.monotonic`.
        """
        self.period_s, self._work = period_s, work
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="teleop_loop")
        self.jitter = Durations()
        """By how much periods differ from what they should be, s."""
        self.periods = Durations()
        """From one call to the next, s."""

    def start(self) -> None:
        """Begins to call."""
        self._thread.start()

    def stop(self) -> None:
        """Calls no more; returns when the last call has returned."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def runs(self) -> bool:
        """Whether it calls; what the function raises ends it."""
        return self._thread.is_alive()

    @property
    def rate_hz(self) -> float:
        """At which it was called lately; 0 before the second call."""
        mean_s = self.periods.figures().mean
        return 1.0 / mean_s if mean_s else 0.0

    def _run(self) -> None:
        due_s = time.monotonic()
        last_s: float | None = None
        while not self._ended.is_set():
            now_s = time.monotonic()
            if now_s < due_s:
                time.sleep(due_s - now_s)
                continue
            if last_s is not None:
                self.periods.add(now_s - last_s)
                self.jitter.add(abs(now_s - last_s - self.period_s))
            last_s = now_s
            self._work(now_s)
            due_s += self.period_s
            if due_s <= (now_s := time.monotonic()):
                due_s = now_s + self.period_s
