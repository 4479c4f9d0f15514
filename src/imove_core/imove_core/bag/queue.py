"""A bag writer behind a queue that is bounded in bytes, so that who receives messages never waits for the disk."""

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from imove_core.bag.errors import BagError
from imove_core.bag.writer import BagSummary, BagWriter

# 3 s of three raw 640x480 cameras at 30 Hz; a write to a busy disk has taken 0.2 s.
CAPACITY_BYTES = 256_000_000
# Taken from the queue at once, so that the threads meet less often.
_BATCH = 32
# How long an idle thread sleeps at most, so that it flushes on time.
_IDLE_S = 0.25


@dataclass(frozen=True)
class TopicCounts:
    """What became of the messages of a topic.

    Attributes:
        received: Given to the queue.
        written: Given to the file.
        dropped: Refused, since the queue was full.
        bytes: Size of those written.
    """

    received: int
    written: int
    dropped: int
    bytes: int


@dataclass
class _Tally:
    received: int = 0
    written: int = 0
    dropped: int = 0
    bytes: int = 0


class _Message(NamedTuple):
    topic: str
    cdr: bytes
    log_time_ns: int
    publish_time_ns: int
    sequence: int


class _Attachment(NamedTuple):
    name: str
    data: bytes
    media_type: str


@dataclass
class _Shared:
    """What both threads touch, under `changed`."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    waiting: deque[_Message | _Attachment] = field(default_factory=deque)
    bytes: int = 0
    is_idle: bool = False
    closing: bool = False
    error: Exception | None = None


class QueuedWriter:
    """Writes a bag from a thread of its own. Its methods may be called from any thread; `put` never blocks on the disk.

    An error of the thread, such as a full disk, is raised by the next `put`, `check` or `finish`.
    """

    def __init__(self, writer: BagWriter, topics: Iterable[str] = (), capacity_bytes: int = CAPACITY_BYTES) -> None:
        """Starts the thread.

        Args:
            writer: Belongs to the thread from now on.
            topics: That `counts` lists from the start; others appear with their first message.
            capacity_bytes: Of the messages that wait.
        """
        self._writer, self._capacity = writer, capacity_bytes
        self._shared = _Shared()
        self._tallies: dict[str, _Tally] = {name: _Tally() for name in topics}
        self._thread = threading.Thread(target=self._run, name=f"bag {writer.folder.name}", daemon=True)
        self._thread.start()

    def put(self, topic: str, cdr: bytes, log_time_ns: int, publish_time_ns: int) -> bool:
        """Takes a message; False when the queue is full and the message is dropped.

        Raises:
            BagError: The thread has stopped, e.g. since the disk is full.
        """
        shared = self._shared
        with shared.changed:
            self._require_open()
            tally = self._tallies.setdefault(topic, _Tally())
            sequence = tally.received
            tally.received += 1
            # A message larger than the queue passes where nothing waits.
            if shared.bytes and shared.bytes + len(cdr) > self._capacity:
                tally.dropped += 1
                return False
            shared.bytes += len(cdr)
            self._enqueue(_Message(topic, cdr, log_time_ns, publish_time_ns, sequence))
        return True

    def attach(self, name: str, data: bytes, media_type: str) -> None:
        """Adds a file after the messages that wait; never dropped."""
        with self._shared.changed:
            self._require_open()
            self._enqueue(_Attachment(name, data, media_type))

    def counts(self) -> dict[str, TopicCounts]:
        """What became of the messages, by topic."""
        with self._shared.changed:
            return {
                name: TopicCounts(tally.received, tally.written, tally.dropped, tally.bytes)
                for name, tally in self._tallies.items()
            }

    @property
    def waiting_bytes(self) -> int:
        """Size of the messages that wait."""
        return self._shared.bytes

    def check(self) -> None:
        """Raises the error of the thread, if it has stopped."""
        with self._shared.changed:
            self._raise_error()

    def finish(self, custom_data: Mapping[str, str]) -> BagSummary:
        """Writes what waits and finishes the bag; `dropped_messages` of its custom data says how many are missing.

        Raises:
            BagError: As `BagWriter.finish`, or what stopped the thread.
        """
        self._close()
        self.check()
        dropped = sum(counts.dropped for counts in self.counts().values())
        return self._writer.finish({**custom_data, "dropped_messages": str(dropped)})

    def cut(self, why: str) -> Path:
        """Writes what waits and closes the bag under its unfinished name; see `BagWriter.cut`."""
        self._close()
        return self._writer.cut(why)

    def discard(self) -> None:
        """Throws away what waits and the unfinished bag."""
        with self._shared.changed:
            self._shared.waiting.clear()
        self._close()
        self._writer.discard()

    def _close(self) -> None:
        with self._shared.changed:
            self._shared.closing = True
            self._shared.changed.notify()
        self._thread.join()

    def _raise_error(self) -> None:
        if self._shared.error is not None:
            raise self._shared.error

    def _require_open(self) -> None:
        self._raise_error()
        if self._shared.closing:
            raise BagError(f"bag {self._writer.folder.name} is closed; nothing can be added to it")

    def _enqueue(self, item: _Message | _Attachment) -> None:
        self._shared.waiting.append(item)
        if self._shared.is_idle:
            self._shared.changed.notify()

    def _run(self) -> None:
        try:
            while (batch := self._next()) is not None:
                self._write(batch)
                self._writer.flush_if_due()
        except Exception as error:
            # Everything goes to the threads that put messages; this one has nobody to tell.
            with self._shared.changed:
                self._shared.error = error
                self._shared.waiting.clear()
                self._shared.bytes = 0

    def _next(self) -> list[_Message | _Attachment] | None:
        """What to write next, nothing after a while without messages, None at the end."""
        shared = self._shared
        with shared.changed:
            if not shared.waiting and not shared.closing:
                shared.is_idle = True
                shared.changed.wait(_IDLE_S)
                shared.is_idle = False
            if not shared.waiting and shared.closing:
                return None
            return [shared.waiting.popleft() for _ in range(min(_BATCH, len(shared.waiting)))]

    def _write(self, batch: Sequence[_Message | _Attachment]) -> None:
        written = []
        try:
            for item in batch:
                if isinstance(item, _Message):
                    self._writer.write(item.topic, item.cdr, item.log_time_ns, item.publish_time_ns, item.sequence)
                    written.append(item)
                else:
                    self._writer.attach(item.name, item.data, item.media_type)
        finally:
            with self._shared.changed:
                for item in written:
                    tally = self._tallies[item.topic]
                    tally.written += 1
                    tally.bytes += len(item.cdr)
                    self._shared.bytes -= len(item.cdr)
