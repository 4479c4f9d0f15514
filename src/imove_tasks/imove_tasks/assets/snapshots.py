"""Immutable lists of assets, one file each.

The file is JSON lines. The first line is the header: schema, name, how many assets and exclusions follow, the hash of
the assets, and the content hash over everything else in the file. Then comes one row a line in their one order, then
one exclusion a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from imove_core.canonical import canonical_json, sha256_of_text, write_text_atomically
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.rows import Row, Sha256, Text, in_order, snapshot_digest

SCHEMA_VERSION = 1
_SHIPPED = "assets_data/imove-1.jsonl"


class Excluded(FrozenValue):
    """An object that was made and left out.

    Attributes:
        uuid: Its id.
        name: What it was.
        reason: Why it is not in the list.
    """

    uuid: Text
    name: Text
    reason: Text

    def to_json(self) -> str:
        """The exclusion as one line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))


class _Header(FrozenValue):
    """The first line of a snapshot file."""

    schema_version: Literal[1]
    name: Text
    assets: Annotated[int, Field(gt=0)]
    excluded: Annotated[int, Field(ge=0)]
    asset_snapshot: Sha256
    content_hash: Sha256


@dataclass(frozen=True)
class Snapshot:
    """A fixed list of assets.

    Attributes:
        name: Of the list, such as "imove-1".
        rows: The assets; kept in their one order, whatever order they are given in.
        excluded: Objects left out, by id.
    """

    name: str
    rows: tuple[Row, ...]
    excluded: tuple[Excluded, ...] = ()

    def __post_init__(self) -> None:
        """Puts rows and exclusions in order.

        Raises:
            AssetError: There is no asset, or an id comes twice.
        """
        if not self.rows:
            raise AssetError(f"snapshot {self.name} has no asset; at least 1 is needed")
        object.__setattr__(self, "rows", in_order(self.rows))
        object.__setattr__(self, "excluded", tuple(sorted(self.excluded, key=lambda item: item.uuid)))
        seen = {row.uuid for row in self.rows}
        for item in self.excluded:
            if item.uuid in seen:
                raise AssetError(
                    f"snapshot {self.name} excludes {item.name!r} ({item.uuid}), whose id is in it already; "
                    "each id is allowed once"
                )
            seen.add(item.uuid)

    @cached_property
    def asset_snapshot(self) -> str:
        """Hash of the assets, as `AssetLibrary.snapshot_hash` gives it for a library of these rows."""
        return snapshot_digest(self.rows)

    @cached_property
    def content_hash(self) -> str:
        """Hex SHA-256 over header, rows and exclusions."""
        return sha256_of_text("\n".join([canonical_json(self._head()), *self._lines()]))

    def to_text(self) -> str:
        """The whole file."""
        header = canonical_json({**self._head(), "content_hash": self.content_hash})
        return "\n".join([header, *self._lines()]) + "\n"

    def _head(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "assets": len(self.rows),
            "excluded": len(self.excluded),
            "asset_snapshot": self.asset_snapshot,
        }

    def _lines(self) -> list[str]:
        return [*(row.to_json() for row in self.rows), *(item.to_json() for item in self.excluded)]


def parse_snapshot(content: bytes, where: str) -> Snapshot:
    """Reads a snapshot and checks its content hash.

    Args:
        content: The file's bytes.
        where: How to call the file in error messages.

    Raises:
        AssetError: The bytes are no snapshot, or one of them was changed.
    """
    try:
        header_line, *lines = content.decode().split("\n")
        header = _Header.model_validate_json(header_line)
    except UnicodeDecodeError as error:
        raise AssetError(f"snapshot {where}: byte {error.start} is not UTF-8") from error
    except ValidationError as error:
        raise AssetError(f"snapshot {where}: line 1: {first_fault(error, 'the header')}") from error
    head = canonical_json(header.model_dump(exclude={"content_hash"}))
    computed = sha256_of_text("\n".join([head, *lines[:-1]]))
    changed = f"snapshot {where} was changed after it was written"
    if computed != header.content_hash:
        raise AssetError(f"{changed}: its content hash is {computed[:12]}, its header says {header.content_hash[:12]}")
    try:
        rows = tuple(Row.from_json(line) for line in lines[: header.assets])
        excluded = tuple(Excluded.model_validate_json(line) for line in lines[header.assets : -1])
    except ValidationError as error:
        raise AssetError(f"snapshot {where}: not an exclusion: {first_fault(error, 'the line')}") from error
    snapshot = Snapshot(header.name, rows, excluded)
    # What the hash is taken over does not show how the header is spaced, nor that its counts and order are right.
    if snapshot.to_text().encode() != content:
        raise AssetError(f"{changed}: it is not written as a snapshot with its content is")
    return snapshot


def read_snapshot(path: Path) -> Snapshot:
    """Reads a snapshot file.

    Raises:
        AssetError: There is no such file, or it is no snapshot, or it was changed.
    """
    if not path.is_file():
        raise AssetError(f"snapshot file {path} does not exist")
    return parse_snapshot(path.read_bytes(), where=str(path))


def write_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Writes a snapshot, whole or not at all; a snapshot with the same content may stand there already.

    Raises:
        AssetError: The path holds something else.
    """
    if path.exists() and path.read_bytes() != snapshot.to_text().encode():
        raise AssetError(f"{path} holds another snapshot, and snapshots never change; give a new name")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, snapshot.to_text())


@cache
def shipped_snapshot() -> Snapshot:
    """The snapshot that comes with imove.

    Raises:
        AssetError: The file was changed.
    """
    return parse_snapshot((resources.files("imove_tasks") / _SHIPPED).read_bytes(), where=_SHIPPED)
