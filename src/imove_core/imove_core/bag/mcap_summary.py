"""The end of an MCAP file: every definition, counts, and where everything is."""

import struct
from collections.abc import Sequence

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Footer, McapRecord, SummaryOffset

from imove_core.bag.checksum import crc32


class Summary:
    """The summary section of a file, groups of records with their offsets."""

    def __init__(self, start: int) -> None:
        """Starts the section at byte `start` of the file."""
        self._start = start
        self._records = RecordBuilder()
        self._offsets: list[SummaryOffset] = []

    def add(self, opcode: Opcode, records: Sequence[McapRecord]) -> None:
        """Adds the records of one kind."""
        begin = self._records.count
        for record in records:
            record.write(self._records)
        length = self._records.count - begin
        if length:
            self._offsets.append(SummaryOffset(opcode, self._start + begin, length))

    def finish(self) -> bytes:
        """All records and the footer."""
        offset_start = self._start + self._records.count
        for offset in self._offsets:
            offset.write(self._records)
        content = _content(self._records)
        head = struct.pack("<BQQQ", Opcode.FOOTER, 8 + 8 + 4, self._start, offset_start)
        crc = crc32(head, crc32(content))
        return content + encoded(Footer(self._start, offset_start, crc))


def _content(builder: RecordBuilder) -> bytes:
    content: bytes = builder.end()  # type: ignore[no-untyped-call]
    return content


def encoded(*records: McapRecord) -> bytes:
    """Records one after the other."""
    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    return _content(builder)
