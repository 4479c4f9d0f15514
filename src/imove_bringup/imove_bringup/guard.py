"""The other side of the watchdog, so that no node outlives a supervisor, or a ROS launch, that is killed."""

import contextlib
import subprocess
import sys
from types import TracebackType
from typing import Self

from imove_bringup import watchdog


class Guard:
    """Tells the watchdog what to stop should this process die; closing it stops that too.

    A target is a process by its id, or a process group by minus its id.
    """

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

    def watch(self, target: int) -> None:
        """Adds a target."""
        self._tell(f"+{target}\n")

    def release(self, target: int) -> None:
        """Removes a target that has ended."""
        self._tell(f"-{target}\n")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        # A run goes on without its watchdog.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line.encode())
