"""Imports a whole folder: each asset is imported, repaired or refused, and the rest goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scipy.spatial import QhullError

from imove_core.canonical import write_text_atomically
from imove_core.errors import ImoveError
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.assemble import Tools, assembled
from imove_tasks.assets.importing.discovery import Found, discover
from imove_tasks.assets.importing.files import DEFAULT_LIMIT_MB
from imove_tasks.assets.importing.report import ImportReport, Journal, Outcome
from imove_tasks.assets.library import generated_split
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import Row, Split, row_of
from imove_tasks.assets.storage import INDEX_NAME, read_asset, read_index, write_asset, write_index
from imove_tasks.assets.storage.urdf import RECORD_ELEMENT

REPORT_NAME = "import_report.json"


@dataclass(frozen=True)
class ImportSettings:
    """What a user may choose.

    Attributes:
        tools: Mapping of categories, and the decomposer.
        splits: Split of each id, where the user has one.
        limit_bytes: Larger files are refused.
    """

    tools: Tools = Tools()
    splits: Mapping[str, Split] = field(default_factory=dict)
    limit_bytes: int = DEFAULT_LIMIT_MB * 2**20


def import_folder(
    source: Path,
    corpus: Path,
    settings: ImportSettings,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ImportReport:
    """Imports all assets below a folder into a corpus, which keeps what it had.

    The corpus gets its index and `import_report.json`, also when the import is broken off. An id that the corpus
    has already is replaced; one that the source has twice is imported once.

    Args:
        source: Folder of the foreign assets.
        corpus: Folder to write; made where it is missing.
        settings: What the user chose.
        progress: Told the number of assets done and of all after each one.

    Returns:
        What became of each asset.

    Raises:
        AssetError: There is no such folder, the corpus lies in it, or its `import.yaml` or index is broken.
        OSError: The disk is full or the corpus not writable.
    """
    if corpus.resolve().is_relative_to(source.resolve()) or source.resolve().is_relative_to(corpus.resolve()):
        raise AssetError(f"the corpus {corpus} and the source {source} lie in each other; expected separate folders")
    found = discover(source, settings.limit_bytes)
    former = {row.uuid: row for row in read_index(corpus)} if (corpus / INDEX_NAME).is_file() else {}
    splits = {**_splits_of_corpus(source), **settings.splits}
    outcomes: list[Outcome] = []
    kept: dict[str, tuple[Asset, str]] = {}
    try:
        for number, item in enumerate(found, start=1):
            outcomes.append(_import_one(item, source, corpus, settings.tools, kept))
            progress(number, len(found))
    finally:
        rows = {**former, **{row.uuid: row for row in _rows(kept, former, splits)}}
        write_index(corpus, rows.values())
        report = ImportReport(outcomes=tuple(outcomes), notes=_notes(found, splits, kept))
        write_text_atomically(corpus / REPORT_NAME, report.model_dump_json(indent=2) + "\n")
    return report


def _import_one(item: Found, source: Path, corpus: Path, tools: Tools, kept: dict[str, tuple[Asset, str]]) -> Outcome:
    """Imports one asset; adds it to those kept, with its origin."""
    name = item.path.relative_to(source).as_posix()
    journal = Journal()
    try:
        asset = _own(item, journal) or assembled(item.read(journal), name, tools, journal)
        if asset.uuid in kept:
            raise AssetError(f"its id {asset.uuid} is that of {kept[asset.uuid][0].name!r} before it in this source")
        urdf = write_asset(asset, corpus)
    except ImoveError as error:
        return Outcome(source=name, status="refused", reason=str(error), findings=journal.findings)
    except QhullError:
        reason = "its meshes are so thin or so broken that no hull can be put round them"
        return Outcome(source=name, status="refused", reason=reason, findings=journal.findings)
    kept[asset.uuid] = (asset, urdf.relative_to(corpus).as_posix())
    mended = any(finding.kind == "repair" for finding in journal.findings)
    return Outcome(
        source=name, status="repaired" if mended else "imported", uuid=asset.uuid, name=asset.name,
        category=asset.category, findings=journal.findings,
    )  # fmt: skip


def _own(item: Found, journal: Journal) -> Asset | None:
    """An asset that imove wrote, exactly as it was; None for any other, and for one that was changed since."""
    if item.path.suffix.lower() != ".urdf" or RECORD_ELEMENT not in item.folder.read_text(item.path):
        return None
    for path in item.folder.root.rglob("*"):
        if path.is_file():
            item.folder.check(path)
    try:
        return read_asset(item.path)
    except AssetError as error:
        journal.repaired(f"its record cannot be taken ({error}): measured anew")
        return None


def _splits_of_corpus(source: Path) -> dict[str, Split]:
    """The splits of a source that is a corpus itself."""
    return {row.uuid: row.split for row in read_index(source)} if (source / INDEX_NAME).is_file() else {}


def _rows(kept: Mapping[str, tuple[Asset, str]], former: Mapping[str, Row], splits: Mapping[str, Split]) -> list[Row]:
    """A row for each asset; without a split of the user's, new ones are divided like generated objects."""
    free = [asset for uuid, (asset, _) in kept.items() if uuid not in splits and uuid not in former]
    count, seen = Counter(asset.category for asset in free), Counter[str]()
    rows = []
    for uuid, (asset, origin) in kept.items():
        if uuid in splits:
            split = splits[uuid]
        elif uuid in former:
            split = former[uuid].split
        else:
            split = generated_split(asset.category, seen[asset.category], count[asset.category])
            seen[asset.category] += 1
        rows.append(row_of(asset, split, origin))
    return rows


def _notes(found: tuple[Found, ...], splits: Mapping[str, Split], kept: Mapping[str, object]) -> tuple[str, ...]:
    notes = [] if found else ["the source holds no URDF, no MJCF and no mesh"]
    absent = sorted(set(splits) - set(kept))
    if absent:
        notes.append(f"{len(absent)} ids of the splits were not imported, such as {absent[0]}")
    return tuple(notes)
