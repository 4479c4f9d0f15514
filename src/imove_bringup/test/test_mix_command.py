from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_core.errors import ImoveError


def write_set(folder: Path, lengths: list[int]) -> Path:
    meta = folder / "meta"
    meta.mkdir(parents=True)
    (meta / "info.json").write_text(json.dumps({"codebase_version": "v2.1", "total_episodes": len(lengths)}))
    rows = [{"episode_index": n, "tasks": ["grasp the mug"], "length": length} for n, length in enumerate(lengths)]
    (meta / "episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def run(*words: str | Path):
    return CliRunner().invoke(app, ["mix", *map(str, words)])


def test_the_command_mixes_nine_to_one(tmp_path: Path) -> None:
    sim, real = write_set(tmp_path / "sim", [20] * 4), write_set(tmp_path / "real", [15] * 2)
    result = run(sim, real, "--out", tmp_path / "plan.json", "--json")
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "plan.json").read_text())
    assert [source["draws"] for source in record["sources"]] == [270, 30]
    assert json.loads(result.output.splitlines()[-1])["draws"] == 300
    assert [record["draws"]["source"].count(source) for source in (0, 1)] == [270, 30]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [(("--ratio", "9:1:1"), "3 parts for 2"), (("--ratio", "nine"), "no ratio"), (("--by", "tasks"), "unknown unit")],
)
def test_wrong_words_are_refused(tmp_path: Path, words: tuple[str, str], sentence: str) -> None:
    sim, real = write_set(tmp_path / "sim", [20]), write_set(tmp_path / "real", [15])
    result = run(sim, real, "--out", tmp_path / "plan.json", *words)
    assert isinstance(result.exception, ImoveError)
    assert sentence in str(result.exception)
    assert not (tmp_path / "plan.json").exists()
