"""Keys of a terminal, also over SSH and on Wayland: read from the terminal itself, not from a desktop."""

from __future__ import annotations

import json
import os
import select
import sys
import termios
import tty
from types import TracebackType
from typing import NamedTuple

from imove_core.errors import ImoveError

HOLD_S = 0.8
"""How long a press of the space bar holds the deadman: a key that is kept down repeats within half a second."""


class KeyCommand(NamedTuple):
    """What a key asks for.

    Attributes:
        command: Of /imove/teleop/command.
        argument_json: The same.
        meaning: For people.
    """

    command: str
    argument_json: str
    meaning: str


KEYS: dict[str, KeyCommand] = {
    "s": KeyCommand("start", "", "start the next episode"),
    "y": KeyCommand("success", "", "end it: it succeeded"),
    "n": KeyCommand("fail", "", "end it: it failed"),
    "d": KeyCommand("discard", "", "throw it away"),
    "r": KeyCommand("redo", "", "throw it away and start it again"),
    "u": KeyCommand("undo", "", "take back the last one that was kept"),
    "p": KeyCommand("pause", "", "hold the arms"),
    "g": KeyCommand("resume", "", "go on after a pause or a hold"),
    " ": KeyCommand("enable", json.dumps({"hold_s": HOLD_S}), "hold the deadman while it is kept down"),
    "x": KeyCommand("disable", "", "let go of the deadman"),
    "q": KeyCommand("quit", "", "end teleoperation"),
}


def help_text() -> str:
    """A line for each key."""
    return "\n".join(f"  {'space' if key == ' ' else key:<6} {said.meaning}" for key, said in KEYS.items())


class Terminal:
    """A terminal whose keys come one by one while it is entered; it is as it was afterwards."""

    def __init__(self, descriptor: int | None = None) -> None:
        """Checks that there is one.

        Args:
            descriptor: Of the terminal; None for standard input.

        Raises:
            ImoveError: It is no terminal.
        """
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor
        if not os.isatty(self._descriptor):
            raise ImoveError("keys are read from a terminal, and standard input is none; run this in one")

    def __enter__(self) -> Terminal:
        """Takes keys without Enter; Ctrl-C still interrupts."""
        self._before = termios.tcgetattr(self._descriptor)
        tty.setcbreak(self._descriptor)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Puts it back as it was."""
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def key(self, timeout_s: float) -> str:
        """The next key, "" where none is pressed in time; raises ImoveError when the terminal is gone."""
        if not select.select([self._descriptor], [], [], timeout_s)[0]:
            return ""
        data = os.read(self._descriptor, 1)
        if not data:
            raise ImoveError("the terminal is gone")
        return data.decode(errors="replace")
