"""The folder of a corpus as annotation changes it: one asset at a time, each step whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from imove_core.errors import ImoveError
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import Row, Split, row_of
from imove_tasks.assets.sources import FolderSource
from imove_tasks.assets.storage import read_index, write_asset, write_index
from imove_tasks.assets.taxonomy import UNSEEN_CATEGORIES


class Corpus:
    """Assets with their rows; not for several threads at once."""

    def __init__(self, root: Path) -> None:
        """Reads the index.

        Args:
            root: The corpus folder.

        Raises:
            AssetError: The index is missing or broken.
        """
        self.root = root
        self._source = FolderSource(root)
        self._rows = {row.uuid: row for row in read_index(root)}

    def tidy(self) -> None:
        """Clears what a kill left of writing an asset: unfinished folders, and the former one of a finished one.

        A former folder goes back where the kill came before its successor took its place.
        """
        for folder in self.root.glob("*/*/*/.*.partial"):
            shutil.rmtree(folder)
        for folder in self.root.glob("*/*/*/.*.former"):
            for former in folder.iterdir():
                home = folder.parent / former.name
                if not home.exists():
                    os.replace(former, home)
            shutil.rmtree(folder)

    def rows(self) -> tuple[Row, ...]:
        """All rows as they are now."""
        return tuple(self._rows.values())

    def row(self, uuid: str) -> Row | None:
        """The row of an asset, None when it is not in the index."""
        return self._rows.get(uuid)

    def load(self, row: Row) -> Asset:
        """What lies on disk where a row says, whatever its hash.

        Raises:
            AssetError: It is missing or damaged.
        """
        return self._source.load(row.origin)

    def read(self, row: Row) -> Asset:
        """The asset of a row.

        Raises:
            AssetError: It is missing, damaged or not what the row describes.
        """
        asset = self.load(row)
        if asset.content_hash() != row.content_hash:
            raise AssetError(
                f"{row.name!r} ({row.uuid}) has content {asset.content_hash()[:12]}, but the index says "
                f"{row.content_hash[:12]}; import it again"
            )
        return asset

    def replace(self, asset: Asset) -> None:
        """Writes an asset in place of the one with its id, then its row, then clears what lies elsewhere.

        Raises:
            AssetError: The index has no such asset.
            OSError: The disk is full or the folder not writable.
        """
        row = self._rows[asset.uuid]
        urdf = write_asset(asset, self.root)
        origin = urdf.relative_to(self.root).as_posix()
        self._write({**self._rows, asset.uuid: row_of(asset, _split(row, asset.category), origin)})
        self.clear(asset.uuid)

    def clear(self, uuid: str) -> None:
        """Removes folders of an asset of the index that lie where its row does not say."""
        own = (self.root / self._rows[uuid].origin).parent
        for folder in self.root.glob(f"*/*/*/{uuid}"):
            if folder != own and not folder.is_symlink():
                shutil.rmtree(folder)

    def exclude(self, uuid: str, destination: Path) -> None:
        """Takes an asset out of the index and moves its folder away; an asset that is gone already is left alone.

        Args:
            uuid: The asset.
            destination: Folder that will hold the asset's folder; made where it is missing.

        Raises:
            OSError: The disk is full or a folder not writable.
        """
        if uuid in self._rows:
            self._write({key: row for key, row in self._rows.items() if key != uuid})
        for folder in self.root.glob(f"*/*/*/{uuid}"):
            if folder.is_symlink():
                raise ImoveError(f"{folder} is a link; move it by hand")
            destination.mkdir(parents=True, exist_ok=True)
            target = destination / uuid
            if target.exists():
                shutil.rmtree(target)
            os.replace(folder, target)

    def _write(self, rows: dict[str, Row]) -> None:
        write_index(self.root, rows.values())
        self._rows = rows


def _split(row: Row, category: str) -> Split:
    """The split after a change of category: held-out ones are never trained on, nor is what was held out before."""
    if category in UNSEEN_CATEGORIES:
        return "unseen_category"
    return "unseen_instance" if row.split == "unseen_category" else row.split
