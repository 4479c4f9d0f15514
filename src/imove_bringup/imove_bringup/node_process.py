"""One node as a child process, with its output on the screen and in a file."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

_CHUNK_BYTES = 1 << 16
# A pipe holds 64 KiB, 1 MiB at most: enough for what a process that has ended left in it.
_LAST_CHUNKS = 17


class OutputStream:
    """Copies what a process prints: to its log file as it is, to the screen line by line.

    Attributes:
        pipe: The read end; not blocking.
    """

    def __init__(self, pipe: IO[bytes], log: IO[bytes], show: Callable[[str], None] | None) -> None:
        """Takes over the pipe.

        Args:
            pipe: Read end of the process's stdout or stderr.
            log: The node's log file.
            show: Prints one line without its end; None keeps the screen clear of it.
        """
        os.set_blocking(pipe.fileno(), False)
        self.pipe = pipe
        self._log = log
        self._show = show
        self._partial = b""

    def pump(self, chunks: int = 1) -> bool:
        """Copies what there is now, at most so many chunks; False at the end of the stream."""
        for _ in range(chunks):
            try:
                data = os.read(self.pipe.fileno(), _CHUNK_BYTES)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._log.write(data)
            *lines, self._partial = (self._partial + data).split(b"\n")
            self._print(lines)
        return True

    def close(self) -> None:
        """Prints a last line that has no end, and closes the pipe."""
        if self._partial:
            self._print([self._partial])
        self._partial = b""
        self.pipe.close()

    def _print(self, lines: Sequence[bytes]) -> None:
        if self._show is not None:
            for line in lines:
                self._show(line.decode(errors="replace").rstrip("\r"))


class NodeProcess:
    """A running node, leader of its own process group.

    The group keeps a Ctrl-C at the terminal from reaching the node twice, and takes the node's own children
    along.

    Attributes:
        pid: Process id, also the id of the process group.
        log_path: File with everything the node printed.
        streams: The output pipes that are still to be pumped.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        log_path: Path,
        show: Callable[[str], None],
        show_stdout: bool,
    ) -> None:
        """Starts the process.

        Args:
            command: Program and arguments.
            environment: The whole environment of the process.
            log_path: File to make.
            show: Prints one line of the node on the screen.
            show_stdout: Whether stdout is shown too, or stderr only.

        Raises:
            OSError: The program cannot be run.
        """
        self.log_path = log_path
        self._log = log_path.open("wb", buffering=0)
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                # One pipe keeps the order of the lines where both are shown.
                stderr=subprocess.STDOUT if show_stdout else subprocess.PIPE,
                env=dict(environment),
                process_group=0,
            )
        except OSError:
            self._log.close()
            raise
        self.pid = self._popen.pid
        self.streams: list[OutputStream] = []
        for pipe, shown in ((self._popen.stdout, show_stdout), (self._popen.stderr, True)):
            if pipe is not None:
                self.streams.append(OutputStream(pipe, self._log, show if shown else None))

    def send(self, number: signal.Signals) -> None:
        """Signals the node and the processes it has started; it must not have been collected."""
        os.killpg(self.pid, number)

    def has_exited(self) -> bool:
        """Whether the node has ended and waits to be collected."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def collect(self) -> int:
        """Takes the exit status of a node that has ended: 0 and up, or minus a signal number.

        Processes that it left behind in its group are killed first, while the group's id cannot be taken by
        another.
        """
        os.killpg(self.pid, signal.SIGKILL)
        for stream in self.streams:
            stream.pump(_LAST_CHUNKS)
            stream.close()
        self.streams.clear()
        self._log.close()
        return self._popen.wait()
