"""The bag of one episode on disk, behind a queue."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from imove_core.bag.facts import RIG_ATTACHMENT, SPEC_ATTACHMENT
from imove_core.bag.queue import QueuedWriter, TopicCounts
from imove_core.bag.topics import BagTopic
from imove_core.bag.types import MessageTypes
from imove_core.bag.writer import BagWriter
from imove_recorder.announcement import Announcement, episode_facts
from imove_recorder.settings import LOCKSTEP, RecorderSettings

JSON = "application/json"
_WAIT_S = 0.005


class BagFile:
    """A bag that is being written by a thread of its own."""

    def __init__(
        self,
        folder: Path,
        topics: Sequence[BagTopic],
        announced: Announcement,
        instruction: str,
        origin: Mapping[str, str],
        settings: RecorderSettings,
        types: MessageTypes,
    ) -> None:
        """Opens it, with the episode's spec and rig inside.

        Args:
            folder: Of the bag when it is whole; one that is there is replaced.
            topics: Of the bag.
            announced: The episode.
            instruction: What the policy is told.
            origin: See `origin_facts`.
            settings: Of the recorder.
            types: Message types.

        Raises:
            ImoveError: The folder cannot be written.
        """
        self.folder = folder
        if folder.exists():
            shutil.rmtree(folder)
        facts = {**episode_facts(announced, instruction, settings), **origin}
        writer = BagWriter(folder, topics, settings.writer, facts, instruction, types)
        writer.attach(SPEC_ATTACHMENT, announced.spec.to_json().encode(), JSON)
        writer.attach(RIG_ATTACHMENT, settings.rig.model_dump_json().encode(), JSON)
        self._queue = QueuedWriter(writer, [topic.name for topic in topics], settings.queue_bytes)
        self._capacity_bytes = settings.queue_bytes
        # Where simulated time waits for nobody but who is slow, a message may wait too.
        self._waits = settings.clock == LOCKSTEP

    def put(self, topic: str, cdr: bytes, log_time_ns: int, publish_time_ns: int) -> None:
        """See `imove_recorder.recording.Bag`."""
        while self._waits and (waiting := self._queue.waiting_bytes) and waiting + len(cdr) > self._capacity_bytes:
            self._queue.check()
            time.sleep(_WAIT_S)
        self._queue.put(topic, cdr, log_time_ns, publish_time_ns)

    def counts(self) -> Mapping[str, TopicCounts]:
        """What has become of the messages of each topic."""
        return self._queue.counts()

    @property
    def waiting_bytes(self) -> int:
        """Size of what waits to be written."""
        return self._queue.waiting_bytes

    def finish(self, facts: Mapping[str, str], attachments: Mapping[str, str]) -> None:
        """See `imove_recorder.recording.Bag`."""
        for name, text in attachments.items():
            self._queue.attach(name, text.encode(), JSON)
        self._queue.finish(facts)

    def cut(self, reason: str) -> Path:
        """See `imove_recorder.recording.Bag`."""
        return self._queue.cut(reason)

    def discard(self) -> None:
        """See `imove_recorder.recording.Bag`."""
        self._queue.discard()
