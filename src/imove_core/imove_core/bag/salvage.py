"""Reads a cut or damaged MCAP file front to back and gives every record that is whole; the file is only read."""

import re
import struct
from collections.abc import Generator, Iterator
from typing import NamedTuple

from mcap.opcode import Opcode

from imove_core.bag.mcap_file import MAGIC
from imove_core.bag.mcap_index import McapInput, Record
from imove_core.bag.mcap_records import RECORD_HEAD, Chunk, Damage, Inner, inner_records

_INSIDE_CHUNKS = (Opcode.SCHEMA, Opcode.CHANNEL, Opcode.MESSAGE)
_WINDOW_BYTES = 4 << 20
# The fields of a chunk: length and times, sizes, checksum, then one of three compressions.
_CHUNK_START = re.compile(rb"\x06.{6}\x00\x00.{28}(?:\x00{4}|\x03\x00{3}lz4|\x04\x00{3}zstd)", re.DOTALL)
_LONGEST_START = 9 + 28 + 8


class Piece(NamedTuple):
    """A record that is whole, or bytes that are lost.

    Attributes:
        record: Where the record is in `buffer`; None for lost bytes.
        buffer: Holds the record.
        lost_bytes: Bytes of the file that cannot be read.
        compression: Of the chunk that the record was in, "" outside.
    """

    record: Inner | None
    buffer: bytes
    lost_bytes: int
    compression: str


def salvage(file: McapInput) -> Iterator[Piece]:
    """Gives every whole record of a file, chunks opened up, and counts what is lost in between.

    A chunk whose checksum is wrong is lost as a whole: which of its messages are wrong cannot be known. Of a chunk in
    which the file ends, the messages that are complete come out.
    """
    offset = len(MAGIC)
    while offset < file.size and file.size - offset != len(MAGIC):
        try:
            record = file.record_at(offset)
            if not Opcode.HEADER <= record.opcode <= Opcode.DATA_END:
                raise Damage(f"a record has the unknown kind {record.opcode}")
            if record.opcode == Opcode.CHUNK and not _is_consistent(file, offset):
                raise Damage("the sizes of a chunk contradict each other")
        except Damage:
            offset = yield from _beyond_damage(file, offset)
            continue
        offset = record.end
        if record.opcode == Opcode.CHUNK:
            yield from _whole_chunk(record)
        else:
            yield Piece(Inner(record.opcode, 0, len(record.body)), record.body, 0, "")


def _whole_chunk(record: Record) -> Iterator[Piece]:
    try:
        chunk = Chunk.parse(record.body)
        buffer = chunk.records()
        inners = list(inner_records(buffer))
    except Damage:
        yield _lost(len(record.body))
        return
    for inner in inners:
        yield Piece(inner, buffer, 0, chunk.compression)


def _beyond_damage(file: McapInput, offset: int) -> Generator[Piece, None, int]:
    """Gives what can be had of the record at `offset`; returns where the next readable chunk starts."""
    following = _find_chunk(file, offset + 1)
    body = file.bytes_at(offset, following - offset)
    if body[:1] == bytes([Opcode.CHUNK]):
        yield from _cut_chunk(body[RECORD_HEAD.size :], ends_file=following == file.size)
    else:
        yield _lost(len(body))
    return following


def _cut_chunk(body: bytes, ends_file: bool) -> Iterator[Piece]:
    try:
        chunk = Chunk.parse(body)
        # Where all bytes are there, only a length is wrong, and the checksum decides.
        is_cut = len(chunk.stored) < chunk.stored_size and ends_file
        buffer = chunk.readable_records() if is_cut else chunk.records()
    except Damage:
        yield _lost(len(body))
        return
    end = 0
    try:
        for inner in inner_records(buffer):
            if inner.opcode not in _INSIDE_CHUNKS:
                break
            end = inner.end
            yield Piece(inner, buffer, 0, chunk.compression)
    except Damage:
        # The message in which the file ends.
        pass
    yield _lost(max(len(chunk.stored), len(buffer)) - end)


def _find_chunk(file: McapInput, start: int) -> int:
    """Where the next chunk with consistent sizes starts, at the end of the file where there is none."""
    while start < file.size:
        window = file.bytes_at(start, _WINDOW_BYTES + _LONGEST_START)
        for found in _CHUNK_START.finditer(window):
            if _is_consistent(file, start + found.start()):
                return start + found.start()
        start += _WINDOW_BYTES
    return file.size


def _is_consistent(file: McapInput, offset: int) -> bool:
    head = file.bytes_at(offset, _LONGEST_START + 8)
    _, length, first, last = struct.unpack_from("<BQQQ", head)
    (name_bytes,) = struct.unpack_from("<I", head, 9 + 28)
    at = 9 + 32 + name_bytes
    if len(head) < at + 8 or first > last:
        return False
    (stored,) = struct.unpack_from("<Q", head, at)
    return bool(length == 32 + name_bytes + 8 + stored)


def _lost(count: int) -> Piece:
    return Piece(None, b"", count, "")
