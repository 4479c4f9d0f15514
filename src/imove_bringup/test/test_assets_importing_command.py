"""`imove assets import`: what a user sees of an import."""

import json

import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_core.errors import ImoveError

BOX = "".join(f"v {x} {y} {z}\n" for x in (0, 0.05) for y in (0, 0.04) for z in (0, 0.03)) + "".join(
    f"f {face}\n"
    for face in (
        "1 2 4",
        "1 4 3",
        "5 7 8",
        "5 8 6",
        "1 5 6",
        "1 6 2",
        "3 4 8",
        "3 8 7",
        "1 3 7",
        "1 7 5",
        "2 6 8",
        "2 8 4",
    )
)


@pytest.fixture
def source(tmp_path):
    """One good eraser, one of no known category."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "import.yaml").write_text("defaults: {color: [0.9, 0.5, 0.6], material: rubber}")
    (folder / "eraser.obj").write_text(BOX)
    (folder / "gizmo.obj").write_text(BOX)
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["assets", "import", *map(str, arguments)])


def test_the_table_names_what_was_imported_and_why_the_rest_was_refused(source, tmp_path):
    result = run(source, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "pink rubber eraser" in result.stdout
    assert "'gizmo'" in result.stdout
    assert f"{tmp_path / 'out'}: 1 imported, 0 repaired, 1 refused" in result.stdout


def test_with_everything_mapped_the_exit_status_is_0_and_json_is_the_stored_report(source, tmp_path):
    (tmp_path / "map.yaml").write_text("gizmo: staples_box\n")
    result = run(source, "--out", tmp_path / "out", "--category", tmp_path / "map.yaml", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told == json.loads((tmp_path / "out" / "import_report.json").read_text())
    assert {outcome["category"] for outcome in told["outcomes"]} == {"eraser", "staples_box"}


def test_imported_objects_are_listed_beside_the_shipped_ones(source, tmp_path):
    run(source, "--out", tmp_path / "out")
    listed = CliRunner().invoke(
        app, ["assets", "list", "--assets", str(tmp_path / "out"), "--category", "eraser", "--json"]
    )
    rows = [row for row in json.loads(listed.stdout) if not row["origin"].startswith("generated/")]
    assert [row["name"] for row in rows] == ["pink rubber eraser"]


def test_the_sheet_is_explained():
    result = run("--explain")
    assert result.exit_code == 0
    assert "import.yaml" in result.stdout


def test_a_source_that_is_not_there_is_one_error(tmp_path):
    result = run(tmp_path / "nothing", "--out", tmp_path / "out")
    assert isinstance(result.exception, ImoveError)
    assert "is no folder" in str(result.exception)
