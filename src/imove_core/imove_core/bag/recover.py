"""Makes a valid bag of one that was cut, never finished or damaged. The source is only read."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcap.opcode import Opcode
from mcap.records import Channel, Metadata, Schema

from imove_core.bag.errors import BagError
from imove_core.bag.facts import ATTACHMENTS, RECOVERED_FROM, is_unicode, rig_or_none
from imove_core.bag.mcap_file import Compression
from imove_core.bag.mcap_index import open_input, parse_attachment
from imove_core.bag.mcap_records import MESSAGE_FIELDS, Damage, message_fields, parse
from imove_core.bag.metadata import load_yaml, qos_from_profiles
from imove_core.bag.partial import PARTIAL_FOLDER
from imove_core.bag.salvage import Piece, salvage
from imove_core.bag.schema import TypeSchema
from imove_core.bag.topics import BagTopic, missing_topics
from imove_core.bag.writer import LAST_TIME_NS, BagSummary, BagWriter, WriterSettings
from imove_core.canonical import canonical_json

SUFFIX = "_recovered"


@dataclass(frozen=True)
class Recovery:
    """What was saved.

    Attributes:
        summary: The new bag.
        messages: How many messages it has.
        lost_bytes: Bytes of the source that could not be read.
        lost_messages: Messages that were read but belong to no topic or time.
        missing_topics: Required topics without a message, where the rig is known.
        missing_attachments: Files that a finished episode bag has.
    """

    summary: BagSummary
    messages: int
    lost_bytes: int
    lost_messages: int
    missing_topics: tuple[str, ...]
    missing_attachments: tuple[str, ...]


@dataclass
class _Found:
    """What the first pass finds."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    attachments: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    information: Mapping[str, Any] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    lost_bytes: int = 0
    lost_messages: int = 0
    compressed: bool = False


def recover(path: Path, out: Path | None = None) -> Recovery:
    """Saves every message that is whole into a new bag.

    Args:
        path: Folder of a bag, finished or not, or an MCAP file.
        out: Folder of the new bag; None for `<name>_recovered` beside the place of the bag.

    Raises:
        BagError: There is no bag, no message is whole, or the new bag cannot be written.
    """
    files = _files(path)
    target = out if out is not None else _place_beside(path)
    if target.resolve() == path.resolve():
        raise BagError(f"the recovered bag cannot be written over its source {path}; choose another --out")
    found = [_first_pass(file) for file in files]
    counts = sum((one.counts for one in found), Counter[str]())
    if not counts:
        raise BagError(f"nothing can be recovered from {path}: no message in it is whole")
    attachments = {name: content for one in found for name, content in one.attachments.items()}
    custom_data = _custom_data([one.information for one in found])
    rig = rig_or_none({name: data for name, (_, data) in attachments.items()}, custom_data)
    missing = missing_topics(rig, {name for name, count in counts.items() if count}) if rig else ()
    recovery = {
        "file": "/".join(files[0].parts[-2:]),
        "lost_bytes": sum(one.lost_bytes for one in found),
        "lost_messages": sum(one.lost_messages for one in found),
        "missing_topics": list(missing),
        "missing_attachments": [name for name in ATTACHMENTS if name not in attachments],
    }
    types = _RecordedTypes(found)
    compression: Compression = "zstd" if any(one.compressed for one in found) else "none"
    settings = WriterSettings(compression=compression, flush_s=math.inf, reserve_bytes=0)
    facts = {**custom_data, RECOVERED_FROM: canonical_json(recovery)}
    task = custom_data.get("instruction", "")
    with BagWriter(target, _topics(found), settings, facts, task, types) as writer:
        for file, one in zip(files, found, strict=True):
            _second_pass(file, one, writer)
        for name, (media_type, data) in attachments.items():
            writer.attach(name, data, media_type)
        summary = writer.finish({})
    return Recovery(
        summary,
        counts.total(),
        sum(one.lost_bytes for one in found),
        sum(one.lost_messages for one in found),
        tuple(missing),
        tuple(name for name in ATTACHMENTS if name not in attachments),
    )


class _RecordedTypes:
    """Definitions as the source has them."""

    def __init__(self, found: list[_Found]) -> None:
        self._schemas: dict[str, TypeSchema] = {}
        for one in found:
            for channel in one.channels.values():
                schema = one.schemas.get(channel.schema_id)
                if schema is not None:
                    self._schemas.setdefault(
                        schema.name,
                        _type_schema(schema, channel.metadata.get("topic_type_hash", "")),
                    )

    def schema(self, type_name: str) -> TypeSchema:
        return self._schemas[type_name]


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise BagError(f"bag {path} does not exist")
    files = sorted(path.glob("*.mcap"), key=lambda file: (len(file.name), file.name))
    if not files:
        raise BagError(f"folder {path} has no .mcap file; nothing can be recovered")
    return files


def _place_beside(path: Path) -> Path:
    path = path.resolve()
    name, parent = path.name, path.parent
    if path.is_file():
        name = path.stem.rpartition("_")[0] if path.stem.rpartition("_")[2].isdigit() else path.stem
        if parent.name == name:
            parent = parent.parent
    if parent.name == PARTIAL_FOLDER:
        parent = parent.parent
    return parent / f"{name}{SUFFIX}"


def _first_pass(path: Path) -> _Found:
    found, messages = _Found(), Counter[int]()
    with open_input(path) as file:
        for piece in salvage(file):
            try:
                _take(piece, found, messages)
            except Damage:
                found.lost_bytes += piece.record.end - piece.record.start if piece.record else 0
    for channel_id, count in messages.items():
        if channel_id in found.channels and found.channels[channel_id].schema_id in found.schemas:
            found.counts[found.channels[channel_id].topic] += count
        else:
            found.lost_messages += count
    return found


def _take(piece: Piece, found: _Found, messages: Counter[int]) -> None:
    found.lost_bytes += piece.lost_bytes
    if piece.record is None:
        return
    opcode, start, end = piece.record
    if opcode == Opcode.MESSAGE:
        fields = message_fields(piece.buffer, piece.record)
        if max(fields.log_time_ns, fields.publish_time_ns) > LAST_TIME_NS:
            found.lost_messages += 1
        else:
            messages[fields.channel_id] += 1
            found.compressed |= bool(piece.compression)
        return
    body = piece.buffer[start:end]
    if opcode == Opcode.SCHEMA:
        schema = parse(Schema, body)
        # The summary repeats every definition: a damaged one is replaced.
        if schema.id not in found.schemas or not _is_readable(found.schemas[schema.id]):
            found.schemas[schema.id] = schema
    elif opcode == Opcode.CHANNEL:
        channel = parse(Channel, body)
        found.channels.setdefault(channel.id, channel)
    elif opcode == Opcode.ATTACHMENT:
        attachment = parse_attachment(body)
        found.attachments[attachment.name] = (attachment.media_type, attachment.data)
    elif opcode == Opcode.METADATA:
        _take_information(parse(Metadata, body), found)


def _take_information(metadata: Metadata, found: _Found) -> None:
    try:
        information = load_yaml(metadata.metadata.get("serialized_metadata", ""), metadata.name)
    except BagError:
        return
    if isinstance(information, dict):
        found.information = information


def _second_pass(path: Path, found: _Found, writer: BagWriter) -> None:
    known = {channel.id: channel.topic for channel in found.channels.values() if channel.schema_id in found.schemas}
    with open_input(path) as file:
        for channel_id, sequence, log_time_ns, publish_time_ns, cdr in _messages(salvage(file)):
            if channel_id in known and max(log_time_ns, publish_time_ns) <= LAST_TIME_NS:
                writer.write(known[channel_id], cdr, log_time_ns, publish_time_ns, sequence)


def _messages(pieces: Iterator[Piece]) -> Iterator[tuple[int, int, int, int, bytes]]:
    for piece in pieces:
        if piece.record is not None and piece.record.opcode == Opcode.MESSAGE:
            try:
                fields = message_fields(piece.buffer, piece.record)
            except Damage:
                continue
            yield (*fields, piece.buffer[piece.record.start + MESSAGE_FIELDS.size : piece.record.end])


def _topics(found: list[_Found]) -> list[BagTopic]:
    topics: dict[str, BagTopic] = {}
    for one in found:
        for channel in one.channels.values():
            if channel.schema_id in one.schemas:
                qos = qos_from_profiles(channel.metadata.get("offered_qos_profiles", ""))
                topics.setdefault(channel.topic, BagTopic(channel.topic, one.schemas[channel.schema_id].name, qos))
    return list(topics.values())


def _custom_data(informations: list[Mapping[str, Any]]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for information in informations:
        custom_data = information.get("custom_data")
        if isinstance(custom_data, dict):
            texts = {str(key): str(value) for key, value in custom_data.items()}
            merged |= {key: value for key, value in texts.items() if is_unicode(key) and is_unicode(value)}
    return merged


def _type_schema(schema: Schema, type_hash: str) -> TypeSchema:
    return TypeSchema(schema.name, schema.encoding, schema.data.decode("utf-8", "replace"), type_hash)


def _is_readable(schema: Schema) -> bool:
    try:
        _type_schema(schema, "").fields()
    except BagError:
        return False
    return True
