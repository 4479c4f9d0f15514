"""The end of a thread that works with a bus, which may keep it waiting."""

from __future__ import annotations

import sys
import threading

PATIENCE_S = 4.0
"""Many times what an arm takes to come to rest, and less than a graph waits before it ends a node by force."""


def wind_up(thread: threading.Thread, ending: threading.Event, patience_s: float = PATIENCE_S) -> None:
    """Tells a thread to end and waits until it has, but not for ever: nobody may be left who answers it.

    Args:
        thread: A daemon, which goes with its process if it does not end before.
        ending: That it looks at.
        patience_s: How long to wait.
    """
    ending.set()
    if not thread.is_alive():
        return
    thread.join(patience_s)
    if thread.is_alive():
        print(f"imove: {thread.name} waits for its bus and is left behind", file=sys.stderr, flush=True)
