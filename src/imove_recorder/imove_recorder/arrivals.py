"""What comes in from a topic, as bytes, and what never came."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arrival:
    """One message of a topic.

    Attributes:
        topic: Name of the topic.
        cdr: The message as it came, with its encapsulation header.
        received_ns: When it came, ns of the system's clock.
        publisher: Who sent it.
        lost: How many of its publisher's messages just before it never came.
    """

    topic: str
    cdr: bytes
    received_ns: int
    publisher: bytes = b""
    lost: int = 0


class LossCounter:
    """Finds messages that never came by the gaps in their publishers' counts."""

    def __init__(self) -> None:
        """Knows no publisher yet."""
        self._last: dict[tuple[str, bytes], int] = {}

    def lost(self, topic: str, publisher: bytes, number: int) -> int:
        """How many messages are missing between this one and the last one of its publisher.

        Args:
            topic: Where it came from.
            publisher: Who sent it.
            number: The publisher's count of its messages, from whatever start.
        """
        key = (topic, publisher)
        before = self._last.get(key, number - 1)
        self._last[key] = max(before, number)
        return max(0, number - before - 1)
