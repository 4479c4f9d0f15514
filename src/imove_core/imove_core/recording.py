"""What whoever runs an episode asks of whoever records it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

LAST_STEP = "last_step"
"""Key of a result's record: the control step at which an episode ended that did not run to its horizon."""


def last_step_in(record_json: str) -> int | None:
    """The control step at which an episode ended by its result's record; None where that names none."""
    try:
        record = json.loads(record_json or "{}")
    except ValueError:
        return None
    step = record.get(LAST_STEP) if isinstance(record, dict) else None
    return step if isinstance(step, int) and step >= 0 else None


@dataclass(frozen=True)
class BagName:
    """Which bag an episode gets.

    Attributes:
        task: Folder: the family, with the condition unless it is the normal one.
        number: Of the episode in that folder, so that one that is run again gets the same bag.
    """

    task: str
    number: int


@dataclass(frozen=True)
class Dossier:
    """What a bag is told of its episode when that has ended.

    Attributes:
        facts: For its custom_data.
        labels_json: See `imove_tasks.labels`.
        provenance_json: Where the result comes from.
    """

    facts: Mapping[str, str]
    labels_json: str
    provenance_json: str


class EpisodeRecorder(Protocol):
    """Records one episode at a time; every method raises ImoveError with a sentence about what went wrong."""

    def start(self, key: str, name: BagName) -> Path:
        """Begins to record the episode that is about to be set up; returns the folder of its bag."""
        ...

    def finish(self, key: str, dossier: Dossier) -> None:
        """Finishes the bag when everything of the episode's last control step is in it."""
        ...

    def discard(self) -> None:
        """Throws the bag away."""
        ...
