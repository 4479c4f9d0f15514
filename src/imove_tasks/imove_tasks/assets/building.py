"""Writes a library as a corpus folder: in parallel, whole or not at all, and going on where it stopped.

Beside the index the folder holds a journal, `built.jsonl`: the digest of the files of every asset that was written
whole. An asset whose files still have that digest is kept.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from imove_core.canonical import canonical_json, write_text_atomically
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.library import Entry
from imove_tasks.assets.parallel import results_as_done
from imove_tasks.assets.record import SCHEMA_VERSION
from imove_tasks.assets.rows import Row, row_of
from imove_tasks.assets.storage import write_asset, write_index

JOURNAL_NAME = "built.jsonl"


class Written(FrozenValue):
    """An asset that was written whole.

    Attributes:
        uuid: Its id.
        content_hash: Of its content.
        record_schema: Version of the record in its files.
        urdf: Path of its URDF below the corpus.
        digest: Hex SHA-256 over names and bytes of all files in its folder.
    """

    uuid: str
    content_hash: str
    record_schema: int
    urdf: str
    digest: str

    def to_json(self) -> str:
        """One line of the journal."""
        return canonical_json(self.model_dump(mode="json"))


@dataclass(frozen=True)
class Built:
    """What became of one asset.

    Attributes:
        row: Its row in the corpus.
        written: Its line of the journal.
        kept: True when its files were there already.
    """

    row: Row
    written: Written
    kept: bool


def folder_digest(folder: Path) -> str:
    """Hex SHA-256 over names and bytes of all files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def build_corpus(entries: Sequence[Entry], corpus: Path, workers: int) -> Iterator[Built]:
    """Writes assets and, at the end, an index of them alone; every asset that is done is yielded at once.

    Files that are there already and whole are kept; a build that was killed goes on from where it was. The bytes of
    all files are the same on every run and with any number of workers.

    Args:
        entries: What to write, see `AssetLibrary.entries`.
        corpus: Folder; made where it is missing.
        workers: Processes side by side, at least 1.

    Raises:
        AssetError: An asset differs from its row or cannot be had, or the journal is broken.
        OSError: The disk is full or the folder not writable.
    """
    corpus.mkdir(parents=True, exist_ok=True)
    _remove_remains(corpus)
    journal = corpus / JOURNAL_NAME
    known = _read_journal(journal)
    _write_journal(journal, known.values())
    jobs = [(entry, corpus, known.get(entry.uuid)) for entry in entries]
    done: list[Built] = []
    with journal.open("a", encoding="utf-8") as file:
        for built in results_as_done(_build, jobs, workers):
            if not built.kept:
                file.write(built.written.to_json() + "\n")
                file.flush()
            done.append(built)
            yield built
    _write_journal(journal, {**known, **{built.row.uuid: built.written for built in done}}.values())
    write_index(corpus, (built.row for built in done))


Job = tuple[Entry, Path, Written | None]


def _build(job: Job) -> Built:
    entry, corpus, known = job
    if known is not None and entry.row is not None and _is_whole(entry.row, corpus, known):
        return Built(entry.row.model_copy(update={"origin": known.urdf}), known, kept=True)
    asset = entry.load()
    urdf = write_asset(asset, corpus)
    path = urdf.relative_to(corpus).as_posix()
    written = Written(
        uuid=asset.uuid,
        content_hash=asset.content_hash(),
        record_schema=SCHEMA_VERSION,
        urdf=path,
        digest=folder_digest(urdf.parent),
    )
    return Built(row_of(asset, entry.split, path), written, kept=False)


def _is_whole(row: Row, corpus: Path, known: Written) -> bool:
    folder = (corpus / known.urdf).parent
    same = known.content_hash == row.content_hash and known.record_schema == SCHEMA_VERSION
    return same and folder.is_dir() and folder_digest(folder) == known.digest


def _remove_remains(corpus: Path) -> None:
    """Removes the unfinished folders of a build that was killed."""
    for pattern in (".*.partial", ".*.former"):
        for remains in list(corpus.glob(f"*/*/*/{pattern}")):
            shutil.rmtree(remains)


def _write_journal(path: Path, written: Iterable[Written]) -> None:
    lines = sorted(item.to_json() for item in written)
    write_text_atomically(path, "".join(f"{line}\n" for line in lines))


def _read_journal(path: Path) -> Mapping[str, Written]:
    """The journal by id; a last line that a killed run left unfinished is not looked at."""
    if not path.exists():
        return {}
    known: dict[str, Written] = {}
    *lines, _ = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            written = Written.model_validate_json(line)
        except ValidationError as error:
            raise AssetError(f"{path}: line {number}: {first_fault(error, 'the line')}; remove the file") from error
        known[written.uuid] = written
    return known
