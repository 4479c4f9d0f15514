"""The library: rows and contents, splits, laziness, sources, corpus folders, determinism."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN
from imove_core.rig import load_rig
from imove_tasks.assets import SPLITS, AssetError, AssetLibrary
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.composition import TOTAL, instances_by_category
from imove_tasks.assets.library import Entry, folders_from, open_library
from imove_tasks.assets.rows import Row, row_of
from imove_tasks.assets.snapshots import Snapshot, shipped_snapshot
from imove_tasks.assets.sources import FolderSource, GeneratedOrigin, GeneratedSource
from imove_tasks.assets.storage import write_asset, write_index
from imove_tasks.assets.taxonomy import CATEGORIES, UNSEEN_CATEGORIES, category
from imove_tasks.drawing import SceneDrawer
from imove_tasks.families.model import Turn
from imove_tasks.registry import get_family

OWN_SEED = 5
FEW = ("mug", "banana", "stapler")
SEVEN = ("mug", "bowl", "apple", "egg", "lemon", "banana", "stapler", "sponge")


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two mugs of the user's own."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = []
    for index in range(2):
        asset = GeneratedSource().load(f"generated/mug/{OWN_SEED}/{index}")
        rows.append(row_of(asset, "seen", write_asset(asset, folder).relative_to(folder).as_posix()))
    write_index(folder, rows)
    return folder


def snapshot_of(library: AssetLibrary, categories: tuple[str, ...]) -> Snapshot:
    """The rows of the first two instances of a few categories."""
    return Snapshot("few", tuple(library.row(a.uuid) for name in categories for a in library.in_category(name)[:2]))


def test_fresh_library_has_six_of_everything(library):
    assert len(library) == 6 * len(BUILDERS)
    assert {entry.category for entry in library.entries} == set(library.categories()) == set(BUILDERS)


def test_builders_are_of_the_taxonomy_and_of_all_its_domains():
    assert set(BUILDERS) <= set(CATEGORIES)
    assert {CATEGORIES[name].domain for name in BUILDERS} == {c.domain for c in CATEGORIES.values()}


def test_shipped_library_has_as_many_objects_as_the_benchmark():
    shipped = AssetLibrary.shipped()
    counts = {name: sum(row.category == name for row in shipped.rows()) for name in CATEGORIES}
    assert len(shipped) == TOTAL == 1757
    assert counts == instances_by_category(tuple(CATEGORIES))
    assert shipped_snapshot().name == "imove-1"


def test_shipped_objects_are_what_is_built_today():
    shipped = AssetLibrary.shipped()
    for row in shipped.rows()[:: TOTAL // 12]:
        assert row_of(shipped.get(row.uuid), row.split, row.origin) == row


def test_there_are_enough_graspable_categories_and_destinations():
    rows = AssetLibrary.shipped().rows()
    graspable = {row.category for row in rows if "is_graspable" in row.tags}
    assert len(graspable - UNSEEN_CATEGORIES) >= 24
    assert len(graspable & UNSEEN_CATEGORIES) >= 4
    assert len({row.category for row in rows if "is_container" in row.tags}) >= 5


@pytest.mark.parametrize("open_", [AssetLibrary.generate, AssetLibrary.shipped])
def test_splits_are_disjoint_and_cover_the_library(open_):
    opened = open_()
    ids = [uuid for split in SPLITS for uuid in opened.split(split)]
    assert sorted(ids) == sorted(entry.uuid for entry in opened.entries)
    assert set(opened.categories("unseen_category")) == UNSEEN_CATEGORIES & set(opened.categories())
    assert set(opened.categories("seen")) == set(opened.categories("unseen_instance"))
    assert not UNSEEN_CATEGORIES & set(opened.categories("seen"))
    for name in opened.categories("seen"):
        splits = [opened.split_of(entry.uuid) for entry in opened.entries if entry.category == name]
        assert splits.count("seen") == -(-2 * len(splits) // 3)


def test_in_category_gives_instances_of_a_split(library):
    assert [library.split_of(mug.uuid) for mug in library.in_category("mug")] == ["seen"] * 4 + ["unseen_instance"] * 2
    assert len(library.in_category("mug", "seen")) == 4


def test_get_builds_only_what_is_asked_for_and_only_once(library, monkeypatch):
    uuid = GeneratedOrigin("apple", 0, 2).uuid
    row, loaded, load = library.row(uuid), [], GeneratedSource.load
    monkeypatch.setattr(GeneratedSource, "load", lambda source, text: loaded.append(text) or load(source, text))
    fresh = AssetLibrary.generate()
    assert uuid in fresh
    assert fresh.get(uuid) is fresh.get(uuid)
    assert fresh.row(uuid) == row
    assert loaded == ["generated/apple/0/2"]


def test_stored_rows_are_looked_at_without_building(library, monkeypatch):
    snapshot = snapshot_of(library, FEW)
    monkeypatch.setattr(GeneratedSource, "load", lambda source, text: pytest.fail(f"{text} is built"))
    opened = AssetLibrary.of_snapshot(snapshot, GeneratedSource())
    assert opened.rows() == snapshot.rows
    assert opened.row(snapshot.rows[0].uuid) == snapshot.rows[0]
    assert opened.snapshot_hash() == snapshot.asset_snapshot
    assert {opened.row(uuid).split for uuid in opened.split("seen")} == {"seen"}
    assert set(opened.categories()) == set(FEW)


def test_drawing_a_scene_builds_the_objects_of_the_scene_alone(library, monkeypatch):
    names = (*SEVEN, "pliers", "comb", "notebook")
    opened = AssetLibrary.of_snapshot(snapshot_of(library, names), GeneratedSource())
    loaded = []
    load = GeneratedSource.load
    monkeypatch.setattr(GeneratedSource, "load", lambda source, text: loaded.append(text) or load(source, text))
    drawer = SceneDrawer(
        get_family("pick_category"), "seen", load_rig("piperx_dual"), opened, lambda layout: "", lambda *drawn: PLAIN
    )
    scene, _ = drawer.draw(Turn(split="seen", seed=0, index=0, attempt=0))
    assert len(loaded) == len(scene.objects) == 6


def test_snapshot_hash_says_what_there_is_and_not_where_it_comes_from(library):
    few = [library.row(asset.uuid) for asset in library.in_category("mug")]
    moved = [row.model_copy(update={"origin": f"somewhere/{index}.urdf"}) for index, row in enumerate(few)]
    resplit = [few[0].model_copy(update={"split": "unseen_instance"}), *few[1:]]

    def digest(rows: list[Row]) -> str:
        return AssetLibrary(Entry.of_row(row, GeneratedSource()) for row in rows).snapshot_hash()

    assert digest(few) == digest(few[::-1]) == digest(moved)
    assert len({digest(few), digest(few[1:]), digest(resplit)}) == 3


def test_object_that_differs_from_its_row_is_refused_by_name(library):
    mug, other = (library.row(asset.uuid) for asset in library.in_category("mug")[:2])
    changed = mug.model_copy(update={"content_hash": "0" * 64})
    swapped = mug.model_copy(update={"origin": other.origin})
    for row in (changed, swapped):
        opened = AssetLibrary([Entry.of_row(row, GeneratedSource())])
        with pytest.raises(AssetError, match=f"{mug.name!r} .{mug.uuid}. of {row.origin} differs from the snapshot"):
            opened.get(mug.uuid)


def test_corpus_folders_stand_beside_the_shipped_objects(corpus):
    opened, shipped = open_library([corpus]), AssetLibrary.shipped()
    own = GeneratedOrigin("mug", OWN_SEED, 1)
    assert len(opened) == len(shipped) + 2
    assert opened.get(own.uuid) == GeneratedSource().load(own.text)
    assert set(shipped.split("seen")) < set(opened.split("seen"))
    assert opened.snapshot_hash() != shipped.snapshot_hash() == open_library().snapshot_hash()


def test_object_that_two_folders_hold_is_refused_by_name(corpus):
    with pytest.raises(AssetError, match=r"mug' at .*mug\.urdf of .* has the id .*, which '.*mug' at .* has too"):
        open_library([corpus, corpus])


def test_changed_file_of_a_corpus_is_refused(corpus, tmp_path):
    row = AssetLibrary.generate(1).row(GeneratedOrigin("mug", 0, 0).uuid)
    asset = GeneratedSource().load(f"generated/mug/{OWN_SEED}/0")
    urdf = write_asset(asset, tmp_path).relative_to(tmp_path).as_posix()
    write_index(tmp_path, [row.model_copy(update={"uuid": asset.uuid, "origin": urdf})])
    with pytest.raises(AssetError, match="differs from the snapshot"):
        open_library([tmp_path]).get(asset.uuid)


def test_origin_that_leaves_its_corpus_is_refused(corpus, tmp_path):
    (tmp_path / "corpus").mkdir()
    for origin in ("../secret.urdf", str(corpus / "index.jsonl")):
        with pytest.raises(AssetError, match="leaves the corpus"):
            FolderSource(tmp_path / "corpus").load(origin)


def test_more_instances_leave_the_first_ones_as_they_were(library):
    more = AssetLibrary.generate(instances_per_category=7)
    for name in FEW:
        assert more.in_category(name)[:6] == library.in_category(name)


def test_another_seed_gives_other_objects(library):
    other = AssetLibrary.generate(instances_per_category=1, seed=1).in_category("mug")[0]
    assert other.uuid not in library
    assert other.content_hash() not in {mug.content_hash() for mug in library.in_category("mug")}


def test_objects_are_the_same_in_another_process(library):
    few = [GeneratedOrigin(name, 0, 1) for name in SEVEN]
    code = (
        "from imove_tasks.assets.sources import GeneratedSource\n"
        f"for text in {[origin.text for origin in few]}: print(GeneratedSource().load(text).content_hash())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [library.get(origin.uuid).content_hash() for origin in few]


def test_origin_of_generated_objects_is_text_and_back():
    origin = GeneratedOrigin("mug", 3, 12)
    assert origin.text == "generated/mug/3/12"
    assert GeneratedOrigin.parse(origin.text) == origin


@pytest.mark.parametrize(
    "text", ["mug/0/1", "generated/mug/0", "generated/mug/0/1/2", "generated/mug/0/-1", "generated/mug/0/one", ""]
)
def test_origin_of_another_form_is_refused(text):
    with pytest.raises(AssetError, match="must have the form generated/<category>/<seed>/<index>"):
        GeneratedSource().load(text)


def test_category_that_nothing_builds_is_refused():
    with pytest.raises(AssetError, match="nothing builds the category 'sofa'"):
        GeneratedSource().load("generated/sofa/0/0")


def test_folders_are_separated_by_commas():
    assert folders_from("") == ()
    assert folders_from("/a,b/c") == (Path("/a"), Path("b/c"))


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda library: library.get("nobody"), AssetError, "no asset has the id 'nobody'"),
        (lambda library: library.row("nobody"), AssetError, "no asset has the id 'nobody'"),
        (lambda library: library.split_of("nobody"), AssetError, "no asset has the id 'nobody'"),
        (lambda library: library.in_category("sofa"), ImoveError, "unknown category 'sofa'; allowed: .*mug"),
        (lambda library: library.split("train"), ImoveError, "unknown split 'train'; allowed: seen, unseen_c"),
        (lambda library: library.rows("train"), ImoveError, "unknown split 'train'; allowed: seen, unseen_c"),
        (lambda library: category("sofa"), ImoveError, "unknown category 'sofa'"),
        (lambda library: AssetLibrary.generate(0), AssetError, "asked for 0 instances"),
        (lambda library: open_library([Path("/nowhere")]), AssetError, "/nowhere/index.jsonl cannot be read"),
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
