"""How much room is left for recordings."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

WARN_BYTES = 20_000_000_000
SHORT_BYTES = 3_000_000_000


@dataclass(frozen=True)
class Disk:
    """Room on the disk of the recordings.

    Attributes:
        free_bytes: Left for this user.
        total_bytes: Of the disk.
        level: ok, warn or error.
        episodes_left: How many more of the mean size fit, None where no bag is there to measure.
    """

    free_bytes: int
    total_bytes: int
    level: str
    episodes_left: int | None


def room(folder: Path, mean_episode_bytes: float = 0.0) -> Disk | None:
    """Room for recordings in a folder that need not be there yet; None where the disk cannot be asked.

    Args:
        folder: Of the bags.
        mean_episode_bytes: Size of a bag, 0 where nobody knows.
    """
    there = next((place for place in (folder, *folder.parents) if place.is_dir()), None)
    if there is None:
        return None
    try:
        usage = shutil.disk_usage(there)
    except OSError:
        return None
    level = "error" if usage.free < SHORT_BYTES else "warn" if usage.free < WARN_BYTES else "ok"
    left = int(usage.free / mean_episode_bytes) if mean_episode_bytes > 0 else None
    return Disk(usage.free, usage.total, level, left)


def bytes_in(folder: Path) -> int:
    """Bytes of the files that lie directly in a folder."""
    with os.scandir(folder) as entries:
        return sum(entry.stat().st_size for entry in entries if entry.is_file(follow_symlinks=False))
