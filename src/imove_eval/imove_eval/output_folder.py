"""A folder that a command writes into: room on its disk, one command at a time, and what the disk refuses."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from imove_core.errors import ImoveError

NEEDED_BYTES = 64 * 1024 * 1024
"""What a run of 100 episodes writes is below this; less free space is refused before anything starts."""


def check_free_space(folder: Path, needed_bytes: int = NEEDED_BYTES) -> None:
    """Checks that the disk of a folder that may not exist yet has room.

    Raises:
        ImoveError: Less is free than a run needs.
    """
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    status = os.statvfs(existing)
    free = status.f_bavail * status.f_frsize
    if free < needed_bytes:
        raise ImoveError(
            f"output {folder}: its disk has {free / 1e6:.0f} MB free; a run needs {needed_bytes / 1e6:.0f} MB"
        )


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keeps other runs out of a folder while it is held.

    Raises:
        ImoveError: Another run holds it.
    """
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("w")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ImoveError(f"output {folder} is in use by another run; wait for it or give another folder") from error
        yield


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turns what the disk of an output folder refuses into an ImoveError that says so."""
    try:
        yield
    except OSError as error:
        raise ImoveError(f"output {folder} cannot be written: {(error.strerror or str(error)).lower()}") from error
