from __future__ import annotations

import json
import shutil
from pathlib import Path

from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_core.errors import ImoveError

RECIPES = Path(__file__).resolve().parents[3] / "recipes"


def run(*words: str | Path):
    return CliRunner().invoke(app, ["recipes", "check", *map(str, words)])


def test_the_shipped_recipes_pass() -> None:
    result = run(RECIPES, "--json")
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert {row["trainer"] for row in rows} == {"openpi", "gr00t", "motus", "lerobot"}
    assert all(row["faults"] == [] and len(row["commit"]) == 40 for row in rows)


def test_a_faulty_recipe_is_told_and_fails(tmp_path: Path) -> None:
    shutil.copytree(RECIPES / "motus", tmp_path / "motus")
    recipe = tmp_path / "motus" / "piperx_dual.yaml"
    recipe.write_text(recipe.read_text().replace("warmup_steps", "warm_up_steps"))
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "motus has no field 'training.warm_up_steps'; 'training.warmup_steps' is near" in result.output


def test_a_folder_without_recipes_is_refused(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert isinstance(result.exception, ImoveError)
    assert "has no recipes" in str(result.exception)
