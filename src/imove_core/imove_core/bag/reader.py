"""Reads episode bags: a folder with metadata.yaml, or one MCAP file. Message definitions come from the bag itself."""

import heapq
import json
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from imove_core.bag.described import file_names, read_metadata
from imove_core.bag.errors import BagError
from imove_core.bag.facts import rig_from
from imove_core.bag.mcap_index import McapIndex, read_index
from imove_core.bag.metadata import INFORMATION_KEY, METADATA_FILE, TASK_KEY, TimeSpan, load_yaml, qos_from_profiles
from imove_core.bag.schema import TypeSchema
from imove_core.bag.topics import BagTopic
from imove_core.bag.types import MessageTypes
from imove_core.errors import unknown_name
from imove_core.rig import Rig


class BagMessage(NamedTuple):
    """A message as it is stored.

    Attributes:
        topic: Name of the topic.
        type: `package/msg/Type`.
        log_time_ns: When it was received.
        publish_time_ns: When it was sent.
        cdr: Serialised, with its encapsulation header.
        sequence: Its number among those received on the topic.
    """

    topic: str
    type: str
    log_time_ns: int
    publish_time_ns: int
    cdr: bytes
    sequence: int


class EpisodeBag:
    """A finished bag. Nothing stays open between calls, and nothing is ever written."""

    def __init__(self, path: Path) -> None:
        """Reads what the bag holds, not its messages.

        Args:
            path: Folder of the bag, or an MCAP file.

        Raises:
            BagError: There is no bag, it is not finished, or it is damaged.
        """
        self.path = path
        if path.is_dir():
            self._described = read_metadata(path / METADATA_FILE)
            files = [path / name for name in file_names(path, self._described)]
        elif path.is_file():
            self._described, files = {}, [path]
        else:
            raise BagError(f"bag {path} does not exist")
        self.files = tuple(files)
        self._indexes = tuple(read_index(file) for file in files)

    @property
    def name(self) -> str:
        """Name of the folder, or of the file without its number."""
        return self.path.name if self.path.is_dir() else self.path.stem.removesuffix("_0")

    @cached_property
    def topics(self) -> tuple[BagTopic, ...]:
        """Topics in the order of the file."""
        found: dict[str, BagTopic] = {}
        for index in self._indexes:
            for channel in index.channels.values():
                qos = qos_from_profiles(channel.metadata.get("offered_qos_profiles", ""))
                found.setdefault(channel.topic, BagTopic(channel.topic, _type_name(index, channel.schema_id), qos))
        return tuple(found.values())

    @cached_property
    def schemas(self) -> Mapping[str, TypeSchema]:
        """Definition of every topic's type, by topic."""
        return {
            channel.topic: TypeSchema(
                schema.name,
                schema.encoding,
                schema.data.decode("utf-8", "replace"),
                channel.metadata.get("topic_type_hash", ""),
            )
            for index in self._indexes
            for channel in index.channels.values()
            if (schema := index.schemas.get(channel.schema_id)) is not None
        }

    @cached_property
    def described_counts(self) -> Mapping[str, int] | None:
        """Messages by topic as metadata.yaml says; None where there is none."""
        listed = self._described.get(INFORMATION_KEY, {}).get("topics_with_message_count")
        if not isinstance(listed, list):
            return None
        try:
            return {entry["topic_metadata"]["name"]: int(entry["message_count"]) for entry in listed}
        except (KeyError, TypeError, ValueError) as error:
            raise BagError(f"{self.path / METADATA_FILE} lists its topics in an unknown form") from error

    @cached_property
    def message_counts(self) -> Mapping[str, int]:
        """Messages by topic as the files say."""
        counts = Counter({topic.name: 0 for topic in self.topics})
        for index in self._indexes:
            for channel_id, count in (index.counts or {}).items():
                if channel_id in index.channels:
                    counts[index.channels[channel_id].topic] += count
        return dict(counts)

    @cached_property
    def custom_data(self) -> Mapping[str, str]:
        """Facts about the episode."""
        information = self._described.get(INFORMATION_KEY) or self._information_of_file()
        found = information.get("custom_data")
        return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}

    @property
    def task(self) -> str:
        """The instruction, "" where the bag does not say."""
        return str(self._described.get(TASK_KEY) or self.custom_data.get("instruction", ""))

    @cached_property
    def attachments(self) -> Mapping[str, bytes]:
        """Attached files by name."""
        return {name: data for index in self._indexes for name, data in index.attachments.items()}

    def attached_json(self, name: str) -> Any:
        """An attached JSON file.

        Raises:
            BagError: There is no such file, or it is not JSON.
        """
        if name not in self.attachments:
            raise BagError(f"bag {self.path} has no attachment {name}; it has {', '.join(self.attachments) or 'none'}")
        try:
            return json.loads(self.attachments[name])
        except ValueError as error:
            raise BagError(f"attachment {name} of bag {self.path} is not JSON") from error

    def rig(self) -> Rig:
        """The rig that was recorded: from its attachment, else the shipped one that custom data name.

        Raises:
            ImoveError: The bag has no rig, or one that breaks the schema.
        """
        return rig_from(self.attachments, self.custom_data)

    def span(self) -> TimeSpan:
        """First and last log time; both 0 in an empty bag."""
        first, last = None, None
        for message in self.messages():
            first = message.log_time_ns if first is None else first
            last = message.log_time_ns
        return TimeSpan(first or 0, last or 0)

    def messages(self, topics: Collection[str] | None = None) -> Iterator[BagMessage]:
        """Messages in the order of their log times, those of equal time in the order of the file.

        Args:
            topics: Names; None for all.

        Raises:
            ImoveError: A name is not one of the bag's.
            BagError: The bag is damaged.
        """
        self._check_names(topics)
        streams = [_in_time_order(index, topics) for index in self._indexes]
        return heapq.merge(*streams, key=lambda message: message.log_time_ns)

    def messages_as_written(self, topics: Collection[str] | None = None) -> Iterator[BagMessage]:
        """Messages in the order in which they were written; arguments and errors as `messages`."""
        self._check_names(topics)
        for index in self._indexes:
            wanted = _channels_of(index, topics)
            for block in index.blocks:
                yield from _messages_of(index, block, wanted)

    def decoded(self, topics: Collection[str] | None = None) -> Iterator[tuple[BagMessage, Any]]:
        """Messages in the order of their log times with their contents.

        Args:
            topics: Names; None for all.

        Raises:
            ImoveError: A name is not one of the bag's.
            BagError: The bag is damaged, a definition cannot be read, or a message does not fit its definition.
        """
        types = self.types(topics)
        for message in self.messages(topics):
            try:
                yield message, types.deserialize(message.cdr, message.type)
            except BagError as error:
                raise BagError(f"message on {message.topic} of bag {self.path} cannot be read: {error}") from error

    def types(self, topics: Collection[str] | None = None) -> MessageTypes:
        """The types of topics as the bag defines them; errors as `decoded`."""
        self._check_names(topics)
        wanted = [topic.name for topic in self.topics if topics is None or topic.name in topics]
        for name in wanted:
            if name not in self.schemas:
                raise BagError(f"topic {name} of bag {self.path} has no schema")
        try:
            return _types_of(frozenset(self.schemas[name] for name in wanted))
        except BagError as error:
            raise BagError(f"bag {self.path}: {error}") from error

    def _check_names(self, topics: Collection[str] | None) -> None:
        known = {topic.name for topic in self.topics}
        for name in topics or ():
            if name not in known:
                raise unknown_name(f"topic of bag {self.path.name}", name, known)

    def _information_of_file(self) -> Mapping[str, Any]:
        texts = [entry.metadata.get("serialized_metadata", "") for entry in self._indexes[-1].metadata]
        for text in reversed(texts):
            information = load_yaml(text, str(self.files[-1]))
            if isinstance(information, dict):
                return information
        return {}


def find_bags(path: Path) -> tuple[Path, ...]:
    """The bags in a folder and below it, sorted; a bag, or an MCAP file, by itself. Unfinished ones are not among them.

    Raises:
        BagError: There is none.
    """
    if path.is_file() or (path / METADATA_FILE).is_file():
        return (path,)
    if not path.is_dir():
        raise BagError(f"bag {path} does not exist")
    found = []
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if not name.startswith("."))
        if METADATA_FILE in files:
            found.append(Path(folder))
    if not found:
        raise BagError(f"folder {path} holds no bag; a bag is a folder with {METADATA_FILE}")
    return tuple(found)


def _in_time_order(index: McapIndex, topics: Collection[str] | None) -> Iterator[BagMessage]:
    wanted = _channels_of(index, topics)
    # Messages of overlapping blocks wait here with their place in the order of the file.
    waiting: list[tuple[int, int, int, BagMessage]] = []
    for block in sorted(index.blocks, key=lambda block: (block.start_ns, block.offset)):
        while waiting and waiting[0][0] < block.start_ns:
            yield heapq.heappop(waiting)[3]
        for number, message in enumerate(_messages_of(index, block, wanted)):
            heapq.heappush(waiting, (message.log_time_ns, block.offset, number, message))
    while waiting:
        yield heapq.heappop(waiting)[3]


def _messages_of(index: McapIndex, block: Any, wanted: frozenset[int] | None) -> Iterator[BagMessage]:
    if wanted is not None and block.channels is not None and not wanted & block.channels:
        return
    for message in index.read(block, wanted):
        channel = index.channels[message.channel_id]
        yield BagMessage(
            channel.topic,
            _type_name(index, channel.schema_id),
            message.log_time_ns,
            message.publish_time_ns,
            message.cdr,
            message.sequence,
        )


def _channels_of(index: McapIndex, topics: Collection[str] | None) -> frozenset[int] | None:
    if topics is None:
        return None
    return frozenset(channel.id for channel in index.channels.values() if channel.topic in topics)


def _type_name(index: McapIndex, schema_id: int) -> str:
    schema = index.schemas.get(schema_id)
    return schema.name if schema else ""


@lru_cache(maxsize=32)
def _types_of(schemas: frozenset[TypeSchema]) -> MessageTypes:
    # Bags of a data set share their definitions; making code of them takes longer than reading a bag's index.
    return MessageTypes.of_schemas(sorted(schemas, key=lambda schema: schema.name))
