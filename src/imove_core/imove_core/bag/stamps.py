"""The time that is written in a message, without decoding the rest of it."""

from __future__ import annotations

import struct

from imove_core.bag.messages import NS, STRING, TF

_ENCAPSULATION = 4
_LITTLE_ENDIAN = 1


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
