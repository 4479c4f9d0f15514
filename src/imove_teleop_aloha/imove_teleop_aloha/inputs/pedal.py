"""A foot pedal as the kernel tells of it: events of an input device, read without a library."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import threading
from collections.abc import Callable
from pathlib import Path

EVENT = struct.Struct("llHHi")
"""`struct input_event` of linux/input.h: time (s, us), type, code, value."""
EV_KEY = 1
RELEASED, PRESSED = 0, 1
EVIOCGRAB = 0x40044590
"""Keeps the events from everybody else: a pedal is a keyboard, and its keys are not meant for the desktop."""
POLL_S = 0.1
REOPEN_S = 1.0
LOST = "the pedal is not there"


class Pedal:
    """Tells of a pedal that is pressed or let go of, and of one that is not there."""

    def __init__(self, device: Path, on_pressed: Callable[[bool], None], on_trouble: Callable[[str], None]) -> None:
        """Does not read yet.

        Args:
            device: `/dev/input/by-id/...-event-kbd`, or `/dev/input/eventN`; any key of it is the pedal.
            on_pressed: Called with whether it is pressed.
            on_trouble: Called with what is wrong, "" for nothing; a pedal that is not there is also let go of.
        """
        self._device, self._on_pressed, self._on_trouble = device, on_pressed, on_trouble
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pedal")

    def start(self) -> None:
        """Begins to read."""
        self._thread.start()

    def stop(self) -> None:
        """Reads no more."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            said = ""
            try:
                self._read()
            except OSError as error:
                said = f": {error.strerror}"
            if not self._ended.is_set():
                self._on_pressed(False)
                self._on_trouble(f"{LOST} ({self._device}{said})")
                self._ended.wait(REOPEN_S)

    def _read(self) -> None:
        """Reads until the pedal goes; raises OSError when it is not there."""
        descriptor = os.open(self._device, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _grab(descriptor)
            self._on_trouble("")
            while not self._ended.is_set():
                if not select.select([descriptor], [], [], POLL_S)[0]:
                    continue
                # The kernel hands over whole events only.
                data = os.read(descriptor, EVENT.size * 64)
                if not data:
                    return
                for _, _, kind, _, value in EVENT.iter_unpack(data[: len(data) // EVENT.size * EVENT.size]):
                    if kind == EV_KEY and value in (RELEASED, PRESSED):
                        self._on_pressed(value == PRESSED)
        finally:
            os.close(descriptor)


def _grab(descriptor: int) -> None:
    try:
        fcntl.ioctl(descriptor, EVIOCGRAB, 1)
    except OSError:
        # Somebody else has it, or it is no input device; its events still come.
        return
