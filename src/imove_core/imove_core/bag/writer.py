"""Writes an episode bag from serialised messages: under a hidden name first, renamed when it is whole."""

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from imove_core.bag.errors import BagError
from imove_core.bag.facts import INCOMPLETE, checked_facts
from imove_core.bag.mcap_file import Compression, McapFile
from imove_core.bag.metadata import (
    METADATA_FILE,
    RecordedTopic,
    TimeSpan,
    bag_information,
    metadata_text,
    qos_profile,
    yaml_text,
)
from imove_core.bag.partial import PartialFolder
from imove_core.bag.schema import SchemaSource, TypeSchema
from imove_core.bag.topics import BagTopic
from imove_core.canonical import write_text_atomically

MEBIBYTE = 1 << 20
# Log times are unsigned in MCAP and signed in ROS.
LAST_TIME_NS = (1 << 63) - 1


@dataclass(frozen=True)
class WriterSettings:
    """How a bag is written.

    Attributes:
        compression: Of chunks: "zstd" for rendered images (20 times smaller), "none" for images that are JPEG already
            and where the processor has no time to spare.
        chunk_bytes: Messages are written together when they are this large; jazzy plays no chunk whose first message
            is larger than the chunk, hence more than a raw image.
        flush_s: What arrived is written after this long at the latest, so that a kill costs no more. Infinity writes
            by size alone, which makes files of the same messages the same bytes.
        reserve_bytes: Recording stops while this much is free on the disk: 3 s of three raw cameras.
        crc: Whether chunks carry a checksum, by which damage is found.
        replace_partial: Whether an unfinished bag of the same name is deleted instead of refused.
    """

    compression: Compression = "zstd"
    chunk_bytes: int = 4 * MEBIBYTE
    flush_s: float = 0.5
    reserve_bytes: int = 256 * MEBIBYTE
    crc: bool = True
    replace_partial: bool = False

    def __post_init__(self) -> None:
        """Refuses values that mean nothing."""
        for name, value, low in (
            ("chunk_bytes", self.chunk_bytes, 1),
            ("reserve_bytes", self.reserve_bytes, 0),
            ("flush_s", self.flush_s, 0.0),
        ):
            if not value >= low:
                raise BagError(f"{name} of a bag writer is {value}; {low} or more is allowed")
        if self.compression not in ("none", "zstd"):
            raise BagError(f"compression of a bag writer is {self.compression!r}; allowed: none, zstd")


@dataclass(frozen=True)
class BagSummary:
    """A finished bag.

    Attributes:
        folder: Where it is.
        file_bytes: Size of its MCAP file.
        span: First and last log time.
        message_counts: Messages by topic.
    """

    folder: Path
    file_bytes: int
    span: TimeSpan
    message_counts: Mapping[str, int]


@dataclass
class _Channel:
    topic: BagTopic
    schema: TypeSchema
    number: int
    messages: int = 0


class BagWriter:
    """Writes one bag `<folder>/<name>_0.mcap` with metadata.yaml, in `.partial` beside `folder` until it is finished.

    As a context manager it discards the bag on an exception, except where it has closed the bag as a valid partial one
    itself. It serves one thread; `QueuedWriter` puts one behind a queue.
    """

    def __init__(
        self,
        folder: Path,
        topics: Iterable[BagTopic],
        settings: WriterSettings,
        custom_data: Mapping[str, str],
        task: str,
        types: SchemaSource,
    ) -> None:
        """Creates the unfinished bag.

        Args:
            folder: Of the finished bag; its name is the bag's name, its parent the dataset's folder of a task.
            topics: Of the bag.
            settings: How it is written.
            custom_data: Facts about the episode as far as they are known.
            task: The instruction.
            types: Definitions and hashes of the topics' types.

        Raises:
            BagError: The bag, or an unfinished one of its name, exists, or the folder cannot be written.
            ImoveError: A type is unknown.
        """
        self._place = PartialFolder(folder)
        self._settings, self._task = settings, task
        self._custom_data = checked_facts(custom_data)
        self._attached: set[str] = set()
        self._state: Literal["open", "stopped", "finished", "discarded"] = "open"
        self._reason = ""
        self._last_log_time_ns = 0
        schemas = [(topic, types.schema(topic.type)) for topic in topics]
        self._place.make(settings.replace_partial)
        try:
            self._file = McapFile(self._place.path / self._file_name, settings.compression, settings.crc)
            self._channels = {topic.name: self._add_topic(topic, schema) for topic, schema in schemas}
            self._add_information()
        except OSError as error:
            self._place.delete()
            raise BagError(f"bag {self._place.path} cannot be written: {error.strerror}") from error
        self._last_flush_s = time.monotonic()

    @property
    def folder(self) -> Path:
        """Where the finished bag will be."""
        return self._place.final

    @property
    def partial_folder(self) -> Path:
        """Where the bag is until it is finished."""
        return self._place.path

    @property
    def settings(self) -> WriterSettings:
        """How it is written."""
        return self._settings

    @property
    def bytes_written(self) -> int:
        """Size of the file so far."""
        return self._file.bytes_written

    @property
    def free_bytes(self) -> int:
        """What the disk has left above the reserve, 0 at the least."""
        return max(0, self._place.free_bytes() - self._settings.reserve_bytes)

    def write(
        self, topic: str, cdr: bytes, log_time_ns: int, publish_time_ns: int, sequence: int | None = None
    ) -> None:
        """Adds a message.

        Args:
            topic: Name of one of the bag's topics.
            cdr: The serialised message with its encapsulation header.
            log_time_ns: When it was received; in simulation the stamp of the control step.
            publish_time_ns: When it was sent.
            sequence: Its number among those received on the topic; None counts on. A gap tells of a dropped message.

        Raises:
            BagError: The topic is not one of the bag's, a time is negative, the disk is full or its reserve reached, or
                the bag is closed. The disk has the bag up to here, valid and under its unfinished name.
        """
        self._require_open()
        channel = self._channels.get(topic)
        if channel is None:
            raise BagError(f"bag {self._name} has no topic {topic!r}; allowed: {', '.join(self._channels)}")
        for what, value in (("log", log_time_ns), ("publish", publish_time_ns)):
            if not 0 <= value <= LAST_TIME_NS:
                raise BagError(f"{what} time of a message on {topic} is {value} ns; 0 to {LAST_TIME_NS} is allowed")
        number = channel.messages if sequence is None else sequence
        self._file.add_message(channel.number, number & 0xFFFFFFFF, log_time_ns, publish_time_ns, cdr)
        channel.messages += 1
        self._last_log_time_ns = max(self._last_log_time_ns, log_time_ns)
        if self._file.pending_bytes >= self._settings.chunk_bytes:
            self.flush()
        else:
            self.flush_if_due()

    def flush_if_due(self) -> None:
        """Writes what has waited for `flush_s`; for callers that have had no message for a while.

        Raises:
            BagError: As `write`.
        """
        if time.monotonic() - self._last_flush_s >= self._settings.flush_s:
            self.flush()

    def flush(self) -> None:
        """Writes what waits; it then survives a kill of the process.

        Raises:
            BagError: As `write`.
        """
        self._require_open()
        self._guard_reserve(self._file.pending_bytes)
        self._or_stop(self._file.flush_chunk)
        self._last_flush_s = time.monotonic()

    def attach(self, name: str, data: bytes, media_type: str) -> None:
        """Adds a file such as the spec, the rig or the labels.

        Raises:
            BagError: The name is taken, or as `write`.
        """
        self._require_open()
        if name in self._attached:
            raise BagError(f"bag {self._name} has an attachment {name!r} already")
        self._guard_reserve(len(data))
        self._or_stop(lambda: self._file.add_attachment(name, media_type, data, self._last_log_time_ns))
        self._attached.add(name)

    def finish(self, custom_data: Mapping[str, str]) -> BagSummary:
        """Closes the bag and gives it its final name.

        Args:
            custom_data: What is known now; replaces what was given before under the same keys.

        Raises:
            BagError: A required topic has no message, the final name is taken, or as `write`; the bag is then valid
                under its unfinished name.
        """
        self._require_open()
        self._custom_data |= checked_facts(custom_data)
        self.flush()
        counts = self._counts()
        missing = [name for name, channel in self._channels.items() if channel.topic.required and not counts[name]]
        if missing:
            self._stop(f"bag {self._name} has no message on required topic {', '.join(missing)}")
        self._or_stop(self._write_end)
        try:
            self._place.become_final()
        except OSError as error:
            self._state = "stopped"
            self._reason = f"{self._place.path} cannot become {self._place.final}: {error.strerror}"
            raise BagError(self._reason) from error
        self._state = "finished"
        return BagSummary(self._place.final, self._file.bytes_written, self._file.span, counts)

    def cut(self, why: str) -> Path:
        """Closes the bag in the middle of its episode: valid, but under its unfinished name.

        Args:
            why: One sentence; becomes `incomplete` of its custom data.

        Returns:
            Where it is. Does nothing more to a bag that has stopped by itself.

        Raises:
            BagError: The bag is finished or discarded.
        """
        if self._state != "stopped":
            self._require_open()
            with contextlib.suppress(BagError):
                self._stop(why)
        return self.partial_folder

    def discard(self) -> None:
        """Deletes an unfinished bag; does nothing to a finished one."""
        if self._state in ("open", "stopped"):
            if self._state == "open":
                self._file.abandon()
            self._state = "discarded"
            self._place.delete()

    def __enter__(self) -> Self:
        """The writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Discards a bag that was neither finished nor stopped."""
        if self._state == "open":
            self.discard()

    @property
    def _name(self) -> str:
        return self._place.final.name

    @property
    def _file_name(self) -> str:
        return f"{self._name}_0.mcap"

    def _add_topic(self, topic: BagTopic, schema: TypeSchema) -> _Channel:
        facts = {"offered_qos_profiles": yaml_text([qos_profile(topic.qos)]), "topic_type_hash": schema.type_hash}
        return _Channel(topic, schema, self._file.add_channel(topic.name, schema, facts))

    def _require_open(self) -> None:
        if self._state == "stopped":
            raise BagError(self._reason)
        if self._state != "open":
            raise BagError(f"bag {self._name} is {self._state}; nothing can be added to it")

    def _guard_reserve(self, next_bytes: int) -> None:
        free = self._place.free_bytes()
        # A reserve of nothing is no reserve: then the disk itself says when it is full.
        if self._settings.reserve_bytes and free - next_bytes < self._settings.reserve_bytes:
            self._stop(
                f"recording of {self._name} stopped: the disk has {free / MEBIBYTE:.0f} MiB left and "
                f"{self._settings.reserve_bytes / MEBIBYTE:.0f} MiB are to stay free"
            )

    def _or_stop(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self._stop(f"recording of {self._name} stopped: {error.strerror}", error)

    def _stop(self, why: str, cause: OSError | None = None) -> None:
        """Closes what there is as a valid bag under its unfinished name and raises why."""
        self._custom_data[INCOMPLETE] = why
        self._state, self._reason = "stopped", f"{why}; what was recorded is whole in {self._place.path}"
        with contextlib.suppress(OSError):
            self._file.flush_chunk()
        while True:
            try:
                self._write_end()
                break
            except OSError as error:
                # On a full disk the last chunk makes room for the end.
                if not self._file.drop_last_chunk():
                    self._file.abandon()
                    self._reason = f"{why}; not even an empty bag can be written ({error.strerror})"
                    break
        raise BagError(self._reason) from cause

    def _write_end(self) -> None:
        # The text first: a closed file could not make room for it.
        metadata = metadata_text(self._information(), self._task)
        write_text_atomically(self._place.path / METADATA_FILE, metadata)
        self._add_information()
        self._file.close()

    def _add_information(self) -> None:
        self._file.add_metadata("rosbag2", {"serialized_metadata": yaml_text(self._information())})

    def _information(self) -> dict[str, object]:
        counts = self._counts()
        listed = [
            RecordedTopic(channel.topic, channel.schema.type_hash, counts[name])
            for name, channel in self._channels.items()
        ]
        return bag_information(listed, self._file_name, self._file.span, self._custom_data)

    def _counts(self) -> dict[str, int]:
        counts = self._file.counts()
        return {name: counts[channel.number] for name, channel in self._channels.items()}
