"""What has become of every episode: a line each, written as the run goes, read again when it goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError

FILE = "teleop.jsonl"
KEPT, DISCARDED, UNDONE = "kept", "discarded", "undone"
UNDONE_FOLDER = ".undone"


class EpisodeLog:
    """The file of a run, and what follows from it."""

    def __init__(self, folder: Path) -> None:
        """Opens it, new or to go on with.

        Args:
            folder: Of the run, made where it is not there; folders of bags are relative to it.

        Raises:
            ImoveError: The folder cannot be written, or holds a damaged file.
        """
        self._folder, self._path = folder, folder / FILE
        self._kept: dict[int, dict[str, Any]] = {}
        self.discarded = 0
        """Episodes that were thrown away, those that were kept before included."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lines = self._path.read_bytes().split(b"\n") if self._path.exists() else [b""]
        except OSError as error:
            raise ImoveError(f"output {folder} cannot be used: {error.strerror}") from error
        for number, line in enumerate(lines[:-1], start=1):
            self._count(_parsed(line, f"{self._path} line {number}"))
        if lines[-1]:
            # A writer that was killed leaves its last line without an end.
            os.truncate(self._path, sum(len(line) + 1 for line in lines[:-1]))

    @property
    def kept(self) -> int:
        """Episodes that are kept."""
        return len(self._kept)

    @property
    def next_number(self) -> int:
        """Of the episode that comes next: the first that is not kept."""
        return next(number for number in range(self.kept + 1) if number not in self._kept)

    def append(self, record: Mapping[str, Any]) -> None:
        """Adds what has become of an episode.

        Args:
            record: With `number`, `outcome` and `bag` (folder relative to that of the run, or None).

        Raises:
            ImoveError: The disk is full or not writable.
        """
        line = (canonical_json(dict(record)) + "\n").encode()
        try:
            with self._path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ImoveError(f"output {self._folder} cannot be written: {error.strerror}") from error
        self._count(record)

    def undo(self) -> dict[str, Any]:
        """Takes back the newest episode that is kept; its bag is put aside, where no export looks.

        Returns:
            Its record.

        Raises:
            ImoveError: None is kept, or its bag cannot be moved.
        """
        if not self._kept:
            raise ImoveError("no episode is kept that could be undone")
        record = self._kept[next(reversed(self._kept))]
        if record["bag"]:
            self._put_aside(self._folder / record["bag"])
        self.append({"number": record["number"], "episode_id": record["episode_id"], "outcome": UNDONE, "bag": None})
        return record

    def _put_aside(self, bag: Path) -> None:
        aside = bag.parent / UNDONE_FOLDER
        try:
            aside.mkdir(exist_ok=True)
            taken = sum(1 for _ in aside.glob(f"{bag.name}.*"))
            bag.rename(aside / f"{bag.name}.{taken}")
        except OSError as error:
            raise ImoveError(f"bag {bag} cannot be put aside: {error.strerror}") from error

    def _count(self, record: Mapping[str, Any]) -> None:
        if record["outcome"] == KEPT:
            self._kept[int(record["number"])] = dict(record)
        else:
            self.discarded += 1
            if record["outcome"] == UNDONE:
                self._kept.pop(int(record["number"]), None)


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(line)
        if {"number", "outcome", "bag", "episode_id"} <= record.keys():
            return record
    except (ValueError, AttributeError):
        pass
    raise ImoveError(f"{where} is damaged; remove the line, and its episode is recorded again")
