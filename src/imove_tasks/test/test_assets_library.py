"""The library: contents, splits, laziness, determinism."""

import os
import subprocess
import sys

import pytest

from imove_core.errors import ImoveError
from imove_tasks.assets import SPLITS, AssetError, AssetLibrary
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.library import Entry
from imove_tasks.assets.sources import GeneratedSource
from imove_tasks.assets.taxonomy import CATEGORIES, UNSEEN_CATEGORIES, category


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate()


def test_default_library_has_six_of_everything(library):
    assert len(library) == 6 * len(BUILDERS)
    assert all(len(library.in_category(name)) == 6 for name in library.categories())


def test_builders_are_of_the_taxonomy_and_of_all_its_domains():
    assert set(BUILDERS) <= set(CATEGORIES)
    assert {CATEGORIES[name].domain for name in BUILDERS} == {c.domain for c in CATEGORIES.values()}


def test_there_are_enough_graspable_categories_and_destinations(library):
    first = [library.in_category(name)[0] for name in library.categories()]
    graspable = [asset for asset in first if "is_graspable" in asset.tags]
    assert sum(asset.category not in UNSEEN_CATEGORIES for asset in graspable) >= 24
    assert sum(asset.category in UNSEEN_CATEGORIES for asset in graspable) >= 4
    assert sum("is_container" in asset.tags for asset in first) >= 5


def test_splits_are_disjoint_and_cover_the_library(library):
    ids = [uuid for split in SPLITS for uuid in library.split(split)]
    assert sorted(ids) == sorted(asset.uuid for asset in library)
    assert set(library.categories("unseen_category")) == UNSEEN_CATEGORIES
    assert set(library.categories("seen")) == set(library.categories("unseen_instance"))
    assert not UNSEEN_CATEGORIES & set(library.categories("seen"))
    assert len(library.in_category("mug", "seen")) == 4
    assert len(library.in_category("mug", "unseen_instance")) == 2
    assert {library.split_of(asset.uuid) for asset in library.in_category("mug", "seen")} == {"seen"}


def test_get_builds_only_what_is_asked_for_and_only_once(library, monkeypatch):
    built = []
    load = Entry.load
    monkeypatch.setattr(Entry, "load", lambda entry: built.append(entry.category) or load(entry))
    fresh = AssetLibrary.generate()
    uuid = library.in_category("apple")[2].uuid
    assert fresh.get(uuid) is fresh.get(uuid)
    assert built == ["apple"]
    assert uuid in fresh


def test_more_instances_leave_the_first_ones_as_they_were(library):
    more = AssetLibrary.generate(instances_per_category=7)
    for name in ("mug", "banana", "stapler"):
        assert more.in_category(name)[:6] == library.in_category(name)


def test_another_seed_gives_other_objects(library):
    other = AssetLibrary.generate(instances_per_category=1, seed=1).in_category("mug")[0]
    assert other.uuid not in library
    assert other.content_hash() not in {mug.content_hash() for mug in library.in_category("mug")}


def test_ids_and_contents_are_unique(library):
    assets = list(library)
    assert len({asset.uuid for asset in assets}) == len(assets)
    assert len({asset.content_hash() for asset in assets}) == len(assets)


def test_snapshot_is_the_same_in_another_process(library):
    code = "from imove_tasks.assets import AssetLibrary; print(AssetLibrary.generate().snapshot_hash())"
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == library.snapshot_hash()


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda library: library.get("nobody"), AssetError, "no asset has the id 'nobody'"),
        (lambda library: library.split_of("nobody"), AssetError, "no asset has the id 'nobody'"),
        (lambda library: library.in_category("sofa"), ImoveError, "unknown category 'sofa'; allowed: .*mug"),
        (lambda library: library.split("train"), ImoveError, "unknown split 'train'; allowed: seen, unseen_c"),
        (lambda library: category("sofa"), ImoveError, "unknown category 'sofa'"),
        (lambda library: AssetLibrary.generate(0), AssetError, "asked for 0 instances"),
        (
            lambda library: AssetLibrary(
                Entry("a", "mug", "seen", f"generated/mug/0/{index}", GeneratedSource()) for index in range(2)
            ),
            AssetError,
            "'mug' at generated/mug/0/1 has the id a, which 'mug' at generated/mug/0/0 has too",
        ),
    ],
)
def test_wrong_requests_are_refused_by_name(library, ask, error, message):
    with pytest.raises(error, match=message):
        ask(library)
