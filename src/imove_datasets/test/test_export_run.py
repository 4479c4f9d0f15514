"""An export as a whole: the same bytes whatever the number of workers, progress, and its command."""

import hashlib
import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_datasets.export import export_dataset
from imove_datasets.settings import export_settings

from .episode_bags import Episode, write_bag
from .layout_readers import read_dataset


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def bags(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bags")
    for number in range(3):
        write_bag(folder, Episode(steps=6 + number, seed=number, name=f"episode_{number:06d}"))
    return folder


@pytest.mark.parametrize("name", ["lerobot-v3", "motus"])
def test_the_same_bytes_with_one_worker_or_two(bags, tmp_path, name) -> None:
    told = []
    settings = export_settings(name)
    export_dataset([bags], tmp_path / "one", settings, 1, lambda done, total: told.append((done, total)))
    export_dataset([bags], tmp_path / "two", settings, 2)
    assert digest(tmp_path / "one") == digest(tmp_path / "two")
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_an_error_of_a_worker_reaches_the_user(bags, tmp_path) -> None:
    write_bag(tmp_path / "bad", Episode(steps=4, change=lambda sent: [i for i in sent if i[1] != "/left/joint_target"]))
    with pytest.raises(Exception, match="has no message on /left/joint_target"):
        export_dataset([bags, tmp_path / "bad"], tmp_path / "out", export_settings("gr00t"), 2)
    assert [path.name for path in tmp_path.iterdir()] == ["bad"]


def test_the_command_writes_and_reports(bags, tmp_path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["export", str(bags), "--to", "gr00t", "--out", str(out), "--size", "native"])
    assert done.exit_code == 0, done.output
    assert "3 of 3 episodes, 21 frames at 30 Hz, 3 texts, gr00t" in done.stdout
    assert "dropped 3 frames: no later target on /left/joint_target" in done.stdout
    assert len(read_dataset(out)) == 3


def test_the_command_reports_in_json(bags, tmp_path) -> None:
    words = ["export", str(bags), "--to", "openpi", "--out", str(tmp_path / "out"), "--json", "--trim-idle"]
    done = CliRunner().invoke(app, words)
    assert json.loads(done.stdout) == json.loads((tmp_path / "out/meta/imove.json").read_text())
    assert str(tmp_path) not in done.stdout


def test_the_command_refuses_a_size_in_words(bags, tmp_path) -> None:
    words = ["export", str(bags), "--to", "openpi", "--out", str(tmp_path / "out"), "--size", "large"]
    assert "--size is 'large'" in str(CliRunner().invoke(app, words).exception)


def test_pictures_of_the_readers_are_pictures(bags, tmp_path) -> None:
    export_dataset([bags], tmp_path / "out", export_settings("lerobot-v2.1"))
    shown = read_dataset(tmp_path / "out")[0]["observation.images.static_camera"][0]
    # 4:3 in a square: black above and below.
    assert shown[:24].max() < 16 and shown[-24:].max() < 16
    assert Image.fromarray(shown[28:-28]).convert("L").getextrema()[1] > 100
