"""Assets on disk: a folder each, with a self-describing URDF, meshes and pictures, and an index over all of them.

`write_asset` and `read_asset` are exact inverses: what is read has the content hash of what was written. Every file
has the same bytes on every run. The format is described in `docs/assets-format.md`.
"""

from imove_tasks.assets.storage.folders import asset_folder
from imove_tasks.assets.storage.index import INDEX_NAME, read_index, write_index
from imove_tasks.assets.storage.reading import read_asset, read_record
from imove_tasks.assets.storage.writing import fill_folder, write_asset

__all__ = [
    "INDEX_NAME", "asset_folder", "fill_folder", "read_asset", "read_index", "read_record", "write_asset",
    "write_index",
]  # fmt: skip
