"""The immutable collection of assets: chosen by rows, each asset built or read when first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from imove_core.errors import unknown_name
from imove_tasks.assets import taxonomy
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import SPLITS, Row, Split, row_of, snapshot_digest
from imove_tasks.assets.sources import FolderSource, GeneratedOrigin, GeneratedSource, Source

if TYPE_CHECKING:
    from imove_tasks.assets.snapshots import Snapshot

__all__ = ["SPLITS", "AssetLibrary", "Entry", "Split", "folders_from", "generated_split", "open_library"]

DEFAULT_INSTANCES = 6
DEFAULT_SEED = 0


@dataclass(frozen=True)
class Entry:
    """One place of a library.

    Attributes:
        uuid: Id of the asset.
        category: Its category.
        split: Its split.
        origin: Where its source has it.
        source: Builds or reads it.
        row: All that is known of it; None while it was never built.
    """

    uuid: str
    category: str
    split: Split
    origin: str
    source: Source
    row: Row | None = None

    @classmethod
    def of_row(cls, row: Row, source: Source) -> Entry:
        """The entry of a stored row."""
        return cls(row.uuid, row.category, row.split, row.origin, source, row)

    def load(self) -> Asset:
        """Builds or reads the asset.

        Raises:
            AssetError: It cannot be had, or it is not what the row says.
        """
        asset = self.source.load(self.origin)
        if self.row is not None and (asset.uuid, asset.content_hash()) != (self.uuid, self.row.content_hash):
            raise AssetError(
                f"{self.row.name!r} ({self.uuid}) of {self.origin} differs from the snapshot: its content hash is "
                f"{asset.content_hash()[:12]}, the snapshot says {self.row.content_hash[:12]}"
            )
        return asset


def generated_split(category: str, index: int, instances: int) -> Split:
    """The split of a generated object.

    All instances of a held-out category are *unseen_category*; of the others two thirds (rounded up) are *seen*,
    the rest *unseen_instance*.

    Args:
        category: Name of its category.
        index: Its place among the instances of the category, from 0.
        instances: How many the category has.
    """
    if category in taxonomy.UNSEEN_CATEGORIES:
        return "unseen_category"
    return "seen" if index < -(-2 * instances // 3) else "unseen_instance"


class AssetLibrary:
    """Assets by id and by category, with the train and test splits."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Indexes entries.

        Raises:
            AssetError: Two entries have the same id.
        """
        known: dict[str, Entry] = {}
        for entry in entries:
            if entry.uuid in known:
                raise AssetError(
                    f"{_called(entry)} has the id {entry.uuid}, which {_called(known[entry.uuid])} has too; "
                    "each id is allowed once"
                )
            known[entry.uuid] = entry
        self._entries = MappingProxyType(known)
        self._assets: dict[str, Asset] = {}
        self._rows: dict[str, Row] = {}

    @classmethod
    def generate(cls, instances_per_category: int = DEFAULT_INSTANCES, seed: int = DEFAULT_SEED) -> AssetLibrary:
        """Opens a library of fresh objects; builds nothing yet.

        Args:
            instances_per_category: At least 1.
            seed: Any non-negative integer; other seeds give other objects with other ids.

        Raises:
            AssetError: A number is out of range.
        """
        from imove_tasks.assets.builders import BUILDERS

        if instances_per_category < 1 or seed < 0:
            raise AssetError(
                f"asked for {instances_per_category} instances a category with seed {seed}, "
                "expected at least 1 and a seed of at least 0"
            )
        source = GeneratedSource()
        origins = (
            GeneratedOrigin(name, seed, index)
            for name in taxonomy.CATEGORIES
            if name in BUILDERS
            for index in range(instances_per_category)
        )
        return cls(
            Entry(
                origin.uuid,
                origin.category,
                generated_split(origin.category, origin.index, instances_per_category),
                origin.text,
                source,
            )
            for origin in origins
        )

    @classmethod
    def of_snapshot(cls, snapshot: Snapshot, source: Source) -> AssetLibrary:
        """Opens the assets that a snapshot lists; builds and reads nothing yet."""
        return cls(Entry.of_row(row, source) for row in snapshot.rows)

    @classmethod
    def shipped(cls) -> AssetLibrary:
        """Opens the library that comes with imove."""
        from imove_tasks.assets.snapshots import shipped_snapshot

        return cls.of_snapshot(shipped_snapshot(), GeneratedSource())

    def __len__(self) -> int:
        """Number of assets."""
        return len(self._entries)

    def __iter__(self) -> Iterator[Asset]:
        """All assets, by category and instance."""
        return (self.get(uuid) for uuid in self._entries)

    def __contains__(self, uuid: object) -> bool:
        """True when an asset has this id."""
        return uuid in self._entries

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Where each asset comes from, in order."""
        return tuple(self._entries.values())

    def get(self, uuid: str) -> Asset:
        """The asset with an id; built or read on the first call, kept afterwards.

        Raises:
            AssetError: No asset has this id, it cannot be had, or it differs from the snapshot.
        """
        entry = self._entry(uuid)
        if uuid not in self._assets:
            self._assets[uuid] = entry.load()
        return self._assets[uuid]

    def row(self, uuid: str) -> Row:
        """What is known of an asset; only a library without stored rows must build it for that.

        Raises:
            AssetError: No asset has this id, or it cannot be had.
        """
        entry = self._entry(uuid)
        if entry.row is not None:
            return entry.row
        if uuid not in self._rows:
            self._rows[uuid] = row_of(self.get(uuid), entry.split, entry.origin)
        return self._rows[uuid]

    def rows(self, split: Split | None = None) -> tuple[Row, ...]:
        """The rows of all assets, or of a split.

        Raises:
            ImoveError: No such split.
        """
        return tuple(self.row(uuid) for uuid in self._chosen(split))

    def categories(self, split: Split | None = None) -> tuple[str, ...]:
        """Names of the categories in the library, or of those with assets in a split."""
        return tuple(dict.fromkeys(self._entries[uuid].category for uuid in self._chosen(split)))

    def in_category(self, name: str, split: Split | None = None) -> tuple[Asset, ...]:
        """Assets of a category, by instance; of one split only when given.

        Raises:
            ImoveError: The library has no such category, or there is no such split.
        """
        if name not in self.categories():
            raise unknown_name("category", name, self.categories())
        return tuple(self.get(uuid) for uuid in self._chosen(split) if self._entries[uuid].category == name)

    def split(self, split: Split) -> tuple[str, ...]:
        """Ids of the assets in a split; the three splits are disjoint and cover the library.

        Raises:
            ImoveError: No such split.
        """
        if split not in SPLITS:
            raise unknown_name("split", split, SPLITS)
        return tuple(uuid for uuid, entry in self._entries.items() if entry.split == split)

    def split_of(self, uuid: str) -> Split:
        """The split an asset belongs to.

        Raises:
            AssetError: No asset has this id.
        """
        return self._entry(uuid).split

    def snapshot_hash(self) -> str:
        """Hex SHA-256 over ids, contents and splits, wherever the assets come from.

        Builds nothing unless rows are missing, as in a freshly generated library.
        """
        return snapshot_digest(self.rows())

    def _chosen(self, split: Split | None) -> Iterable[str]:
        return self._entries if split is None else self.split(split)

    def _entry(self, uuid: str) -> Entry:
        if uuid not in self._entries:
            raise AssetError(
                f"no asset has the id {uuid!r}; the library holds {len(self)} others, and those of your own only when "
                "their corpus folder is given, by --assets DIR or assets:=DIR"
            )
        return self._entries[uuid]


def folders_from(text: str) -> tuple[Path, ...]:
    """The corpus folders that a node parameter or launch argument names, separated by commas; none for ""."""
    return tuple(Path(part) for part in text.split(",") if part)


def open_library(folders: Sequence[Path] = ()) -> AssetLibrary:
    """Opens the shipped library together with corpus folders of the user.

    Args:
        folders: Each with an `index.jsonl`, as `imove assets import` and `imove assets build` write them.

    Raises:
        AssetError: A folder is no corpus, or an id comes twice.
    """
    from imove_tasks.assets.snapshots import shipped_snapshot

    generated = GeneratedSource()
    entries = [Entry.of_row(row, generated) for row in shipped_snapshot().rows]
    for folder in folders:
        source = FolderSource(folder)
        entries += [Entry.of_row(row, source) for row in source.rows()]
    return AssetLibrary(entries)


def _called(entry: Entry) -> str:
    """How messages name an entry."""
    folder = f" of {entry.source.corpus}" if isinstance(entry.source, FolderSource) else ""
    name = entry.row.name if entry.row is not None else entry.category
    return f"{name!r} at {entry.origin}{folder}"
