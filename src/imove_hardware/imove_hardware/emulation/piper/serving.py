"""The thread that keeps emulated lines running."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.transport import Transport

#: Shortest time between two rounds, s: feedback that falls due within it leaves together.
MIN_ROUND_S = 0.002
#: Longest time without a look at whether to end, s.
MAX_WAIT_S = 0.1


class LineServer:
    """Serves all lines of a transport by one thread; a context manager.

    The emulated arms run on `clock`, which hosts never see.
    """

    def __init__(
        self, transport: Transport, lines: Sequence[Line], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Binds lines to a transport; `start` lets them run.

        Args:
            transport: Owned from now on: closed at the end.
            lines: One a channel.
            clock: Monotonic time in s.
        """
        self._transport = transport
        self._lines = {line.channel: line for line in lines}
        self._clock = clock
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="piper_emulator", daemon=True)

    def start(self) -> Self:
        """Starts the thread."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ends the thread and closes the transport."""
        self._ending.set()
        self._thread.join()
        self._transport.close()

    def __enter__(self) -> Self:
        """Starts the thread."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops it."""
        self.stop()

    def _run(self) -> None:
        next_round_s = self._clock()
        while not self._ending.is_set():
            wait_s = min(max(next_round_s - self._clock(), 0.0), MAX_WAIT_S)
            for channel, frame in self._transport.wait(wait_s):
                answers = self._lines[channel].from_host(frame, self._clock())
                self._transport.send(channel, answers)
            now_s = self._clock()
            if now_s < next_round_s:
                continue
            for channel, line in self._lines.items():
                self._transport.set_plugged(channel, not line.faults.unplugged)
                self._transport.send(channel, line.advance(now_s))
            due_s = min(line.next_s for line in self._lines.values())
            next_round_s = max(due_s, now_s + MIN_ROUND_S)
