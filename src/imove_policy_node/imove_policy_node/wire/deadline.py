"""Ends what takes too long, from one thread that sleeps: a timer for each request would start a thread for each."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Deadline:
    """Calls something when a block is not left in time; one block at a time."""

    def __init__(self) -> None:
        """Starts no thread before the first block."""
        self._changed = threading.Condition()
        self._until_s = math.inf
        self._wakes_s = math.inf
        self._end: Callable[[], None] = lambda: None
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def within(self, timeout_s: float, end: Callable[[], None]) -> Iterator[None]:
        """Calls `end` once, from another thread, when the block is not left after `timeout_s`.

        Nothing calls it any more when the block has been left.
        """
        self._set(time.monotonic() + timeout_s, end)
        try:
            yield
        finally:
            # The thread sleeps on: it finds nothing to do, or the next block, when it wakes.
            with self._changed:
                self._until_s = math.inf

    def close(self) -> None:
        """Ends the thread; the next block starts another one."""
        with self._changed:
            thread, self._thread, self._closed = self._thread, None, True
            self._changed.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _set(self, until_s: float, end: Callable[[], None]) -> None:
        with self._changed:
            self._until_s, self._end = until_s, end
            if self._thread is None:
                self._closed = False
                self._thread = threading.Thread(target=self._watch, name="deadline", daemon=True)
                self._thread.start()
            elif until_s < self._wakes_s:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._closed:
                if time.monotonic() >= self._until_s:
                    self._until_s = math.inf
                    self._end()
                self._wakes_s = self._until_s
                left_s = self._until_s - time.monotonic()
                self._changed.wait(None if math.isinf(left_s) else max(left_s, 0.0))
