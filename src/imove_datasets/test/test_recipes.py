"""Every shipped recipe has only fields of its trainer, and wrong ones are found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from imove_core.errors import ImoveError
from imove_datasets.recipes.checking import read_recipe, recipe_faults, settings_of, trainer_of
from imove_datasets.recipes.values import PythonRecipe

RECIPES = Path(__file__).resolve().parents[3] / "recipes"
RIGS = ("piperx_dual", "franka_single")
SHIPPED = sorted(path for path in RECIPES.glob("*/*.*") if path.stem in RIGS)
TRAINER = {
    "pi0": "openpi",
    "pi05": "openpi",
    "gr00t_n17": "gr00t",
    "motus": "motus",
    "pi0_lerobot": "lerobot",
    "pi05_lerobot": "lerobot",
}
# Both rigs have the same fields.
TABLES = [path for path in SHIPPED if path.suffix != ".py" and path.stem == RIGS[0]]
PYTHON = [path for path in SHIPPED if path.suffix == ".py"]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def test_every_policy_has_a_recipe_for_both_rigs() -> None:
    assert {(path.parent.name, path.stem) for path in SHIPPED} == {(folder, rig) for folder in TRAINER for rig in RIGS}
    assert all((RECIPES / folder / "README.md").is_file() for folder in TRAINER)


@pytest.mark.parametrize("path", SHIPPED, ids=name_of)
def test_a_shipped_recipe_is_without_fault(path: Path) -> None:
    assert trainer_of(path) == TRAINER[path.parent.name]
    assert recipe_faults(path) == []


def changed(path: Path, folder: Path, text: str) -> Path:
    """A copy with another text, beside the files that the recipe imports."""
    copy = folder / path.parent.name / path.name
    copy.parent.mkdir(parents=True)
    copy.write_text(text)
    for helper in RECIPES.glob("openpi_*.py"):
        (folder / helper.name).write_text(helper.read_text())
    return copy


def renamed(tree: dict, dotted: str) -> dict:
    key, _, rest = dotted.partition(".")
    return {
        (f"{name}x" if name == key and not rest else name): renamed(value, rest) if name == key and rest else value
        for name, value in tree.items()
    }


def replaced(tree: dict, dotted: str, value: object) -> dict:
    key, _, rest = dotted.partition(".")
    return tree | {key: replaced(tree[key], rest, value) if rest else value}


def written(path: Path, tree: dict) -> str:
    return json.dumps(tree) if path.suffix == ".json" else yaml.safe_dump(tree)


@pytest.mark.parametrize("path", TABLES, ids=name_of)
def test_each_field_of_a_table_is_looked_up_and_has_a_type(path: Path, tmp_path: Path) -> None:
    tree = read_recipe(path)
    assert isinstance(tree, dict)
    settings = settings_of(path)
    # The word that chooses a class is followed by a fault of its own, tested below.
    fields = [name for name in settings if name != "policy.type"]
    assert len(fields) > 20
    for number, dotted in enumerate(fields):
        last = dotted.rpartition(".")[2]
        misspelt = changed(path, tmp_path / f"{number}", written(path, renamed(tree, dotted)))
        assert any(f"{last}x" in fault for fault in recipe_faults(misspelt)), dotted
        if settings[dotted] is not None and dotted not in ("dataset.max_episodes", "dataset.task_name"):
            wrong = changed(path, tmp_path / f"{number}t", written(path, replaced(tree, dotted, {"a": [1]})))
            assert any(last in fault for fault in recipe_faults(wrong)), dotted


def keywords(path: Path) -> list[str]:
    return sorted(set(re.findall(r"[(\s](\w+)=", path.read_text())) - {"_"})


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_each_keyword_of_a_python_recipe_is_looked_up(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    for word in keywords(path):
        misspelt = changed(path, tmp_path / word, re.sub(rf"([(\s]){word}=", rf"\g<1>{word}x=", text))
        assert any(f"no field '{word}x'" in fault for fault in recipe_faults(misspelt)), word


@pytest.mark.parametrize(
    ("recipe", "old", "new", "fault"),
    [
        (
            "pi0/piperx_dual.py",
            "num_train_steps=5_000",
            'num_train_steps="many"',
            "TrainConfig.num_train_steps is 'many'",
        ),
        ("pi0/piperx_dual.py", '"gemma_2b_lora"', '"gemma_9b"', "paligemma_variant is 'gemma_9b'"),
        ("pi0/piperx_dual.py", "ema_decay=None", "ema_decay=True", "TrainConfig.ema_decay is True"),
        ("pi0/piperx_dual.py", "optimizer=AdamW(", "optimizer=CosineDecaySchedule(", "no field 'clip_gradient_norm'"),
        ("pi0/piperx_dual.py", "optimizer=AdamW(clip_gradient_norm=1.0)", "optimizer=DataConfig()", "is Made("),
        ("pi0/piperx_dual.py", "AdamW, Cos", "Lion, Cos", "imports Lion from openpi.training.optimizer"),
        ("pi0/piperx_dual.py", "openpi.models.pi0_config", "openpi.models.pi0", "does not describe"),
        ("pi0/piperx_dual.py", '("gs://openpi-assets/checkpoints/pi0_base/params")', "()", "needs params_path"),
        ("pi0/piperx_dual.py", 'params")', 'params", 1)', "takes 1 values, 2 are given"),
        ("pi05/franka_single.py", 'repo_id="', 'repo="', "FrankaDataConfig has no field 'repo'"),
        ("gr00t_n17/piperx_dual.py", "ActionType.NON_EEF", "ActionType.JOINT", "ActionType has no member JOINT"),
        ("gr00t_n17/piperx_dual.py", "list(range(30))", "30", "ModalityConfig.delta_indices is 30"),
        ("gr00t_n17/piperx_dual.yaml", "bf16: true", "bf16: 16", "training.bf16 is 16; its type is bool"),
        ("gr00t_n17/piperx_dual.yaml", "tune_vlln", "tune_vln", "'tune_vlln' is near"),
        ("motus/piperx_dual.yaml", "  warmup_steps: 200\n", "", "training.warmup_steps is missing"),
        ("motus/piperx_dual.yaml", "batch_size: 8", 'batch_size: "8"', "training.batch_size is '8'"),
        ("pi0_lerobot/piperx_dual.json", '"type": "pi0"', '"type": "pi9"', "policy.type is 'pi9'"),
        ("pi0_lerobot/piperx_dual.json", '"steps": 5000', '"steps": 0.5', "steps is 0.5; its type is int"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, recipe: str, old: str, new: str, fault: str) -> None:
    path = RECIPES / recipe
    text = path.read_text()
    assert old in text
    assert any(fault in found for found in recipe_faults(changed(path, tmp_path / "copy", text.replace(old, new))))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("recipe.py", "import (", "line 1 is not Python"),
        ("recipe.py", "import os\n", "is no recipe"),
        ("recipe.yaml", "a: b\n", "is no recipe"),
        ("recipe.yaml", "a: [\n", "not readable YAML"),
        ("recipe.json", "{", "not readable JSON"),
        ("recipe.json", "[1]", "holds list"),
    ],
)
def test_what_is_no_recipe_is_refused(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ImoveError, match=words):
        recipe_faults(tmp_path / name)


def test_a_recipe_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImoveError, match="gone.json cannot be read"):
        recipe_faults(tmp_path / "gone.json")


def test_python_recipes_are_read_without_running_them(tmp_path: Path) -> None:
    (tmp_path / "recipe.py").write_text("from openpi.training.config import TrainConfig\nraise SystemExit\n")
    assert isinstance(read_recipe(tmp_path / "recipe.py"), PythonRecipe)
