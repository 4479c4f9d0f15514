"""What a recorder is asked for, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Request:
    """What is to be recorded.

    Attributes:
        episode_id: As it will be announced.
        task: Folder of the dataset.
        number: Of the bag in that folder.
        replace: Whether a bag that is there may be replaced.
    """

    episode_id: str
    task: str
    number: int
    replace: bool = False


@dataclass(frozen=True)
class Finished:
    """A recording that has ended.

    Attributes:
        folder: Of the bag.
        messages: Written.
        dropped: Sent but not written.
    """

    folder: Path
    messages: int
    dropped: int
