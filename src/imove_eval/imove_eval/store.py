"""The output folder of a run: written as the run goes, resumed after a kill, never mixed with another run's."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from imove_analysis.records import COMPLETED, TRACES
from imove_analysis.runs import DETAILS, EPISODES, PROVENANCE, SUITE, SUMMARY
from imove_core.canonical import canonical_json, write_bytes_atomically, write_text_atomically
from imove_core.errors import ImoveError
from imove_core.step_trace import SUFFIX
from imove_eval.output_folder import disk_errors
from imove_tasks.suites import Suite, write_suite

ABORTED = "aborted.jsonl"
"""Episodes that were aborted, set aside when a folder is opened again: they are run again."""


class Settings(Protocol):
    """What decides the results of a run, e.g. `imove_eval.settings.RunSettings`."""

    def to_record(self) -> dict[str, Any]:
        """The settings as plain data."""
        ...


def check_resumable(folder: Path, settings: Settings) -> None:
    """Checks that a folder is new, or holds a run with the same settings.

    Raises:
        ImoveError: The folder holds another run, or something that is no run.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ImoveError(f"output {folder} is a file; a folder is needed")
    provenance = folder / PROVENANCE
    if not provenance.exists():
        if (folder / EPISODES).exists():
            raise ImoveError(f"output {folder} has {EPISODES} without {PROVENANCE}; give another folder")
        return
    try:
        found = json.loads(provenance.read_text(encoding="utf-8"))["settings"]
        differing = [key for key, wanted in settings.to_record().items() if found.get(key) != wanted]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImoveError(f"{provenance} is damaged; give another folder or remove this one") from error
    if differing:
        key = differing[0]
        raise ImoveError(
            f"output {folder} holds another run: its {key} is {found.get(key)!r}, this run's is "
            f"{settings.to_record()[key]!r}; give another folder"
        )


def _check_details(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Checks that files that settings name are what they were; what an older run does not say is not compared."""
    for key in found.keys() & wanted.keys():
        if found[key] != wanted[key]:
            raise ImoveError(
                f"output {folder} holds another run: its {key} was {found[key]!r:.200}, now it is "
                f"{wanted[key]!r:.200}; give another folder"
            )


class RunStore:
    """Appends episode records and keeps summary and provenance beside them."""

    def __init__(self, folder: Path, settings: Settings, provenance: dict[str, Any]) -> None:
        """Opens a folder for a run, new or to be resumed.

        Args:
            folder: Made when it is not there.
            settings: Of this run.
            provenance: Written with the settings when the run is new.

        Raises:
            ImoveError: The folder holds another run, or one whose details were others, cannot be written, or its disk
                is full.
        """
        check_resumable(folder, settings)
        self._folder = folder
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if not (folder / PROVENANCE).exists():
            self._write_provenance({"settings": settings.to_record(), **provenance})
        found = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        _check_details(folder, found.get(DETAILS, {}), provenance.get(DETAILS, {}))
        self._simulator: Mapping[str, Any] = found.get("simulator", {})
        self._records = self._recover()
        self._aborted: list[dict[str, Any]] = []
        self._drop_traces_without_record()

    @property
    def folder(self) -> Path:
        """Where the run is written."""
        return self._folder

    @property
    def records(self) -> list[dict[str, Any]]:
        """Records of the episodes that are finished, in the order in which they were written."""
        return list(self._records)

    @property
    def done(self) -> set[str]:
        """Ids of the episodes that are finished."""
        return {record["episode_id"] for record in self._records}

    def keep_suite(self, suite: Suite) -> None:
        """Puts a copy of the suite beside the results, once: they mean something without the place where it was run.

        Raises:
            ImoveError: The disk is full or not writable.
        """
        path = self._folder / SUITE
        if not path.exists():
            with disk_errors(self._folder):
                write_suite(suite, path)

    def append(self, record: dict[str, Any], trace: bytes | None = None) -> None:
        """Adds a record, whole and flushed to disk, and before it the control steps that it names.

        Args:
            record: From `make_record`.
            trace: Content of the file that `record["trace"]` names, where it names one.

        Raises:
            ImoveError: The disk is full or not writable; the file is left as it was.
        """
        if record.get("trace") and trace is not None:
            path = self._folder / record["trace"]
            with disk_errors(self._folder):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_bytes_atomically(path, trace)
        self._append_line(self._folder / EPISODES, record)
        (self._records if record["outcome"] == COMPLETED else self._aborted).append(record)

    def note_simulator(self, facts: Mapping[str, Any]) -> None:
        """Adds what the simulator says of itself to the provenance, once.

        Raises:
            ImoveError: The run began with another engine or renderer, or the disk is full or not writable.
        """
        if not facts or self._simulator == facts:
            return
        if self._simulator:
            for key in ("engine", "renderer"):
                before, now = self._simulator.get(key), facts.get(key)
                if None not in (before, now) and before != now:
                    raise ImoveError(
                        f"output {self._folder} holds a run with another simulator: its {key} is {before!r}, this "
                        f"run's is {now!r}; give another folder"
                    )
            return
        with disk_errors(self._folder):
            record = json.loads((self._folder / PROVENANCE).read_text(encoding="utf-8"))
        self._write_provenance({**record, "simulator": dict(facts)})
        self._simulator = dict(facts)

    def _write_provenance(self, record: Mapping[str, Any]) -> None:
        with disk_errors(self._folder):
            write_text_atomically(self._folder / PROVENANCE, json.dumps(record, indent=2, sort_keys=True) + "\n")

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Replaces the summary.

        Raises:
            ImoveError: The disk is full or not writable.
        """
        with disk_errors(self._folder):
            write_text_atomically(self._folder / SUMMARY, json.dumps(summary, indent=2, sort_keys=True) + "\n")

    def sort(self, order: Sequence[str]) -> None:
        """Puts the records into the order of episode ids, whatever order they were finished or aborted in.

        Raises:
            ImoveError: The disk is full or not writable; the file is left as it was.
        """
        place = {key: index for index, key in enumerate(order)}

        def by_place(record: Mapping[str, Any]) -> int:
            return place.get(record["episode_id"], len(order))

        self._records.sort(key=by_place)
        self._write_episodes(sorted([*self._records, *self._aborted], key=by_place))

    def _drop_traces_without_record(self) -> None:
        """Removes what a kill left between the trace of an episode and its record."""
        named = {self._folder / record["trace"] for record in self._records if record.get("trace")}
        with disk_errors(self._folder):
            for path in (self._folder / TRACES).rglob("*"):
                if path.suffix in (SUFFIX, ".partial") and path not in named:
                    path.unlink()

    def _recover(self) -> list[dict[str, Any]]:
        """Reads what is finished; a half-written last line is dropped, aborted episodes are set aside to run again."""
        path = self._folder / EPISODES
        if not path.exists():
            return []
        with disk_errors(self._folder):
            *lines, unfinished = path.read_bytes().split(b"\n")
        records = [_parsed(line, f"{path} line {number}") for number, line in enumerate(lines, start=1)]
        finished = [record for record in records if record["outcome"] == COMPLETED]
        for record in records:
            if record["outcome"] != COMPLETED:
                self._append_line(self._folder / ABORTED, record)
        # A killed writer leaves its last line without an end.
        if unfinished or len(finished) != len(records):
            self._write_episodes(finished)
        return finished

    def _write_episodes(self, records: Sequence[Mapping[str, Any]]) -> None:
        with disk_errors(self._folder):
            write_text_atomically(self._folder / EPISODES, "".join(canonical_json(item) + "\n" for item in records))

    def _append_line(self, path: Path, record: dict[str, Any]) -> None:
        line = (canonical_json(record) + "\n").encode()
        with disk_errors(self._folder):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                size = os.fstat(descriptor).st_size
                try:
                    # A disk that is almost full takes the first part and refuses the next.
                    while line:
                        line = line[os.write(descriptor, line) :]
                    os.fsync(descriptor)
                except OSError:
                    os.ftruncate(descriptor, size)
                    raise
            finally:
                os.close(descriptor)


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(line)
        if {"episode_id", "outcome"} <= record.keys():
            return record
    except (ValueError, AttributeError):
        pass
    raise ImoveError(f"{where} is damaged; remove the line, and its episode runs again")
