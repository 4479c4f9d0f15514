"""The supervisor's side of the watchdog, so that no node outlives a supervisor that is killed."""

import contextlib
import subprocess
import sys
from types import TracebackType
from typing import Self

from imove_bringup import watchdog


class Guard:
    """Tells the watchdog which process groups to stop should this process die; closing it stops them too."""

    def __init__(self, grace_s: float) -> None:
        """Starts the watchdog.

        Args:
            grace_s: From SIGINT to SIGKILL for the nodes of a dead supervisor.
        """
        # In its own session: a Ctrl-C or a closed terminal must not stop the watchdog before the nodes.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", watchdog.__file__, str(grace_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )

    def __enter__(self) -> Self:
        """Nothing more to do: the watchdog runs."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the pipe and waits until the watchdog has stopped what was not released."""
        self._process.__exit__(kind, error, trace)

    def watch(self, group: int) -> None:
        """Adds a process group."""
        self._tell(f"+{group}\n")

    def release(self, group: int) -> None:
        """Removes a process group that has ended."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        # A run goes on without its watchdog.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line.encode())
