"""Writing a library as a corpus folder: same bytes every time, nothing half written, goes on where it stopped."""

import os
import shutil
from pathlib import Path

import pytest

from imove_tasks.assets import AssetError, AssetLibrary
from imove_tasks.assets.building import JOURNAL_NAME, build_corpus, folder_digest
from imove_tasks.assets.library import Entry
from imove_tasks.assets.parallel import results_as_done
from imove_tasks.assets.snapshots import Snapshot
from imove_tasks.assets.sources import FolderSource, GeneratedSource
from imove_tasks.assets.storage import INDEX_NAME, read_index

CATEGORIES = ("mug", "egg", "notebook")


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    """Two objects of three categories."""
    fresh = AssetLibrary.generate(2)
    return AssetLibrary.of_snapshot(
        Snapshot("few", tuple(fresh.row(a.uuid) for name in CATEGORIES for a in fresh.in_category(name))),
        GeneratedSource(),
    )


@pytest.fixture(scope="module")
def written(library: AssetLibrary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    assert not any(built.kept for built in build_corpus(library.entries, folder, 1))
    return folder


@pytest.fixture
def corpus(written: Path, tmp_path: Path) -> Path:
    """A corpus to damage."""
    return shutil.copytree(written, tmp_path / "corpus")


def rebuilt(library: AssetLibrary, corpus: Path) -> set[str]:
    """Builds again; the names of the objects that were written anew."""
    return {built.row.uuid for built in build_corpus(library.entries, corpus, 1) if not built.kept}


def test_corpus_holds_the_same_assets(library, corpus):
    rows = read_index(corpus)
    opened = AssetLibrary(Entry.of_row(row, FolderSource(corpus)) for row in rows)
    assert opened.snapshot_hash() == library.snapshot_hash()
    for row in rows:
        assert opened.get(row.uuid) == library.get(row.uuid)
        assert row.split == library.split_of(row.uuid)


def test_every_run_writes_the_same_bytes_with_any_number_of_workers(library, corpus, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    assert len(list(build_corpus(library.entries[::-1], other, 2))) == len(library)
    assert folder_digest(other) == folder_digest(corpus)


def test_what_is_whole_is_kept(library, corpus):
    before = {path: path.stat().st_mtime_ns for path in corpus.rglob("*.urdf")}
    assert rebuilt(library, corpus) == set()
    assert {path: path.stat().st_mtime_ns for path in corpus.rglob("*.urdf")} == before


def test_index_lists_what_was_asked_for_and_files_of_others_stay_whole(library, corpus):
    digest = folder_digest(corpus)
    assert len(list(build_corpus(library.entries[:2], corpus, 1))) == 2
    assert {row.uuid for row in read_index(corpus)} == {entry.uuid for entry in library.entries[:2]}
    assert rebuilt(library, corpus) == set()
    assert folder_digest(corpus) == digest


@pytest.mark.parametrize("damage", ["cut short", "missing", "additional", "folder gone"])
def test_asset_whose_files_are_not_whole_is_written_again(library, corpus, damage):
    digest = folder_digest(corpus)
    row = read_index(corpus)[0]
    folder = (corpus / row.origin).parent
    captions = folder / "caption_candidates.json"
    if damage == "cut short":
        captions.write_bytes(captions.read_bytes()[:-3])
    elif damage == "missing":
        captions.unlink()
    elif damage == "additional":
        (folder / "mesh" / "more.obj").touch()
    else:
        shutil.rmtree(folder)
    assert rebuilt(library, corpus) == {row.uuid}
    assert folder_digest(corpus) == digest


def test_killed_build_goes_on_and_leaves_nothing_behind(library, corpus):
    digest = folder_digest(corpus)
    rows = read_index(corpus)
    # What a kill leaves: no index, a journal line cut in the middle, and a folder under its temporary name.
    (corpus / INDEX_NAME).unlink()
    journal = corpus / JOURNAL_NAME
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:3]) + lines[3][:40])
    folder = (corpus / rows[0].origin).parent
    shutil.copytree(folder, folder.parent / f".{folder.name}.abc.partial")
    assert len(rebuilt(library, corpus)) == len(library) - 3
    assert folder_digest(corpus) == digest


def test_asset_whose_row_changed_is_built_anew_and_checked(library, corpus):
    changed = library.rows()[0].model_copy(update={"content_hash": "0" * 64})
    with pytest.raises(AssetError, match="differs from the snapshot"):
        list(build_corpus([Entry.of_row(changed, GeneratedSource())], corpus, 1))
    assert rebuilt(library, corpus) == set()


def test_failure_in_a_worker_ends_the_build(library, tmp_path):
    wrong = [
        Entry.of_row(row.model_copy(update={"content_hash": "0" * 64}), GeneratedSource()) for row in library.rows()
    ]
    with pytest.raises(AssetError, match="differs from the snapshot"):
        list(build_corpus(wrong, tmp_path, 2))
    assert not (tmp_path / INDEX_NAME).exists()


def test_process_that_is_killed_ends_the_work_with_one_sentence():
    with pytest.raises(AssetError, match="one of 2 processes was killed; try again with fewer workers"):
        list(results_as_done(os._exit, [9, 9], 2))


def test_broken_journal_is_named(library, corpus):
    (corpus / JOURNAL_NAME).write_text('{"uuid": 1}\n')
    with pytest.raises(AssetError, match=f"{JOURNAL_NAME}: line 1: .*; remove the file"):
        list(build_corpus(library.entries, corpus, 1))
