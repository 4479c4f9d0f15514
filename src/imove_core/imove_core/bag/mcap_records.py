"""Records of an MCAP file as bytes: bounds and checksums are checked before anything is believed.

A damaged file must cost neither a traceback nor gigabytes, so no length is taken at its word; the `mcap` library parses
the small records only after they were cut out.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import lz4.frame  # type: ignore[import-untyped]
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError

from imove_core.bag.checksum import crc32

RECORD_HEAD = struct.Struct("<BQ")
CHUNK_FIELDS = struct.Struct("<QQQI")
MESSAGE_FIELDS = struct.Struct("<HIQQ")
# A chunk is closed by the message that fills it: its size is that of a chunk and one message.
MAX_CHUNK_BYTES = 1 << 30
COMPRESSIONS = ("", "lz4", "zstd")


class Damage(Exception):
    """What is wrong with a record, without the name of the file."""


class Inner(NamedTuple):
    """A record inside a buffer.

    Attributes:
        opcode: Kind of the record.
        start: Where its content starts.
        end: Where it ends.
    """

    opcode: int
    start: int
    end: int


class StoredMessage(NamedTuple):
    """The fields of a message before its data."""

    channel_id: int
    sequence: int
    log_time_ns: int
    publish_time_ns: int


@dataclass(frozen=True)
class Chunk:
    """A chunk as it is stored.

    Attributes:
        size: Of the records in it.
        crc: Of the records in it, 0 for none.
        compression: "", "lz4" or "zstd".
        stored: The records, compressed; fewer bytes than `stored_size` where the file ends within the chunk.
        stored_size: How many bytes there should be.
    """

    size: int
    crc: int
    compression: str
    stored: memoryview
    stored_size: int

    @classmethod
    def parse(cls, body: bytes) -> "Chunk":
        """Reads the fields of a chunk; raises Damage."""
        at = CHUNK_FIELDS.size
        if len(body) < at + 4:
            raise Damage("a chunk has no fields")
        _, _, size, crc = CHUNK_FIELDS.unpack_from(body)
        (length,) = struct.unpack_from("<I", body, at)
        name = bytes(body[at + 4 : at + 4 + min(length, 16)])
        at += 4 + length
        if name.decode("ascii", "replace") not in COMPRESSIONS:
            raise Damage(f"a chunk is compressed as {name!r}; allowed: none, lz4, zstd")
        if len(body) < at + 8:
            raise Damage("a chunk has no fields")
        (stored_size,) = struct.unpack_from("<Q", body, at)
        if size > MAX_CHUNK_BYTES:
            raise Damage(f"a chunk says that it holds {size} bytes; {MAX_CHUNK_BYTES} are allowed")
        return cls(size, crc, name.decode(), memoryview(body)[at + 8 : at + 8 + stored_size], stored_size)

    def records(self) -> bytes:
        """All records of a whole chunk; raises Damage where a byte is missing or wrong."""
        if len(self.stored) != self.stored_size:
            raise Damage(f"a chunk has {len(self.stored)} of {self.stored_size} bytes")
        content = self.readable_records()
        if len(content) != self.size:
            raise Damage(f"a chunk holds {len(content)} bytes; it says {self.size}")
        if self.crc and crc32(content) != self.crc:
            raise Damage("the checksum of a chunk is wrong")
        return content

    def readable_records(self) -> bytes:
        """As many bytes of the records as can be read, unchecked; raises Damage where none can."""
        try:
            if self.compression == "zstd":
                return _unzstd(self.stored, self.size)
            if self.compression == "lz4":
                return bytes(lz4.frame.LZ4FrameDecompressor().decompress(self.stored, max_length=self.size + 1))
        except (zstandard.ZstdError, RuntimeError, MemoryError, ValueError) as error:
            raise Damage(f"a chunk cannot be decompressed: {error}") from error
        return bytes(self.stored)


def _unzstd(stored: memoryview, size: int) -> bytes:
    # One-shot decompression would allocate whatever the frame claims and give nothing of a frame that is cut.
    content = io.BytesIO()
    with zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True) as reader:
        while content.tell() <= size:
            try:
                part = reader.read(size + 1 - content.tell())
            except zstandard.ZstdError:
                if content.tell():
                    break
                raise
            if not part:
                break
            content.write(part)
    return content.getvalue()


def inner_records(buffer: bytes, start: int = 0) -> Iterator[Inner]:
    """The whole records of a buffer in order; raises Damage where one reaches beyond its end."""
    at, size = start, len(buffer)
    while at < size:
        if at + RECORD_HEAD.size > size:
            raise Damage(f"a record is cut after {size - at} bytes")
        opcode, length = RECORD_HEAD.unpack_from(buffer, at)
        at += RECORD_HEAD.size
        if length > size - at:
            raise Damage(f"a record of {length} bytes has {size - at}")
        yield Inner(opcode, at, at + length)
        at += length


def message_fields(buffer: bytes, record: Inner) -> StoredMessage:
    """The fields of a message record; its data follow at `record.start + MESSAGE_FIELDS.size`; raises Damage."""
    if record.end - record.start < MESSAGE_FIELDS.size:
        raise Damage(f"a message has {record.end - record.start} bytes; its fields take {MESSAGE_FIELDS.size}")
    return StoredMessage(*MESSAGE_FIELDS.unpack_from(buffer, record.start))


def parse(kind: Any, body: bytes) -> Any:
    """A small record of a class of `mcap.records`; raises Damage."""
    try:
        return kind.read(ReadDataStream(io.BytesIO(body)))
    except (McapError, struct.error, UnicodeDecodeError, ValueError, MemoryError) as error:
        raise Damage(f"a {kind.__name__} record cannot be read") from error
