"""What the supervisor says: on the screen, and with times in its own log file."""

from datetime import datetime
from pathlib import Path
from typing import IO, Literal

Level = Literal["INFO", "WARNING", "ERROR"]


class Console:
    """Prints the supervisor's messages and the nodes' lines in ROS's form.

    A screen that has gone away, e.g. a closed pipe, is left alone from then on; the files go on.
    """

    def __init__(self, screen: IO[str], log_path: Path) -> None:
        """Takes where to print.

        Args:
            screen: Usually stdout.
            log_path: File to make for the supervisor's messages.
        """
        self._screen: IO[str] | None = screen
        self._log = log_path.open("w", encoding="utf-8", buffering=1)

    def message(self, level: Level, source: str, text: str) -> None:
        """Prints a message of the supervisor about `source`, a node label or "imove"."""
        self._print(f"[{level}] [{source}]: {text}")
        self._log.write(f"{datetime.now().isoformat(timespec='milliseconds')} [{level}] [{source}]: {text}\n")

    def node_line(self, label: str, line: str) -> None:
        """Prints one line of a node."""
        self._print(f"[{label}] {line}")

    def close(self) -> None:
        """Closes the log file."""
        self._log.close()

    def _print(self, line: str) -> None:
        if self._screen is None:
            return
        try:
            print(line, file=self._screen, flush=True)
        except OSError:
            self._screen = None
