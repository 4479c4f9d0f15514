"""The journal of a session of trials: every line is on the disk before the next thing happens."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_trials.trial import Trial

JOURNAL = "session.jsonl"
_NS = 1_000_000_000


class Journal:
    """Appends events to session.jsonl, and knows from it what was done before a break or a crash.

    Attributes:
        kept: Keys of the trials whose results are kept.
        attempts: How often each trial was begun to be set up, by key.
        unfinished: Key of the trial in whose middle the last session ended, "" for none.
    """

    def __init__(self, path: Path, now_ns: Callable[[], int]) -> None:
        """Opens a journal, new or to be gone on with.

        A line that a crash has left half written is dropped; a trial without a verdict is noted as lost.

        Args:
            path: The file; its folder is made where it is missing.
            now_ns: System time, ns since 1970.

        Raises:
            ImoveError: The file cannot be read or written, or is no journal.
        """
        self._path, self._now_ns = path, now_ns
        self.kept: set[str] = set()
        self.attempts: Counter[str] = Counter()
        self.unfinished = ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._recover()
        except OSError as error:
            raise ImoveError(f"journal {path} cannot be opened: {error.strerror}") from error
        if self.unfinished:
            self.write("lost", episode_id=self.unfinished, reason="the session ended in mid-trial")

    def number_of(self, key: str) -> int:
        """Number of a trial: its place among those that were ever set up, from 1."""
        keys = list(self.attempts)
        return keys.index(key) + 1 if key in keys else len(keys) + 1

    def write(self, event: str, **facts: Any) -> None:
        """Appends one event.

        Args:
            event: What happened.
            facts: Plain data about it.

        Raises:
            ImoveError: The disk is full or not writable.
        """
        time = datetime.fromtimestamp(self._now_ns() / _NS, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "event": event, **facts}
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                data = (canonical_json(line) + "\n").encode()
                while data:
                    data = data[os.write(descriptor, data) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ImoveError(f"journal {self._path} cannot be written: {error.strerror}") from error
        self._take(line)

    def write_trial(self, event: str, trial: Trial, **facts: Any) -> None:
        """Appends one event of a trial."""
        self.write(event, episode_id=trial.key, trial=trial.number, attempt=trial.attempt, label=trial.label, **facts)

    def _recover(self) -> None:
        if not self._path.exists():
            return
        *lines, rest = self._path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ImoveError(f"{self._path} line {number} is damaged; remove the line") from error
        if rest:
            with self._path.open("r+b") as file:
                file.truncate(self._path.stat().st_size - len(rest))

    def _take(self, line: dict[str, Any]) -> None:
        event, key = line["event"], line.get("episode_id", "")
        if event == "trial":
            self.attempts[key] += 1
            self.unfinished = key
        elif event in ("verdict", "refused", "lost"):
            self.unfinished = ""
            if event == "verdict" and line["decision"] == "keep":
                self.kept.add(key)
