"""What the metadata.yaml of a bag says, believed only as far as it can be checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imove_core.bag.errors import BagError
from imove_core.bag.metadata import INFORMATION_KEY, METADATA_FILE, load_yaml

# Far above any real metadata.yaml (17 kB).
_MAX_METADATA_BYTES = 16 << 20


def read_metadata(path: Path) -> Mapping[str, Any]:
    """The content of a metadata.yaml.

    Raises:
        BagError: There is none, or it does not describe a bag of MCAP files.
    """
    try:
        if path.stat().st_size > _MAX_METADATA_BYTES:
            raise BagError(f"{path} has more than {_MAX_METADATA_BYTES} bytes; it is no metadata of a bag")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BagError(
            f"folder {path.parent} has no {path.name}: it is no bag, or one that was never finished; "
            "`imove bag recover` saves its messages"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BagError(f"{path} cannot be read: {error}") from error
    loaded = load_yaml(text, str(path))
    described: dict[str, Any] = loaded if isinstance(loaded, dict) else {}
    information = described.get(INFORMATION_KEY)
    if not isinstance(information, dict):
        raise BagError(f"{path} has no {INFORMATION_KEY}; it is no metadata of a bag")
    if information.get("storage_identifier") != "mcap":
        raise BagError(f"bag {path.parent} is stored as {information.get('storage_identifier')!r}; 'mcap' is allowed")
    return described


def file_names(folder: Path, described: Mapping[str, Any]) -> list[str]:
    """The MCAP files in `folder` that its metadata name, in order; raises BagError where one is missing."""
    names = described[INFORMATION_KEY].get("relative_file_paths")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise BagError(f"{folder / METADATA_FILE} names no files")
    for name in names:
        # A path could lead anywhere.
        if Path(name).name != name or not (folder / name).is_file():
            raise BagError(f"{folder / METADATA_FILE} names the file {name!r}, which is not in the folder")
    return names
