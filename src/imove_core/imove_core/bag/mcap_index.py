"""What one MCAP file holds and where: from its summary, or from a scan where it has none."""

import io
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    ChunkIndex,
    Footer,
    Header,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
)

from imove_core.bag.checksum import crc32
from imove_core.bag.errors import BagError
from imove_core.bag.mcap_file import MAGIC, PROFILE
from imove_core.bag.mcap_records import (
    MESSAGE_FIELDS,
    RECORD_HEAD,
    Damage,
    Inner,
    inner_records,
    message_fields,
    parse,
)
from imove_core.bag.mcap_records import Chunk as StoredChunk

_FOOTER_BYTES = RECORD_HEAD.size + 20
# Definitions, channels and indexes of a day of recording are below 100 MB.
_MAX_RECORD_BYTES = 2 << 30


class Block(NamedTuple):
    """A chunk, or a message outside chunks.

    Attributes:
        start_ns: Earliest log time in it.
        offset: Of its record in the file.
        channels: That have messages in it; None where that is unknown.
    """

    start_ns: int
    offset: int
    channels: frozenset[int] | None


class ReadMessage(NamedTuple):
    """A message with the number of its channel."""

    channel_id: int
    sequence: int
    log_time_ns: int
    publish_time_ns: int
    cdr: bytes


@dataclass
class McapIndex:
    """Contents of one file.

    Attributes:
        path: The file.
        schemas: By number.
        channels: By number.
        blocks: In the order of the file.
        counts: Messages by channel; None where the file does not say.
        attachments: Contents by name.
        metadata: Named sets of texts in the order of the file.
    """

    path: Path
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    counts: dict[int, int] | None = None
    attachments: dict[str, bytes] = field(default_factory=dict)
    metadata: list[Metadata] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether the messages that are counted can be found."""
        return self.counts is not None and (bool(self.blocks) or not any(self.counts.values()))

    def read(self, block: Block, wanted: frozenset[int] | None = None) -> Iterator[ReadMessage]:
        """Messages of a block in the order of the file.

        Args:
            block: One of `blocks`.
            wanted: Channels; None for all.

        Raises:
            BagError: The block is damaged.
        """
        with open_input(self.path) as file:
            try:
                record = file.record_at(block.offset)
                if record.opcode not in (Opcode.CHUNK, Opcode.MESSAGE):
                    raise Damage("a chunk was expected")
                buffer, records = _opened_up(record)
                for inner in records:
                    if inner.opcode != Opcode.MESSAGE:
                        continue
                    fields = message_fields(buffer, inner)
                    if fields.channel_id not in self.channels:
                        raise Damage(f"a message is of channel {fields.channel_id}, which does not exist")
                    if wanted is None or fields.channel_id in wanted:
                        yield ReadMessage(*fields, buffer[inner.start + MESSAGE_FIELDS.size : inner.end])
            except Damage as damage:
                raise _damaged(self.path, block.offset, damage) from damage


class Record(NamedTuple):
    """A record at the top level of a file."""

    opcode: int
    body: bytes
    offset: int

    @property
    def end(self) -> int:
        """Where the next record starts."""
        return self.offset + RECORD_HEAD.size + len(self.body)


class McapInput:
    """An open file that gives whole records only."""

    def __init__(self, file: BinaryIO) -> None:
        """Reads `file`, which must be seekable."""
        self._file = file
        self.size = file.seek(0, io.SEEK_END)

    def bytes_at(self, offset: int, length: int) -> bytes:
        """As many of `length` bytes as the file has at `offset`."""
        if offset >= self.size:
            return b""
        self._file.seek(offset)
        return self._file.read(min(length, self.size - offset))

    def record_at(self, offset: int) -> Record:
        """The record at an offset; raises Damage where it is not whole."""
        head = self.bytes_at(offset, RECORD_HEAD.size)
        if len(head) < RECORD_HEAD.size:
            raise Damage("the file ends where a record should start")
        opcode, length = RECORD_HEAD.unpack(head)
        left = self.size - offset - RECORD_HEAD.size
        if length > min(left, _MAX_RECORD_BYTES):
            raise Damage(f"a record of {length} bytes has {left}")
        return Record(opcode, self.bytes_at(offset + RECORD_HEAD.size, length), offset)


@contextmanager
def open_input(path: Path) -> Iterator[McapInput]:
    """Opens a file for a `with` statement; raises BagError where the system refuses."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise BagError(f"bag file {path} cannot be read: {error.strerror}") from error
    with file:
        yield McapInput(file)


def read_index(path: Path) -> McapIndex:
    """Reads what a finished file holds.

    Raises:
        BagError: The file is no MCAP file of ROS 2, is not finished, or is damaged.
    """
    with open_input(path) as file:
        offset = 0
        try:
            if file.bytes_at(0, len(MAGIC)) != MAGIC:
                raise BagError(f"bag file {path} is no MCAP file: it does not start as one")
            header = file.record_at(len(MAGIC))
            profile = parse(Header, header.body).profile if header.opcode == Opcode.HEADER else ""
            if profile != PROFILE:
                raise BagError(f"bag file {path} has the profile {profile[:40]!r}; 'ros2' is allowed")
            offset = file.size - len(MAGIC) - _FOOTER_BYTES
            if file.bytes_at(file.size - len(MAGIC), len(MAGIC)) != MAGIC or offset < header.end:
                raise BagError(
                    f"bag file {path} has no end: it was cut or never finished; `imove bag recover` saves its messages"
                )
            footer_record = file.record_at(offset)
            if footer_record.opcode != Opcode.FOOTER:
                raise Damage("the footer is missing")
            footer = parse(Footer, footer_record.body)
            offset = footer.summary_start
            index = _read_summary(path, file, footer, footer_record) if footer.summary_start else None
            # Some writers put messages outside chunks, or no statistics at the end.
            return index if index and index.is_complete else _scan(path, file, header.end)
        except Damage as damage:
            raise _damaged(path, offset, damage) from damage


def _read_summary(path: Path, file: McapInput, footer: Footer, footer_record: Record) -> McapIndex:
    index = McapIndex(path)
    start, end = footer.summary_start, footer_record.offset
    if not 0 < start <= end:
        raise Damage(f"the summary starts at byte {start} of {end}")
    content = file.bytes_at(start, end - start)
    if footer.summary_crc:
        fields = RECORD_HEAD.pack(Opcode.FOOTER, len(footer_record.body)) + footer_record.body[:16]
        if crc32(fields, crc32(content)) != footer.summary_crc:
            raise Damage("the checksum of the summary is wrong")
    for record in inner_records(content):
        _take(file, record.opcode, content[record.start : record.end], index)
    index.blocks.sort(key=lambda block: block.offset)
    return index


def _take(file: McapInput, opcode: int, body: bytes, index: McapIndex) -> None:
    """Puts a record of the summary into the index."""
    if opcode == Opcode.SCHEMA:
        schema = parse(Schema, body)
        index.schemas[schema.id] = schema
    elif opcode == Opcode.CHANNEL:
        channel = parse(Channel, body)
        index.channels[channel.id] = channel
    elif opcode == Opcode.STATISTICS:
        index.counts = dict(parse(Statistics, body).channel_message_counts)
    elif opcode == Opcode.CHUNK_INDEX:
        chunk = parse(ChunkIndex, body)
        channels = frozenset(chunk.message_index_offsets) or None
        index.blocks.append(Block(chunk.message_start_time, chunk.chunk_start_offset, channels))
    elif opcode == Opcode.ATTACHMENT_INDEX:
        _take_attachment(file.record_at(parse(AttachmentIndex, body).offset), index)
    elif opcode == Opcode.METADATA_INDEX:
        record = file.record_at(parse(MetadataIndex, body).offset)
        if record.opcode != Opcode.METADATA:
            raise Damage("a set of texts is not where the summary says")
        index.metadata.append(parse(Metadata, record.body))


def _take_attachment(record: Record, index: McapIndex) -> None:
    if record.opcode != Opcode.ATTACHMENT:
        raise Damage("an attachment is not where the summary says")
    attachment = parse_attachment(record.body)
    index.attachments[attachment.name] = attachment.data


def parse_attachment(body: bytes) -> Attachment:
    """An attachment whose checksum is right; raises Damage."""
    attachment: Attachment = parse(Attachment, body)
    (crc,) = struct.unpack_from("<I", body, len(body) - 4)
    if crc and crc32(body[:-4]) != crc:
        raise Damage(f"the checksum of attachment {attachment.name[:80]!r} is wrong")
    return attachment


def _scan(path: Path, file: McapInput, start: int) -> McapIndex:
    """Makes the index from the records themselves."""
    index, counts, offset = McapIndex(path), Counter[int](), start
    while True:
        record = file.record_at(offset)
        if record.opcode in (Opcode.DATA_END, Opcode.FOOTER):
            index.counts = dict(counts)
            return index
        if record.opcode == Opcode.ATTACHMENT:
            _take_attachment(record, index)
        elif record.opcode == Opcode.METADATA:
            index.metadata.append(parse(Metadata, record.body))
        else:
            buffer, inners = _opened_up(record)
            messages = []
            for inner in inners:
                if inner.opcode == Opcode.MESSAGE:
                    messages.append(message_fields(buffer, inner))
                elif inner.opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
                    _take(file, inner.opcode, buffer[inner.start : inner.end], index)
            if messages:
                channels = frozenset(message.channel_id for message in messages)
                index.blocks.append(Block(min(message.log_time_ns for message in messages), offset, channels))
                counts.update(message.channel_id for message in messages)
        offset = record.end


def _opened_up(record: Record) -> tuple[bytes, Iterator[Inner]]:
    """The records of a chunk, or a record outside chunks by itself, with the buffer that they are in."""
    if record.opcode == Opcode.CHUNK:
        buffer = StoredChunk.parse(record.body).records()
        return buffer, inner_records(buffer)
    return record.body, iter([Inner(record.opcode, 0, len(record.body))])


def _damaged(path: Path, offset: int, damage: Damage) -> BagError:
    return BagError(f"bag file {path} is damaged at byte {offset}: {damage}; `imove bag recover` saves what is left")
