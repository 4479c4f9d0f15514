"""What an import leaves behind: a corpus that opens, an index, splits, a report; and round trips."""

import importlib.util
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.contacts import best_decomposition
from imove_tasks.assets.importing.maps import read_category_map, read_splits
from imove_tasks.assets.library import AssetLibrary, open_library
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.storage import write_asset, write_index

from .importing_helpers import UUID, embodied, index_rows, loose, only, run

IDS = [f"{number:08d}-2222-4333-8444-555555555555" for number in range(6)]


@pytest.fixture
def six(tmp_path):
    """A source with six mugs."""
    for uuid in IDS:
        embodied(tmp_path / "in" / uuid, extra={"uuid": uuid})
    return tmp_path / "in"


def splits_of(corpus):
    return {row["uuid"]: row["split"] for row in index_rows(corpus)}


def test_the_corpus_opens_beside_the_shipped_objects(six, tmp_path):
    run(six, tmp_path / "out")
    library = open_library([tmp_path / "out"])
    assert library.get(IDS[0]).category == "mug"


def test_without_splits_a_third_of_each_category_is_kept_for_tests(six, tmp_path):
    run(six, tmp_path / "out")
    assert sorted(splits_of(tmp_path / "out").values()) == ["seen"] * 4 + ["unseen_instance"] * 2


def test_splits_of_the_release_are_taken(six, tmp_path):
    sheet = tmp_path / "splits.yaml"
    sheet.write_text(
        f"schema_version: 1\nname: bench\nseen:\n- {{uuid: {IDS[0]}, asset_id: mug_1}}\n"
        f"unseen_category: [{IDS[1]}]\nunseen_instance:\n- uuid: {IDS[2]}\n- uuid: {UUID}\n"
    )
    report, _ = run(six, tmp_path / "out", splits=read_splits(sheet))
    found = splits_of(tmp_path / "out")
    assert [found[uuid] for uuid in IDS[:3]] == ["seen", "unseen_category", "unseen_instance"]
    assert report.notes == (f"1 ids of the splits were not imported, such as {UUID}",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema_version: 2\nseen: []", "expected schema_version: 1"),
        ("schema_version: 1\nseen: [a]\nunseen_category: [a]", "each id is allowed once"),
        ("schema_version: 1\nseen: [7]", "expected an id"),
        ("schema_version: 1\ntrain: []", "unknown key 'train'"),
    ],
)
def test_broken_splits_are_refused(tmp_path, text, message):
    (tmp_path / "splits.yaml").write_text(text)
    with pytest.raises(AssetError, match=message):
        read_splits(tmp_path / "splits.yaml")


def test_a_category_map_must_name_categories(tmp_path):
    (tmp_path / "map.yaml").write_text('"cup*": mugg\n')
    with pytest.raises(Exception, match="unknown category in .*'mugg'"):
        read_category_map(tmp_path / "map.yaml")


def test_importing_again_keeps_the_rest_and_changes_nothing(six, tmp_path):
    run(six, tmp_path / "out")
    before = (tmp_path / "out" / "index.jsonl").read_bytes()
    embodied(tmp_path / "more" / "a")
    run(tmp_path / "more", tmp_path / "out")
    assert len(index_rows(tmp_path / "out")) == 7
    shutil.rmtree(tmp_path / "out")
    run(six, tmp_path / "out")
    assert (tmp_path / "out" / "index.jsonl").read_bytes() == before


def test_an_import_that_breaks_off_leaves_a_whole_corpus(six, tmp_path):
    from imove_tasks.assets.importing import ImportSettings, import_folder

    def stop(done: int, total: int) -> None:
        assert total == 6
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_folder(six, tmp_path / "out", ImportSettings(), stop)
    assert list(splits_of(tmp_path / "out")) == IDS[:2]
    assert open_library([tmp_path / "out"]).get(IDS[1]).category == "mug"


def test_the_report_says_what_became_of_each(six, tmp_path):
    shutil.copytree(six / IDS[0], six / "copy")
    report, _ = run(six, tmp_path / "out")
    stored = json.loads((tmp_path / "out" / "import_report.json").read_text())
    assert stored == json.loads(report.model_dump_json())
    assert (report.count("imported"), report.count("repaired"), report.count("refused")) == (0, 6, 1)


CATEGORIES = ("mug", "bowl", "apple", "screwdriver", "stapler", "plate")
RECORD = re.compile(r"<(\w*record\w*)>.*?</\1>", re.DOTALL)


@pytest.fixture(scope="module")
def generated():
    library = AssetLibrary.generate(1)
    return [library.in_category(name)[0] for name in CATEGORIES]


def test_what_imove_wrote_comes_back_bit_for_bit_with_its_split(generated, tmp_path):
    corpus = tmp_path / "in"
    origins = {asset.uuid: write_asset(asset, corpus).relative_to(corpus).as_posix() for asset in generated}
    write_index(corpus, [row_of(asset, "unseen_instance", origins[asset.uuid]) for asset in generated])
    report, assets = run(corpus, tmp_path / "out")
    assert report.count("imported") == len(generated)
    assert {asset.uuid: asset.content_hash() for asset in assets.values()} == {
        asset.uuid: asset.content_hash() for asset in generated
    }
    assert set(splits_of(tmp_path / "out").values()) == {"unseen_instance"}


def test_measured_anew_without_its_record_an_asset_says_the_same_of_itself(generated, tmp_path):
    for asset in generated:
        urdf = write_asset(asset, tmp_path / "in")
        text, count = RECORD.subn("", urdf.read_text())
        assert count == 1
        urdf.write_text(text)
    report, assets = run(tmp_path / "in", tmp_path / "out")
    assert report.count("refused") == 0
    again = {asset.uuid: asset for asset in assets.values()}
    for asset in generated:
        twin = again[asset.uuid]
        assert (twin.name, twin.shape, twin.size_bucket) == (asset.name, asset.shape, asset.size_bucket)
        assert twin.mass_kg == pytest.approx(asset.mass_kg, abs=1e-4)
        assert twin.friction == pytest.approx(asset.friction)
        np.testing.assert_allclose(twin.extents, asset.extents, atol=0.002)
        assert {e.text: e.meaning for e in asset.expressions}.items() <= {
            e.text: e.meaning for e in twin.expressions
        }.items()


def test_a_changed_folder_of_ours_is_measured_anew(generated, tmp_path):
    urdf = write_asset(generated[0], tmp_path / "in")
    (urdf.parent / "mesh" / "material.mtl").touch()
    mesh = next((urdf.parent / "mesh").glob("*.obj"))
    mesh.write_text(mesh.read_text().replace("v 0.0", "v 0.00", 1))
    outcome, asset = only(tmp_path / "in", tmp_path / "out")
    assert asset.uuid == generated[0].uuid
    assert outcome.status == "repaired" or asset.content_hash() == generated[0].content_hash()


def rgb_objects() -> Path | None:
    """Meshes of the RGB-objects benchmark in the dm-robotics-manipulation wheel, where it is installed."""
    spec = importlib.util.find_spec("dm_robotics")
    roots = [] if spec is None else list(spec.submodule_search_locations or ())
    found = [Path(root) / "manipulation/props/rgb_objects/assets/rgb_v1.3/meshes" for root in roots]
    return next((folder for folder in found if folder.is_dir()), None)


@pytest.mark.skipif(rgb_objects() is None, reason="dm-robotics-manipulation is not installed")
def test_third_party_shapes_are_imported(tmp_path):
    meshes = rgb_objects()
    loose(tmp_path / "in", "defaults: {category: mini_sculpture, material: plastic, color: [0.8, 0.1, 0.1]}")
    for group, count in (("test_triplets", 13), ("heldout", 5)):
        for path in sorted((meshes / group).glob("*.stl"))[:count]:
            shutil.copy(path, tmp_path / "in" / path.name)
    report, assets = run(tmp_path / "in", tmp_path / "out")
    assert len(report.outcomes) == len(assets) == 18
    assert report.count("refused") == 0
    assert {asset.name for asset in assets.values()} == {"red plastic mini sculpture"}
    assert sum(bool(asset.grips) for asset in assets.values()) >= 15


@pytest.mark.skipif(best_decomposition() is None, reason="coacd is not installed")
def test_coacd_opens_a_cup_whose_collision_mesh_is_hollow(tmp_path):
    from imove_tasks.assets import primitives as p

    cup = p.revolve([(0.0, -0.045), (0.036, -0.045), (0.036, 0.045), (0.030, 0.045), (0.030, -0.035), (0.0, -0.035)])
    embodied(tmp_path / "in" / "a", body=cup)
    _, mug = only(tmp_path / "in", tmp_path / "out", decompose=best_decomposition())
    assert len(mug.collisions) > 4
    assert mug.region is not None
    assert mug.region.center[2] - mug.box_min[2] == pytest.approx(0.010, abs=0.003)
