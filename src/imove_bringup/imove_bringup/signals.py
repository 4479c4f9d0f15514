"""Signals as readable data, so that one loop can wait for signals and for pipes."""

import os
import signal
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, Self


def _noted(number: int, frame: FrameType | None) -> None:
    """A handler that only keeps the default action from happening; the number arrives through the pipe."""


class SignalPipe:
    """Turns signals into bytes on a pipe while it is entered; main thread only.

    Child processes that are started meanwhile have the default actions again, also where the caller had them
    ignored (as shells do for background jobs).
    """

    def __init__(self, numbers: Sequence[signal.Signals]) -> None:
        """Takes the signals to catch."""
        self._numbers = tuple(numbers)
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Installs the handlers."""
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._write_fd, False)
        self._previous_fd = signal.set_wakeup_fd(self._write_fd, warn_on_full_buffer=False)
        for number in self._numbers:
            self._previous[number] = signal.signal(number, _noted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restores the handlers."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_fd)
        os.close(self._read_fd)
        os.close(self._write_fd)

    def fileno(self) -> int:
        """The descriptor that becomes readable when a signal has arrived."""
        return self._read_fd

    def read(self) -> tuple[signal.Signals, ...]:
        """The signals that have arrived since the last call, in order; empty when there are none."""
        try:
            received = os.read(self._read_fd, 4096)
        except BlockingIOError:
            return ()
        return tuple(signal.Signals(number) for number in received)
