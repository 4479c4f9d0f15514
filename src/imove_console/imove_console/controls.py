"""What the web side asks of the ROS side."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from imove_console.commands import Command


@dataclass(frozen=True)
class Answer:
    """What became of a command.

    Attributes:
        ok: Whether it was done.
        message: What was done, or why not, in one sentence.
    """

    ok: bool
    message: str


class Controls(Protocol):
    """Carries out what people ask for; every method may be called from any thread and returns at once."""

    def command(self, command: Command) -> Future[Answer]:
        """Sends a command that has been checked; raises ImoveError where nobody is there to take it."""
        ...

    def stop(self, on: bool) -> Answer:
        """Says on the emergency stop's topic whether every arm is to hold."""
        ...
