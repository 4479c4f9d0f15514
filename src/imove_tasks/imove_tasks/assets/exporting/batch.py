"""Exports many assets in parallel; each folder appears whole, and what is there already is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from imove_core.canonical import canonical_json
from imove_core.values import FrozenValue
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.exporting.formats import get_format
from imove_tasks.assets.library import Entry
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.storage.folders import whole_folder

MARK_NAME = "export.json"


class Mark(FrozenValue):
    """What a folder was exported from; it lies in the folder.

    Attributes:
        format: Name of the format.
        version: Raised when exports of the same asset change.
        content_hash: Of the asset.
    """

    format: str
    version: Literal[1] = 1
    content_hash: str


@dataclass(frozen=True)
class Exported:
    """What became of one asset.

    Attributes:
        uuid: Its id.
        path: Its main file.
        kept: True when it was there already.
    """

    uuid: str
    path: Path
    kept: bool


def export_all(entries: Sequence[Entry], format_name: str, out: Path, workers: int) -> Iterator[Exported]:
    """Exports assets; each one that is done is yielded at once, in any order.

    Args:
        entries: What to export, see `AssetLibrary.entries`.
        format_name: Key of ``formats.FORMATS``.
        out: Folder to write below; made where it is missing.
        workers: Processes side by side, at least 1.

    Raises:
        ImoveError: There is no such format, a package for it is missing, an asset cannot be had, or something else
            lies where it would go.
        OSError: The disk is full or the folder not writable.
    """
    get_format(format_name).check()
    jobs = [(entry, format_name, out) for entry in entries]
    if workers == 1 or len(jobs) < 2:
        yield from map(_export, jobs)
        return
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=get_context("spawn")) as pool:
        try:
            for future in as_completed([pool.submit(_export, job) for job in jobs]):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _export(job: tuple[Entry, str, Path]) -> Exported:
    entry, format_name, out = job
    form = get_format(format_name)
    asset, row = None, entry.row
    if row is None:
        asset = entry.load()
        row = row_of(asset, entry.split, entry.origin)
    place = form.place(row)
    main = out / f"{place}{form.suffix}"
    mark = Mark(format=format_name, content_hash=row.content_hash)
    found = _mark_of(main.parent)
    if found == mark and main.is_file():
        return Exported(entry.uuid, main, kept=True)
    if main.parent.exists() and (found is None or found.format != format_name):
        raise AssetError(
            f"{main.parent} holds something other than an export as {format_name}, which would be lost; give another "
            "folder to write to"
        )
    with whole_folder(main.parent) as partial:
        form.write(asset or entry.load(), partial, place.name)
        (partial / MARK_NAME).write_text(canonical_json(mark.model_dump(mode="json")) + "\n", encoding="utf-8")
    return Exported(entry.uuid, main, kept=False)


def _mark_of(folder: Path) -> Mark | None:
    """What a folder was exported from, None where nobody can tell."""
    try:
        return Mark.model_validate_json((folder / MARK_NAME).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
