"""Reading files of an asset without ever leaving its folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import yaml

from imove_tasks.assets.errors import AssetError

DEFAULT_LIMIT_MB = 64


@dataclass(frozen=True)
class Folder:
    """The folder of one asset and the rules for reading from it.

    Attributes:
        root: The folder; no file outside it is opened.
        limit_bytes: Larger files are refused before they are read.
    """

    root: Path
    limit_bytes: int = DEFAULT_LIMIT_MB * 2**20

    def find(self, reference: str, base: Path | None = None) -> Path:
        """The file that a reference inside the asset means.

        Args:
            reference: Relative path; a `package://name/` before it is taken for the folder.
            base: Folder of the file that holds the reference, None for the root.

        Raises:
            AssetError: It is an absolute path or an address, leaves the folder, or there is no such file.
        """
        inside = reference.removeprefix("package://").partition("/")[2] if "package://" in reference else reference
        if "://" in inside or PurePosixPath(inside).is_absolute() or PureWindowsPath(inside).drive:
            raise AssetError(f"it refers to {reference!r}, expected a path relative to its own folder")
        path = (base or self.root) / inside.replace("\\", "/")
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise AssetError(f"it refers to {reference!r}, which leads out of its own folder")
        if not path.is_file():
            raise AssetError(f"its file {reference!r} is missing")
        return path

    def check(self, path: Path) -> None:
        """Refuses a file without reading it.

        Raises:
            AssetError: It is a link that leads out of the folder, too large, or gone.
        """
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise AssetError(f"its file {path.name!r} is a link that leads out of its own folder")
        try:
            size = path.stat().st_size
        except OSError as error:
            raise AssetError(f"its file {path.name!r} cannot be read: {error.strerror}") from error
        if size > self.limit_bytes:
            raise AssetError(
                f"its file {path.name!r} has {size / 2**20:.0f} MB, allowed are {self.limit_bytes / 2**20:.0f} MB"
            )

    def read(self, path: Path) -> bytes:
        """The content of a file of the folder.

        Raises:
            AssetError: As `check`, or it cannot be read.
        """
        self.check(path)
        try:
            return path.read_bytes()
        except OSError as error:
            raise AssetError(f"its file {path.name!r} cannot be read: {error.strerror}") from error

    def read_text(self, path: Path) -> str:
        """The content of a text file of the folder.

        Raises:
            AssetError: As `read`, or it is no UTF-8 text.
        """
        try:
            return self.read(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise AssetError(f"its file {path.name!r} is no UTF-8 text") from error


def read_yaml(path: Path) -> Any:
    """The plain values of a YAML file.

    Raises:
        AssetError: There is no such file, or it is no YAML.
    """
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssetError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise AssetError(f"{path} is no YAML: {' '.join(str(error).split())}") from error
