"""Where an asset lies in a corpus, folders that appear whole, and names that cannot leave them."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import Asset

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def asset_folder(asset: Asset, corpus: Path) -> Path:
    """`<corpus>/<domain>/<super_category>/<category>/<uuid>`.

    Raises:
        AssetError: One of the names would not do as that of a folder.
    """
    names = (asset.domain, asset.super_category, asset.category, asset.uuid)
    for name in names:
        if not _NAME.fullmatch(name):
            raise AssetError(
                f"{asset.name!r} cannot be stored under {name!r}, allowed are letters, digits, '_', '-' and '.' after "
                "a first letter or digit"
            )
    return corpus.joinpath(*names)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill, which takes the place of ``folder`` when all went well; an older one is replaced."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
    try:
        partial.chmod(0o755)
        yield partial
        if folder.exists():
            former = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".former", dir=folder.parent))
            os.replace(folder, former / folder.name)
            os.replace(partial, folder)
            shutil.rmtree(former)
        else:
            os.replace(partial, folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def inside(folder: Path, name: str) -> Path:
    """The file ``name`` of a folder.

    Raises:
        AssetError: It leads out of the folder, by dots or by a link.
    """
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise AssetError(f"{folder} names the file {name!r}, which lies outside of it")
    return path
