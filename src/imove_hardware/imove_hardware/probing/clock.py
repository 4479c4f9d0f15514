"""Whether this computer's clock is kept right."""

from __future__ import annotations

import ctypes

_TIME_ERROR = 5
"""What adjtimex(2) returns while nobody keeps the clock right."""
_TIMEX_BYTES = 512
"""More than a `struct timex` has on any machine; zeros ask for nothing to be changed."""


def clock_is_kept() -> bool | None:
    """Whether a time server keeps the clock right; None where the kernel does not say."""
    try:
        state = int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != _TIME_ERROR
