"""The user's own tables: categories of a source, and the split of each asset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imove_core.errors import unknown_name
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import read_yaml
from imove_tasks.assets.rows import SPLITS, Split
from imove_tasks.assets.taxonomy import CATEGORIES

SPLITS_SCHEMA_VERSION = 1


def read_category_map(path: Path) -> dict[str, str]:
    """Patterns of source words, to categories: a YAML mapping such as `"*_bowl": bowl`; the first match counts.

    Raises:
        ImoveError: It is no mapping of texts, or names a category that the taxonomy has not.
    """
    table = read_yaml(path)
    if not isinstance(table, dict) or not all(isinstance(text, str) for pair in table.items() for text in pair):
        raise AssetError(f"{path} holds no mapping of source words to categories, expected lines such as 'cup: mug'")
    for name in table.values():
        if name not in CATEGORIES:
            raise unknown_name(f"category in {path}", name, CATEGORIES)
    return table


def read_splits(path: Path) -> Mapping[str, Split]:
    """The split of each id, from a splits file of the release: lists `seen`, `unseen_category`, `unseen_instance`.

    Entries are ids, or mappings with a `uuid` and, for people, an `asset_id`.

    Raises:
        AssetError: It has another version or form, or names an id twice.
    """
    table = read_yaml(path)
    if not isinstance(table, dict) or table.get("schema_version") != SPLITS_SCHEMA_VERSION:
        raise AssetError(f"{path} is no splits file, expected schema_version: {SPLITS_SCHEMA_VERSION}")
    unknown = sorted(str(key) for key in set(table) - {"schema_version", "name", *SPLITS})
    if unknown:
        raise AssetError(
            f"{path} has the unknown key {unknown[0]!r}; allowed: schema_version, name, {', '.join(SPLITS)}"
        )
    found: dict[str, Split] = {}
    for split in SPLITS:
        for entry in table.get(split) or ():
            uuid = _id_of(entry, path, split)
            if uuid in found:
                raise AssetError(f"{path} lists {uuid} in {found[uuid]} and in {split}; each id is allowed once")
            found[uuid] = split
    return found


def _id_of(entry: Any, path: Path, split: str) -> str:
    uuid = entry.get("uuid") if isinstance(entry, dict) else entry
    if not isinstance(uuid, str) or not uuid:
        raise AssetError(f"{path}: an entry of {split} is {entry!r}, expected an id or a mapping with a uuid")
    return uuid
