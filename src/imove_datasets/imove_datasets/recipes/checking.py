"""Checks a recipe against its trainer: fields that do not exist, types that do not fit, names that cannot be imported.

A recipe is Python for openpi, Python and YAML for GR00T, YAML for Motus, JSON for LeRobot.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from imove_core.errors import ImoveError
from imove_datasets.recipes.manifest import TrainerName, load_manifest
from imove_datasets.recipes.python_checks import python_faults
from imove_datasets.recipes.table_checks import flat_faults, table_faults
from imove_datasets.recipes.values import Made, PythonRecipe, read_python

MOTUS_SETTINGS = "configs/lerobot.yaml"
_PYTHON_TRAINERS: tuple[TrainerName, ...] = ("openpi", "gr00t")


def trainer_of(path: Path) -> TrainerName:
    """Which trainer a recipe is for, by what is in it.

    Raises:
        ImoveError: when it is not readable, or for none.
    """
    return _trainer_of(read_recipe(path), path)


def recipes_in(folder: Path) -> list[Path]:
    """Recipes in the folders of a folder; its other Python files are helpers of theirs.

    Raises:
        ImoveError: when one cannot be read, or there are none.
    """
    files = [path for path in sorted(folder.glob("*/*")) if path.suffix in (".py", ".yaml", ".json")]
    found = [path for path in files if path.suffix != ".py" or _packages(read_recipe(path)) & {*_PYTHON_TRAINERS}]
    if not found:
        raise ImoveError(f"{folder} has no recipes; they are in folders of it, one a policy")
    return found


def recipe_faults(path: Path) -> list[str]:
    """Everything in a recipe that its trainer would not take, a sentence each; empty when all is well.

    Raises:
        ImoveError: when it is not readable, or for no trainer that is known.
    """
    content = read_recipe(path)
    manifest = load_manifest(_trainer_of(content, path))
    if isinstance(content, PythonRecipe):
        faults = python_faults(content, _helpers(path, content), manifest)
    elif manifest.trainer == "gr00t":
        faults = list(table_faults(content, "Config", manifest, {"model": "Gr00tN1d7Config"}))
    elif manifest.trainer == "lerobot":
        faults = list(table_faults(content, "TrainPipelineConfig", manifest, {}))
    else:
        faults = list(flat_faults(flattened(content), manifest.settings[MOTUS_SETTINGS], manifest))
    return [f"{path}: {fault}" for fault in faults]


def settings_of(path: Path) -> dict[str, Any]:
    """What a recipe sets, by dotted name; of a Python file what its capital names are, CONFIG's own without a name.

    Raises:
        ImoveError: when it is not readable.
    """
    content = read_recipe(path)
    if not isinstance(content, PythonRecipe):
        return flattened(content)
    named = {name: value for name, value in content.assigned.items() if name != "CONFIG"}
    return flattened(named) | flattened(content.assigned.get("CONFIG", {}))


def read_recipe(path: Path) -> PythonRecipe | dict[str, Any]:
    """A recipe's content.

    Raises:
        ImoveError: when it cannot be read as what its ending says.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ImoveError(f"{path} cannot be read: {error}") from error
    if path.suffix == ".py":
        return read_python(text, str(path))
    try:
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise ImoveError(f"{path} is not readable {path.suffix[1:].upper()}: {error}") from error
    if not isinstance(content, dict):
        raise ImoveError(f"{path} holds {type(content).__name__}, not a table of settings")
    return content


def flattened(tree: Any, prefix: str = "") -> dict[str, Any]:
    """Values of nested tables and calls by dotted name; a call is also there itself, under its own name."""
    found: dict[str, Any] = {}
    branches: Mapping[str, Any] = tree.named if isinstance(tree, Made) else tree
    for key, value in branches.items():
        if isinstance(value, Made):
            found[f"{prefix}{key}"] = value
        if isinstance(value, Made | dict):
            found |= flattened(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def _trainer_of(content: PythonRecipe | dict[str, Any], path: Path) -> TrainerName:
    if isinstance(content, PythonRecipe):
        for trainer in _PYTHON_TRAINERS:
            if trainer in _packages(content):
                return trainer
    elif path.suffix == ".json":
        return "lerobot"
    elif {"common", "dataset"} <= content.keys():
        return "motus"
    elif {"model", "data", "training"} <= content.keys():
        return "gr00t"
    raise ImoveError(f"{path} is no recipe for openpi, GR00T, Motus or LeRobot")


def _packages(content: PythonRecipe | dict[str, Any]) -> set[str]:
    modules = content.imports.values() if isinstance(content, PythonRecipe) else ()
    return {module.partition(".")[0] for module in modules}


def _helpers(path: Path, recipe: PythonRecipe) -> list[PythonRecipe]:
    # Files of the folder above that a recipe imports: its launcher has put that folder on the path.
    files = {path.parent.parent / f"{module}.py" for module in recipe.imports.values() if module}
    return [read_python(file.read_text(encoding="utf-8"), str(file)) for file in sorted(files) if file.is_file()]
