"""Questions to the person at the table, and what takes their place where nobody is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice
from imove_hardware.probing.covering import covered_camera
from imove_hardware.probing.moving import moved_bus

PATIENCE_S = 60.0
"""To walk to the table and back."""


class Asker(Protocol):
    """Answers what cannot be found out."""

    def arm(self, name: str, buses: Sequence[str]) -> str:
        """Which of some buses an arm is on."""
        ...

    def leader(self, name: str, buses: Sequence[str]) -> str:
        """Which of some buses the leader of an arm is on."""
        ...

    def camera(self, name: str, devices: Sequence[CameraDevice]) -> str:
        """Serial number of the camera that has a name."""
        ...

    def agrees(self, question: str) -> bool:
        """Yes or no."""
        ...


class Nobody:
    """Nobody is there: what cannot be found out has to be said on the command line."""

    def arm(self, name: str, buses: Sequence[str]) -> str:
        """Raises ImoveError."""
        raise ImoveError(
            f"which of {', '.join(buses)} is arm '{name}' cannot be told; say it with --arm {name}=ADDRESS"
        )

    def leader(self, name: str, buses: Sequence[str]) -> str:
        """Raises ImoveError."""
        raise ImoveError(
            f"which of {', '.join(buses)} leads arm '{name}' cannot be told; say it with --leader {name}=ADDRESS"
        )

    def camera(self, name: str, devices: Sequence[CameraDevice]) -> str:
        """Raises ImoveError."""
        serials = ", ".join(device.serial for device in devices)
        raise ImoveError(f"which of {serials} is camera '{name}' cannot be told; say it with --camera {name}=SERIAL")

    def agrees(self, question: str) -> bool:
        """No."""
        return False


class Person:
    """A person at a terminal, who points at devices by touching them."""

    def __init__(self, say: Callable[[str], None], read: Callable[[str], str], patience_s: float = PATIENCE_S) -> None:
        """Speaks through a terminal.

        Args:
            say: Prints a line.
            read: Asks for a line.
            patience_s: How long to wait until a device is touched.
        """
        self._say, self._read, self._patience_s = say, read, patience_s

    def arm(self, name: str, buses: Sequence[str]) -> str:
        """Waits until the arm is moved by hand; asks for its bus where none was."""
        return self._moved(f"arm '{name}'", buses)

    def leader(self, name: str, buses: Sequence[str]) -> str:
        """Waits until the leader is moved by hand; asks for its bus where none was."""
        return self._moved(f"the leader of arm '{name}'", buses)

    def camera(self, name: str, devices: Sequence[CameraDevice]) -> str:
        """Waits until the camera is covered; asks for its serial number where none was."""
        self._say(f"Which one is camera '{name}'? Cover it with your hand for a second.")
        try:
            serial = covered_camera(devices, self._patience_s)
        except ImoveError as error:
            self._say(f"{error}.")
            return self._choose(f"camera '{name}'", [device.serial for device in devices])
        self._say(f"Camera '{name}' is {serial}.")
        return serial

    def agrees(self, question: str) -> bool:
        """What the person says."""
        return self._read(f"{question} [y/N]").strip().lower() in ("y", "yes")

    def _moved(self, what: str, buses: Sequence[str]) -> str:
        self._say(
            f"Which one is {what}? Move it by hand, by more than a finger's breadth, or its fingers. If it holds "
            "against your hand, press its teaching button first."
        )
        try:
            bus = moved_bus(buses, self._patience_s)
        except ImoveError as error:
            self._say(f"{error}.")
            return self._choose(what, buses)
        self._say(f"It is on {bus}.")
        return bus

    def _choose(self, what: str, choices: Sequence[str]) -> str:
        for number, choice in enumerate(choices, start=1):
            self._say(f"  {number}  {choice}")
        while True:
            answer = self._read(f"Number of {what}").strip()
            if answer.isdecimal() and 1 <= int(answer) <= len(choices):
                return choices[int(answer) - 1]
            self._say(f"'{answer}' is no number from 1 to {len(choices)}.")
