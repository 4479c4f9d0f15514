"""Finds the assets of a source folder and the reader for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import Folder
from imove_tasks.assets.importing.foreign import Foreign
from imove_tasks.assets.importing.meshes import MESH_SUFFIXES
from imove_tasks.assets.importing.mjcf import read_mjcf
from imove_tasks.assets.importing.plain import SHEET_NAME, Sheet, read_plain, read_sheet
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.urdf import read_urdf

Read = Callable[[Journal], Foreign]

_NEVER_OPENED = (
    ".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".pkl", ".pickle", ".npz", ".npy", ".pt", ".pth",
)  # fmt: skip
_LOOSE_SUFFIXES = tuple(suffix for suffix in MESH_SUFFIXES if suffix != ".msh")  # .msh has no materials of its own
_PEEK_BYTES = 4096


@dataclass(frozen=True)
class Found:
    """An asset of the source.

    Attributes:
        path: Its main file.
        folder: From which it may read.
        read: Its reader; raises AssetError.
    """

    path: Path
    folder: Folder
    read: Read


def discover(source: Path, limit_bytes: int) -> tuple[Found, ...]:
    """All assets below a folder, by path.

    A URDF or MJCF file owns its folder and everything below it. Other meshes are loose ones; the nearest
    `import.yaml` in their folder or above it describes them. Links to folders are not followed.

    Args:
        source: The folder.
        limit_bytes: Larger files are refused.

    Raises:
        AssetError: There is no such folder, or an `import.yaml` is broken.
    """
    if not source.is_dir():
        raise AssetError(f"{source} is no folder; expected the folder of the assets to import")
    found = list(_walk(source, limit_bytes, None, Sheet()))
    return tuple(sorted(found, key=lambda item: item.path.as_posix()))


def _walk(folder: Path, limit_bytes: int, sheet_folder: Path | None, sheet: Sheet) -> Iterator[Found]:
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    files = [Path(entry.path) for entry in listed if not entry.is_dir()]
    described = [path for path in files if path.suffix.lower() == ".urdf" or _is_mjcf(path)]
    if described:
        own = Folder(folder, limit_bytes)
        yield from (Found(path, own, _reader_of(path, own)) for path in described)
        return
    if folder / SHEET_NAME in files:
        sheet_folder, sheet = folder, read_sheet(folder / SHEET_NAME)
        yield from _missing(folder, sheet, limit_bytes)
    for path in files:
        if path.suffix.lower() in _NEVER_OPENED:
            yield Found(path, Folder(folder, limit_bytes), _refusing("archives and pickles are not opened; unpack it"))
        elif path.suffix.lower() in _LOOSE_SUFFIXES:
            yield from _loose(path, limit_bytes, sheet_folder, sheet)
    for entry in listed:
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _walk(Path(entry.path), limit_bytes, sheet_folder, sheet)


def _is_mjcf(path: Path) -> bool:
    if path.suffix.lower() != ".xml" or not path.is_file():
        return False
    with path.open("rb") as stream:
        return b"<mujoco" in stream.read(_PEEK_BYTES)


def _reader_of(path: Path, folder: Folder) -> Read:
    read = read_urdf if path.suffix.lower() == ".urdf" else read_mjcf
    return lambda journal: read(path, folder, journal)


def _loose(path: Path, limit_bytes: int, sheet_folder: Path | None, sheet: Sheet) -> Iterator[Found]:
    if sheet_folder is None:
        reason = f"no {SHEET_NAME} in its folder or above says what it is; `imove assets import --explain` shows one"
        yield Found(path, Folder(path.parent, limit_bytes), _refusing(reason))
        return
    name = path.relative_to(sheet_folder).as_posix()
    entry = sheet.entry(name)
    if entry.skip or name in {other.collision for other in sheet.assets.values()}:
        return
    folder = Folder(sheet_folder, limit_bytes)
    yield Found(path, folder, lambda _: read_plain(path, folder, entry))


def _missing(folder: Path, sheet: Sheet, limit_bytes: int) -> Iterator[Found]:
    for name in sheet.assets:
        path = folder / name
        if not path.is_file() or path.suffix.lower() not in _LOOSE_SUFFIXES:
            reason = f"{SHEET_NAME} lists it, but there is no such mesh; allowed are {', '.join(_LOOSE_SUFFIXES)}"
            yield Found(path, Folder(folder, limit_bytes), _refusing(reason))


def _refusing(reason: str) -> Read:
    def refuse(_: Journal) -> Foreign:
        raise AssetError(reason)

    return refuse
