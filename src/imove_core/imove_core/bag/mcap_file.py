"""One MCAP file that grows: chunks without copies of large messages, and an end that can be written at any time.

The format is https://mcap.dev/spec. The records beside messages and chunks come from the `mcap` library; its own writer
copies each message four times, which costs more than the write itself.
"""

import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import zstandard
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    ChunkIndex,
    DataEnd,
    Header,
    McapRecord,
    MessageIndex,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
)

from imove_core.bag.checksum import crc32
from imove_core.bag.mcap_summary import Summary, encoded
from imove_core.bag.metadata import TimeSpan
from imove_core.bag.schema import TypeSchema

Compression = Literal["none", "zstd"]
MAGIC = b"\x89MCAP0\r\n"
PROFILE = "ros2"
LIBRARY = "imove"
_MESSAGE = struct.Struct("<BQHIQQ")
_MESSAGE_FIELDS_BYTES = 22
_CHUNK = struct.Struct("<BQQQQI")
_CHUNK_FIELDS_BYTES = 8 + 8 + 8 + 4 + 4 + 8
# Smaller messages are copied together: one buffer more for the kernel costs as much as copying this many bytes.
_LARGE_BYTES = 16_384
# POSIX promises at least 16; Linux takes 1024.
_MOST_BUFFERS = 1024
# Rendered images shrink as far at level 1 as at 3 within a tenth, in half the time.
_ZSTD_LEVEL = 1


@dataclass
class _OpenChunk:
    """A chunk that is collected: runs of small records and large messages in turn."""

    parts: list[bytes | bytearray] = field(default_factory=list)
    small: bytearray = field(default_factory=bytearray)
    indexes: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True)
class _WrittenChunk:
    index: ChunkIndex
    counts: Mapping[int, int]


class McapFile:
    """Writes one file. Whatever was written is with the kernel when a method returns, so it survives a kill.

    Every method may raise OSError; the file then ends where it ended before the call.
    """

    def __init__(self, path: Path, compression: Compression, crc: bool) -> None:
        """Creates the file, which must not exist.

        Args:
            path: Name of the file.
            compression: Of chunks.
            crc: Whether chunks carry a checksum.
        """
        self._compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL) if compression == "zstd" else None
        self._crc = crc
        self._schemas: dict[str, Schema] = {}
        self._channels: list[Channel] = []
        self._chunks: list[_WrittenChunk] = []
        self._attachments: list[AttachmentIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._chunk = _OpenChunk()
        self._file = path.open("xb", buffering=0)
        self._end = 0
        self._append([MAGIC, encoded(Header(PROFILE, LIBRARY))])

    @property
    def bytes_written(self) -> int:
        """Size of the file."""
        return self._end

    @property
    def pending_bytes(self) -> int:
        """Size of the chunk that is not written yet, before compression."""
        return self._chunk.size

    @property
    def span(self) -> TimeSpan:
        """First and last log time of the messages in written chunks."""
        if not self._chunks:
            return TimeSpan()
        return TimeSpan(
            min(chunk.index.message_start_time for chunk in self._chunks),
            max(chunk.index.message_end_time for chunk in self._chunks),
        )

    def counts(self) -> dict[int, int]:
        """Messages in written chunks by channel."""
        counts = {channel.id: 0 for channel in self._channels}
        for chunk in self._chunks:
            for channel_id, count in chunk.counts.items():
                counts[channel_id] += count
        return counts

    def add_channel(self, topic: str, schema: TypeSchema, metadata: Mapping[str, str]) -> int:
        """Adds a topic and returns the number that its messages carry."""
        records: list[McapRecord] = []
        known = self._schemas.get(schema.name)
        if known is None:
            number = len(self._schemas) + 1
            known = Schema(id=number, name=schema.name, encoding=schema.encoding, data=schema.definition.encode())
            records.append(known)
        channel = Channel(
            id=len(self._channels) + 1,
            topic=topic,
            message_encoding="cdr",
            metadata=dict(metadata),
            schema_id=known.id,
        )
        self._append([encoded(*records, channel)])
        self._schemas[schema.name] = known
        self._channels.append(channel)
        return channel.id

    def add_message(self, channel_id: int, sequence: int, log_time_ns: int, publish_time_ns: int, cdr: bytes) -> None:
        """Puts a message into the chunk; nothing is written until `flush_chunk`."""
        chunk = self._chunk
        chunk.indexes.setdefault(channel_id, []).append((log_time_ns, chunk.size))
        length = _MESSAGE_FIELDS_BYTES + len(cdr)
        chunk.small += _MESSAGE.pack(Opcode.MESSAGE, length, channel_id, sequence, log_time_ns, publish_time_ns)
        if len(cdr) < _LARGE_BYTES:
            chunk.small += cdr
        else:
            chunk.parts += (chunk.small, cdr)
            chunk.small = bytearray()
        chunk.size += 9 + length

    def flush_chunk(self) -> None:
        """Writes the chunk, if it has a message. After an OSError the messages of the chunk are gone."""
        if not self._chunk.indexes:
            return
        chunk, self._chunk = self._chunk, _OpenChunk()
        parts, indexes, size = [*chunk.parts, chunk.small], chunk.indexes, chunk.size
        crc = 0
        if self._crc:
            for part in parts:
                crc = crc32(part, crc)
        if self._compressor:
            parts = [self._compressor.compress(b"".join(parts))]
        name = b"zstd" if self._compressor else b""
        stored = sum(map(len, parts))
        times = [time for entries in indexes.values() for time, _ in entries]
        length = _CHUNK_FIELDS_BYTES + len(name) + stored
        head = _CHUNK.pack(Opcode.CHUNK, length, min(times), max(times), size, crc)
        head += struct.pack("<I", len(name)) + name + struct.pack("<Q", stored)
        start, position = self._end, self._end + 9 + length
        offsets, index_records = {}, []
        for channel_id, entries in indexes.items():
            offsets[channel_id] = position
            index_records.append(encoded(MessageIndex(channel_id=channel_id, records=entries)))
            position += len(index_records[-1])
        self._append([head, *parts, *index_records])
        index = ChunkIndex(
            chunk_length=9 + length,
            chunk_start_offset=start,
            compression=name.decode(),
            compressed_size=stored,
            message_end_time=max(times),
            message_index_length=self._end - start - 9 - length,
            message_index_offsets=offsets,
            message_start_time=min(times),
            uncompressed_size=size,
        )
        self._chunks.append(_WrittenChunk(index, {key: len(entries) for key, entries in indexes.items()}))

    def add_metadata(self, name: str, metadata: Mapping[str, str]) -> None:
        """Writes a named set of texts."""
        record = encoded(Metadata(name=name, metadata=dict(metadata)))
        offset = self._end
        self._append([record])
        self._metadata.append(MetadataIndex(offset=offset, length=len(record), name=name))

    def add_attachment(self, name: str, media_type: str, data: bytes, log_time_ns: int) -> None:
        """Writes a named blob."""
        attachment = Attachment(create_time=0, log_time=log_time_ns, name=name, media_type=media_type, data=data)
        record = encoded(attachment)
        offset = self._end
        self._append([record])
        self._attachments.append(
            AttachmentIndex(
                offset=offset,
                length=len(record),
                create_time=0,
                log_time=log_time_ns,
                data_size=len(data),
                name=name,
                media_type=media_type,
            )
        )

    def drop_last_chunk(self) -> bool:
        """Takes the last chunk and all that follows it back, to make room on a full disk; False when there is none."""
        if not self._chunks:
            return False
        end = self._chunks.pop().index.chunk_start_offset
        self._attachments = [index for index in self._attachments if index.offset < end]
        self._metadata = [index for index in self._metadata if index.offset < end]
        self._cut(end)
        return True

    def close(self) -> None:
        """Writes summary and end, makes sure that they are on the disk, and closes the file.

        Messages of a chunk that was not flushed are lost. After an OSError the file is open as before.
        """
        summary = Summary(self._end + len(_DATA_END))
        summary.add(Opcode.SCHEMA, list(self._schemas.values()))
        summary.add(Opcode.CHANNEL, self._channels)
        summary.add(Opcode.STATISTICS, [self._statistics()])
        summary.add(Opcode.CHUNK_INDEX, [chunk.index for chunk in self._chunks])
        summary.add(Opcode.ATTACHMENT_INDEX, self._attachments)
        summary.add(Opcode.METADATA_INDEX, self._metadata)
        end = self._end
        self._append([_DATA_END, summary.finish(), MAGIC])
        try:
            os.fsync(self._file.fileno())
        except OSError:
            self._cut(end)
            raise
        self._file.close()

    def abandon(self) -> None:
        """Closes the file as it is, without an end."""
        self._file.close()

    def _append(self, parts: Sequence[bytes | bytearray]) -> None:
        start = self._end
        waiting: list[bytes | bytearray | memoryview] = [part for part in parts if part]
        try:
            while waiting:
                written = os.writev(self._file.fileno(), waiting[:_MOST_BUFFERS])
                self._end += written
                while waiting and written >= len(waiting[0]):
                    written -= len(waiting.pop(0))
                if written:
                    waiting[0] = memoryview(waiting[0])[written:]
        except OSError:
            self._cut(start)
            raise

    def _cut(self, end: int) -> None:
        os.ftruncate(self._file.fileno(), end)
        os.lseek(self._file.fileno(), end, os.SEEK_SET)
        self._end = end

    def _statistics(self) -> Statistics:
        counts, span = self.counts(), self.span
        return Statistics(
            attachment_count=len(self._attachments),
            channel_count=len(self._channels),
            channel_message_counts=counts,
            chunk_count=len(self._chunks),
            message_count=sum(counts.values()),
            message_end_time=span.end_ns,
            message_start_time=span.start_ns,
            metadata_count=len(self._metadata),
            schema_count=len(self._schemas),
        )


# Without a checksum over the whole data section: chunks have their own.
_DATA_END = encoded(DataEnd(0))
