"""Whether topics come as often as they should: before an episode, and after it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

NS = 1_000_000_000
WINDOW = 60
"""Messages of which a rate is made: two seconds of images."""
SILENT_S = 1.0
"""A topic that has said nothing for so long comes at no rate at all."""
LEAST_SHARE = 0.84
"""Of a topic's nominal rate; ALOHA throws episodes away that were recorded at less than 42 of 50 Hz."""


@dataclass
class _Topic:
    stamps_ns: deque[int]
    heard_s: float
    first_ns: int = 0
    count: int = 0


class RateMeter:
    """Counts messages by the times that are written in them: a slow simulator has slow time, and loses nothing."""

    def __init__(self, expected_hz: Mapping[str, float]) -> None:
        """Has heard nothing.

        Args:
            expected_hz: Nominal rates by topic.
        """
        self.expected_hz = dict(expected_hz)
        self._topics: dict[str, _Topic] = {}
        self._lock = threading.Lock()

    def note(self, topic: str, stamp_ns: int, now_s: float) -> None:
        """Takes note of a message.

        Args:
            topic: Where it came from.
            stamp_ns: Time that is written in it.
            now_s: When it came.
        """
        with self._lock:
            known = self._topics.setdefault(topic, _Topic(deque(maxlen=WINDOW), now_s))
            if known.stamps_ns and stamp_ns < known.stamps_ns[-1]:
                known.stamps_ns.clear()
            if not known.count:
                known.first_ns = stamp_ns
            known.stamps_ns.append(stamp_ns)
            known.heard_s, known.count = now_s, known.count + 1

    def begin(self) -> None:
        """Begins to count for an episode."""
        with self._lock:
            for known in self._topics.values():
                known.count = 0

    def lately(self, now_s: float) -> dict[str, float]:
        """Rates of the newest messages, Hz; 0 for a topic that is silent."""
        with self._lock:
            return {topic: self._rate(topic, now_s) for topic in self.expected_hz}

    def of_episode(self) -> dict[str, float]:
        """Mean rates since `begin`, Hz; 0 for a topic of which fewer than two messages came."""
        with self._lock:
            return {topic: self._mean(topic) for topic in self.expected_hz}

    def _rate(self, topic: str, now_s: float) -> float:
        known = self._topics.get(topic)
        if known is None or now_s - known.heard_s > SILENT_S:
            return 0.0
        return _hz(len(known.stamps_ns), known.stamps_ns[0], known.stamps_ns[-1])

    def _mean(self, topic: str) -> float:
        known = self._topics.get(topic)
        return _hz(known.count, known.first_ns, known.stamps_ns[-1]) if known and known.count else 0.0


def too_slow(measured_hz: Mapping[str, float], expected_hz: Mapping[str, float], share: float) -> str:
    """Says which topics come too seldom, "" for none.

    Args:
        measured_hz: Rates by topic.
        expected_hz: Nominal rates by topic.
        share: Of the nominal rate that is enough.
    """
    slow = [name for name, rate_hz in expected_hz.items() if measured_hz.get(name, 0.0) < share * rate_hz]
    if not slow:
        return ""
    first = slow[0]
    more = f", and {len(slow) - 1} more topics are too slow" if len(slow) > 1 else ""
    least = share * expected_hz[first]
    return f"{first} comes at {measured_hz.get(first, 0.0):.1f} Hz; at least {least:.1f} Hz are needed{more}"


def _hz(count: int, first_ns: int, last_ns: int) -> float:
    return (count - 1) * NS / (last_ns - first_ns) if count > 1 and last_ns > first_ns else 0.0
