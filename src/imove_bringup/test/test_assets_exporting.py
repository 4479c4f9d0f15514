"""`imove assets export` from a user's corpus: what is chosen is written, kept the second time, and nothing else is."""

from pathlib import Path

import pytest
import trimesh
from typer.testing import CliRunner

from imove_bringup.commands.assets import app
from imove_bringup.commands.assets.export import FORMATS
from imove_core.errors import ImoveError
from imove_tasks.assets import Asset, Material, primitives, taxonomy
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.exporting import FORMATS as WRITERS
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.storage import read_asset, write_asset, write_index

UUIDS = ("own-1-cube", "own-2-cube")


def cube(uuid: str) -> Asset:
    draft = Draft(mass_kg=0.05)
    mesh = primitives.box(0.02, 0.02, 0.02)
    draft.solid(mesh, Material("rubber", (0.9, 0.1, 0.1, 1.0)))
    draft.body(mesh)
    draft.grip(0.0, 90.0)
    return draft.finish(taxonomy.category("eraser"), uuid)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    assets = [cube(uuid) for uuid in UUIDS]
    write_index(folder, [row_of(a, "seen", str(write_asset(a, folder).relative_to(folder))) for a in assets])
    return folder


def export(*words: str | Path) -> str:
    result = CliRunner().invoke(app, ["export", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def chosen(*uuids: str) -> list[str]:
    return [word for uuid in uuids for word in ("--uuid", uuid)]


def test_chosen_objects_are_exported_once(corpus: Path, tmp_path: Path) -> None:
    words = ("--format", "glb", "--out", tmp_path / "out", "--assets", corpus)
    assert "1 objects exported as glb and 0 kept" in export(*words, *chosen("own-1"))
    assert "1 objects exported as glb and 1 kept" in export(*words, *chosen(*UUIDS), "--workers", "2")
    paths = sorted((tmp_path / "out").rglob("*.glb"))
    assert [path.parent.name for path in paths] == list(UUIDS)
    assert trimesh.load(paths[0]).extents.tolist() == pytest.approx([0.04] * 3)


def test_urdf_exports_are_a_corpus(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export("--format", "urdf", "--out", out, "--assets", corpus, *chosen(*UUIDS), "--workers", "1")
    assert [read_asset(path) for path in sorted(out.rglob("*.urdf"))] == [cube(uuid) for uuid in UUIDS]
    assert (out / "index.jsonl").read_text() == (corpus / "index.jsonl").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one of --category, --uuid and --all"),
        (["--all", "--uuid", UUIDS[0]], "give one of --category, --uuid and --all"),
        (["--category", "spaceship"], "spaceship"),
        (["--uuid", "own-3"], "own-3"),
    ],
)
def test_a_choice_that_cannot_be_met_writes_nothing(corpus: Path, tmp_path: Path, words, message: str) -> None:
    with pytest.raises(ImoveError, match=message):
        export("--format", "mjcf", "--out", tmp_path / "out", "--assets", corpus, *words)
    assert not (tmp_path / "out").exists()


def test_the_command_offers_every_format() -> None:
    assert set(FORMATS) == {"urdf", *WRITERS}
