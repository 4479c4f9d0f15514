"""What comes in from a topic, as bytes, and the time that is written in it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from imove_core.bag.messages import NS, STRING, TF

_ENCAPSULATION = 4
_LITTLE_ENDIAN = 1


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


def stamp_of(type_name: str, cdr: bytes) -> int | None:
    """The time that a message of the contract carries, without decoding the rest.

    Args:
        type_name: `package/msg/Type`; its first field is a header or a time, but for text and transforms.
        cdr: The message.

    Returns:
        ns; None for text and for transforms that are none.
    """
    offset = _ENCAPSULATION
    order = "<" if cdr[1] & _LITTLE_ENDIAN else ">"
    if type_name == STRING:
        return None
    if type_name == TF:
        (count,) = struct.unpack_from(f"{order}I", cdr, offset)
        if not count:
            return None
        offset += 4
    seconds, nanoseconds = struct.unpack_from(f"{order}iI", cdr, offset)
    return int(seconds) * NS + int(nanoseconds)


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
