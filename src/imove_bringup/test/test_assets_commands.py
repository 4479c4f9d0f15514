"""`imove assets`: listing, showing, drawing, building and composing, as a user calls them."""

import json
import sys
from pathlib import Path

import pytest
from PIL import Image

from imove_bringup import cli
from imove_bringup.commands.assets.build import default_corpus
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.snapshots import read_snapshot
from imove_tasks.assets.sources import GeneratedSource
from imove_tasks.assets.storage import read_index, write_asset, write_index

OWN_SEED = 5


@pytest.fixture
def imove(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs `imove assets ...`; gives back exit status, stdout and stderr."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["imove", "assets", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        output = capsys.readouterr()
        return int(ended.value.code or 0), output.out, output.err

    return run


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus folder with one mug of the user's own."""
    folder = tmp_path_factory.mktemp("own")
    mug = GeneratedSource().load(f"generated/mug/{OWN_SEED}/0")
    write_index(folder, [row_of(mug, "unseen_instance", write_asset(mug, folder).relative_to(folder).as_posix())])
    return folder


def test_list_gives_all_that_is_known_as_json(imove, own):
    status, out, _ = imove("list", "--json")
    assert status == 0
    assert json.loads(out) == [row.model_dump(mode="json") for row in AssetLibrary.shipped().rows()]
    _, out, _ = imove("list", "--json", "--assets", own)
    assert len(json.loads(out)) == len(AssetLibrary.shipped()) + 1


def test_list_keeps_what_has_all_that_is_asked_for(imove):
    words = ("--category", "mug", "--category", "bowl", "--color", "red", "--split", "seen", "--tag", "is_graspable")
    _, out, _ = imove("list", "--json", *words)
    expected = [
        row.uuid
        for row in AssetLibrary.shipped().rows("seen")
        if row.category in ("mug", "bowl") and row.color == "red" and "is_graspable" in row.tags
    ]
    assert [row["uuid"] for row in json.loads(out)] == expected != []
    _, out, _ = imove("list", *words)
    assert out.splitlines()[0].split() == ["id", "name", "size", "cm", "g", "split"]
    assert [line.split()[0] for line in out.splitlines()[1:-1]] == [uuid[:8] for uuid in expected]
    assert out.splitlines()[-1].startswith(f"objects: {len(expected)}, categories: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "--category", "sofa"), "unknown category 'sofa'; allowed: "),
        (("list", "--color", "teal"), "unknown color 'teal'; allowed: beige, black"),
        (("list", "--size", "huge"), "unknown size 'huge'; allowed: large, medium, small"),
        (("list", "--split", "train"), "unknown split 'train'; allowed: seen, unseen_category, unseen_instance"),
        (("list", "--tag", "is_soft"), "unknown tag 'is_soft'; allowed: is_container, is_graspable"),
        (("list", "--assets", "/nowhere"), "/nowhere/index.jsonl cannot be read as the index of a corpus"),
        (("show", "sofa"), "unknown asset or category 'sofa'; allowed: "),
        (("show", "mug", "--out", "mug.jpg"), "out is mug.jpg; a file that ends in .png is needed"),
        (("sheet", "--out", "a.png", "--category", "mug", "--material", "food"), "no object has all that was asked fo"),
        (("sheet", "--out", "a.png", "--columns", "0"), "--columns 0 must be a whole number of at least 1"),
        (("build", "--workers", "0"), "--workers 0 must be a whole number of at least 1"),
        (("snapshot", "--out", "a.txt"), "out is a.txt; a file that ends in .jsonl is needed"),
        (("snapshot", "--out", "a.jsonl", "--results", "/nowhere"), "results file /nowhere does not exist"),
        (("snapshot", "--out", "a.jsonl", "--total", "1"), "1 objects cannot be of "),
    ],
)
def test_wrong_words_are_one_line_and_status_2(imove, words, message):
    status, _, err = imove(*words)
    assert status == 2
    assert err.startswith(f"imove: {message}")
    assert err.count("\n") == 1


def test_show_draws_nine_views_and_prints_the_record(imove, own, tmp_path):
    mug = GeneratedSource().load(f"generated/mug/{OWN_SEED}/0")
    picture = tmp_path / "new" / "mug.png"
    status, out, _ = imove("show", mug.uuid[:13], "--assets", own, "--out", picture)
    assert status == 0
    with Image.open(picture) as image:
        assert image.size == (3 * 224, 3 * 224)
        assert len(image.resize((9, 9)).getcolors()) > 9
    for text in (mug.name, mug.uuid, "unseen_instance", mug.expressions[0].text):
        assert text in out
    assert [path.name for path in picture.parent.iterdir()] == ["mug.png"]


def test_beginning_of_many_ids_asks_for_more(imove, tmp_path):
    own = tmp_path / "corpus"
    mug = GeneratedSource().load(f"generated/mug/{OWN_SEED}/0")
    row = row_of(mug, "seen", "a.urdf")
    write_index(own, [row.model_copy(update={"uuid": f"same-{number}", "origin": f"{number}.urdf"}) for number in "12"])
    status, _, err = imove("show", "same", "--assets", own)
    assert (status, err) == (2, "imove: 2 assets have ids that begin with 'same'; give more of the id\n")


def test_sheet_has_a_tile_for_each_object(imove, own, tmp_path):
    words = ("--out", tmp_path / "sheet.png", "--assets", own, "--split", "unseen_instance", "--material", "ceramic")
    status, out, _ = imove("sheet", *words, "--category", "mug", "--columns", 1, "--instances", 2)
    assert status == 0
    assert out.endswith("sheet.png: objects: 2, categories: 1\n")
    with Image.open(tmp_path / "sheet.png") as image:
        assert image.size == (224, 2 * 240)


def test_build_writes_a_corpus_and_keeps_it(imove, tmp_path):
    corpus = tmp_path / "corpus"
    words = ("build", "--out", corpus, "--category", "egg", "--workers", 1)
    status, out, _ = imove(*words)
    count = sum(row.category == "egg" for row in AssetLibrary.shipped().rows())
    assert status == 0
    assert f"{corpus}: {count} objects written and 0 kept in " in out
    assert {row.uuid for row in read_index(corpus)} == {
        row.uuid for row in AssetLibrary.shipped().rows() if row.category == "egg"
    }
    _, out, _ = imove(*words)
    assert f"{corpus}: 0 objects written and {count} kept in " in out


def test_folder_that_cannot_be_written_is_one_line(imove, tmp_path):
    (tmp_path / "file").touch()
    status, _, err = imove("build", "--out", tmp_path / "file" / "corpus")
    assert (status, err.count("\n")) == (2, 1)
    assert "corpus cannot be written: not a directory" in err


def test_corpora_stand_in_the_users_cache_by_themselves(monkeypatch, tmp_path):
    assert default_corpus("a" * 64, {"XDG_CACHE_HOME": "/cache"}) == Path("/cache/imove/assets") / ("a" * 12)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_corpus("a" * 64, {}) == tmp_path / ".cache" / "imove" / "assets" / ("a" * 12)


def test_snapshot_leaves_out_what_failed(imove, tmp_path, monkeypatch):
    monkeypatch.setattr("imove_tasks.assets.composition.BUILDERS", dict.fromkeys(("mug", "egg")))
    mug = GeneratedSource().load("generated/mug/0/1")
    verdict = {"uuid": mug.uuid, "content_hash": mug.content_hash(), "passed": False, "reason": "slips", "trials": 9}
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps(verdict) + "\n")
    out = tmp_path / "mine.jsonl"
    words = ("snapshot", "--out", out, "--results", results, "--total", 4, "--workers", 1)
    status, text, _ = imove(*words)
    made = read_snapshot(out)
    assert status == 0
    assert f"{out}: 4 objects in 2 categories, 1 excluded, snapshot {made.asset_snapshot[:12]}" in text
    assert "4 of them are not in the results" in text
    assert made.name == "mine"
    assert [(item.uuid, item.reason) for item in made.excluded] == [(mug.uuid, "slips")]
    assert [row.origin for row in made.rows if row.category == "mug"] == ["generated/mug/0/0", "generated/mug/0/2"]
    results.write_text("")
    status, _, err = imove(*words)
    assert (status, err) == (2, f"imove: {out} holds another snapshot, and snapshots never change; give a new name\n")
    assert imove(*words, "--force")[0] == 0
    assert read_snapshot(out).excluded == ()
