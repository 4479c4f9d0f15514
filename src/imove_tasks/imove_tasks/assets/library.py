"""The immutable collection of assets: cheap to open, each asset built when first asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from imove_core.errors import unknown_name
from imove_tasks.assets import taxonomy
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.draft import asset_uuid
from imove_tasks.assets.draw import Draw
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import Asset

Split = Literal["seen", "unseen_instance", "unseen_category"]
SPLITS: tuple[Split, ...] = get_args(Split)

DEFAULT_INSTANCES = 6
DEFAULT_SEED = 0


@dataclass(frozen=True)
class Entry:
    """Where an asset comes from: enough to build it.

    Attributes:
        uuid: Stable id.
        category: Category name.
        index: Number of the instance inside the category, from 0.
        seed: Seed of the library.
    """

    uuid: str
    category: str
    index: int
    seed: int

    def build(self) -> Asset:
        """Builds the asset; the same entry gives the same content everywhere."""
        draft = BUILDERS[self.category](Draw(self.category, self.seed, self.index))
        return draft.finish(taxonomy.category(self.category), self.uuid)


class AssetLibrary:
    """Assets by id and by category, with the train and test splits.

    Two thirds of the instances of a category (rounded up) are *seen*, the rest *unseen_instance*; all
    instances of a held-out category are *unseen_category*.
    """

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        """Indexes entries.

        Raises:
            AssetError: Two entries have the same id.
        """
        self._entries = MappingProxyType({entry.uuid: entry for entry in entries})
        if len(self._entries) != len(entries):
            raise AssetError(f"{len(entries)} assets share {len(self._entries)} ids, expected one each")
        self._built: dict[str, Asset] = {}

    @classmethod
    def generate(cls, instances_per_category: int = DEFAULT_INSTANCES, seed: int = DEFAULT_SEED) -> AssetLibrary:
        """Opens the generated library; builds nothing yet.

        Args:
            instances_per_category: At least 1.
            seed: Any non-negative integer; other seeds give other objects with other ids.

        Raises:
            AssetError: A number is out of range.
        """
        if instances_per_category < 1 or seed < 0:
            raise AssetError(
                f"asked for {instances_per_category} instances a category with seed {seed}, "
                "expected at least 1 and a seed of at least 0"
            )
        return cls(
            tuple(
                Entry(asset_uuid(name, seed, index), name, index, seed)
                for name in taxonomy.CATEGORIES
                if name in BUILDERS
                for index in range(instances_per_category)
            )
        )

    def __len__(self) -> int:
        """Number of assets."""
        return len(self._entries)

    def __iter__(self) -> Iterator[Asset]:
        """All assets in order of category and instance."""
        return (self.get(uuid) for uuid in self._entries)

    def __contains__(self, uuid: object) -> bool:
        """True when an asset has this id."""
        return uuid in self._entries

    def get(self, uuid: str) -> Asset:
        """The asset with an id; built on the first call, kept afterwards.

        Raises:
            AssetError: No asset has this id.
        """
        if uuid not in self._entries:
            raise AssetError(f"no asset has the id {uuid!r}; the library holds {len(self)} others")
        if uuid not in self._built:
            self._built[uuid] = self._entries[uuid].build()
        return self._built[uuid]

    def categories(self, split: Split | None = None) -> tuple[str, ...]:
        """Names of the categories in the library, or of those with assets in a split."""
        names = (self._entries[uuid].category for uuid in (self._entries if split is None else self.split(split)))
        return tuple(dict.fromkeys(names))

    def in_category(self, name: str, split: Split | None = None) -> tuple[Asset, ...]:
        """Assets of a category, by instance; of one split only when given.

        Raises:
            ImoveError: The library has no such category, or there is no such split.
        """
        if name not in self.categories():
            raise unknown_name("category", name, self.categories())
        chosen = self._entries if split is None else self.split(split)
        return tuple(self.get(uuid) for uuid in chosen if self._entries[uuid].category == name)

    def split(self, split: Split) -> tuple[str, ...]:
        """Ids of the assets in a split; the three splits are disjoint and cover the library.

        Raises:
            ImoveError: No such split.
        """
        if split not in SPLITS:
            raise unknown_name("split", split, SPLITS)
        return tuple(uuid for uuid in self._entries if self.split_of(uuid) == split)

    def split_of(self, uuid: str) -> Split:
        """The split an asset belongs to.

        Raises:
            AssetError: No asset has this id.
        """
        if uuid not in self._entries:
            raise AssetError(f"no asset has the id {uuid!r}; the library holds {len(self)} others")
        entry = self._entries[uuid]
        if entry.category in taxonomy.UNSEEN_CATEGORIES:
            return "unseen_category"
        siblings = sum(other.category == entry.category for other in self._entries.values())
        return "seen" if entry.index < -(-2 * siblings // 3) else "unseen_instance"

    def snapshot_hash(self) -> str:
        """Hex SHA-256 over ids and contents of all assets; builds all of them."""
        digest = hashlib.sha256()
        for asset in sorted(self, key=lambda asset: asset.uuid):
            digest.update(f"{asset.uuid} {asset.content_hash()}\n".encode())
        return digest.hexdigest()
