"""Writes what a trainer's sources say about its configuration: names, types and defaults of fields.

The recipes in recipes/ are checked against these manifests, so that a field that a trainer does not have, or of another
type, is found without installing it. Nothing of the sources is imported or run. For a new version of a trainer:

    git clone TRAINER CHECKOUT
    ./imove shell python tools/trainer_manifest.py openpi CHECKOUT --commit "$(git -C CHECKOUT rev-parse HEAD)"
    ./imove recipes check

Trainers: openpi, gr00t, motus, lerobot.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

MANIFESTS = Path(__file__).resolve().parents[1] / "src/imove_datasets/imove_datasets/recipes/manifests"
SCHEMA = 1


@dataclass(frozen=True)
class Trainer:
    """What to read of a trainer.

    Attributes:
        repository: Owner and name.
        root: Folder that its packages are in.
        modules: By module, the classes and functions to describe; names alone are listed for all of them.
        settings: YAML files whose keys and values are its configuration.
        calls: By file, functions whose literal arguments no configuration reaches.
    """

    repository: str
    root: str
    modules: Mapping[str, tuple[str, ...]]
    settings: tuple[str, ...] = ()
    calls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


TRAINERS = {
    "openpi": Trainer(
        "Physical-Intelligence/openpi",
        "src",
        {
            "openpi.training.config": (
                "AssetsConfig",
                "DataConfig",
                "DataConfigFactory",
                "LeRobotAlohaDataConfig",
                "ModelTransformFactory",
                "TrainConfig",
                "get_config",
            ),
            "openpi.training.optimizer": (
                "AdamW",
                "CosineDecaySchedule",
                "LRScheduleConfig",
                "OptimizerConfig",
            ),
            "openpi.training.weight_loaders": ("CheckpointWeightLoader", "WeightLoader"),
            "openpi.models.model": ("BaseModelConfig", "ModelType"),
            "openpi.models.gemma": ("Variant",),
            "openpi.models.pi0_config": ("Pi0Config",),
            "openpi.transforms": (
                "AbsoluteActions",
                "DataTransformFn",
                "DeltaActions",
                "Group",
                "RepackTransform",
                "make_bool_mask",
            ),
            "openpi.shared.nnx_utils": ("PathRegex",),
        },
    ),
    "gr00t": Trainer(
        "NVIDIA/Isaac-GR00T",
        ".",
        {
            "gr00t.configs.base_config": ("Config", "get_default_config"),
            "gr00t.configs.finetune_config": ("FinetuneConfig",),
            "gr00t.configs.training.training_config": ("TrainingConfig",),
            "gr00t.configs.data.data_config": ("DataConfig", "SingleDatasetConfig"),
            "gr00t.configs.data.embodiment_configs": ("register_modality_config",),
            "gr00t.configs.model.gr00t_n1d7": ("Gr00tN1d7Config",),
            "gr00t.data.types": (
                "ActionConfig",
                "ActionFormat",
                "ActionRepresentation",
                "ActionType",
                "ModalityConfig",
            ),
            "gr00t.data.embodiment_tags": ("EmbodimentTag",),
            "gr00t.experiment.experiment": ("run",),
        },
    ),
    "motus": Trainer(
        "thu-ml/Motus",
        ".",
        {"data.lerobot.lerobot_dataset": ("LeRobotMotusDataset",)},
        settings=("configs/lerobot.yaml",),
        calls={"train/train.py": ("torch.optim.AdamW",)},
    ),
    "lerobot": Trainer(
        "huggingface/lerobot",
        "src",
        {
            "lerobot.configs.train": ("TrainPipelineConfig",),
            "lerobot.configs.default": ("DatasetConfig", "EvalConfig", "PeftConfig", "WandBConfig"),
            "lerobot.configs.policies": ("PreTrainedConfig",),
            "lerobot.policies.pi0.configuration_pi0": ("PI0Config",),
            "lerobot.policies.pi05.configuration_pi05": ("PI05Config",),
        },
    ),
}


def describe(trainer: Trainer, checkout: Path, commit: str) -> dict[str, Any]:
    """Returns the manifest of a checkout.

    Raises:
        OSError: a file of the trainer is missing.
        KeyError: a class or function of the trainer is missing.
    """
    read: dict[str, bytes] = {}

    def source(path: str) -> str:
        read[path] = (checkout / path).read_bytes()
        return read[path].decode("utf-8")

    modules = {}
    for module, wanted in trainer.modules.items():
        path = Path(trainer.root, *module.split(".")).with_suffix(".py").as_posix()
        modules[module] = describe_module(ast.parse(source(path)), wanted)
    manifest = {
        "schema": SCHEMA,
        "repository": trainer.repository,
        "commit": commit,
        "modules": modules,
        "settings": {path: dict(leaves(yaml.safe_load(source(path)))) for path in trainer.settings},
        "calls": {path: dict(literal_calls(ast.parse(source(path)), wanted)) for path, wanted in trainer.calls.items()},
    }
    return manifest | {"sha256": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(read.items())}}


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields dotted keys of settings with the types of their values, and the values that are no texts."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        elif isinstance(value, str) and re.fullmatch(r"\d+e-?\d+", value):
            # YAML 1.1 takes 1e-5 for a text; the trainers' own reader does not.
            yield f"{prefix}{key}", {"type": "float", "default": float(value)}
        elif isinstance(value, str) or value is None:
            yield f"{prefix}{key}", {"type": "str" if value else "Any"}
        else:
            yield f"{prefix}{key}", {"type": type(value).__name__, "default": value}


def describe_module(tree: ast.Module, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Returns the names of a module and what the wanted ones are."""
    nodes: dict[str, ast.stmt] = {}
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                nodes[name] = node
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                nodes[name] = node
    return {"names": sorted(nodes), "members": {name: describe_member(nodes[name]) for name in wanted}}


def describe_member(node: ast.stmt) -> dict[str, Any]:
    """Returns what a class, a function or an alias of a type is."""
    match node:
        case ast.ClassDef():
            return describe_class(node)
        case ast.FunctionDef():
            return {"kind": "function", "fields": list(parameters(node))}
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return {"kind": "alias", "of": ast.unparse(value)}
    raise TypeError(f"line {node.lineno} is neither a class, a function nor an alias")


def describe_class(node: ast.ClassDef) -> dict[str, Any]:
    """Returns bases, kind and fields of a class; the fields of a class that is no dataclass are those of its maker."""
    bases = [ast.unparse(base) for base in node.bases]
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    found: dict[str, Any] = {"bases": bases}
    if any(base.split(".")[-1] in ("Enum", "StrEnum", "IntEnum") for base in bases):
        assigned = [item for item in node.body if isinstance(item, ast.Assign)]
        return {"kind": "enum", **found, "members": {ast.unparse(n.targets[0]): literal(n.value) for n in assigned}}
    for text in decorators:
        if ".register_subclass(" in text:
            found["choice"] = ast.literal_eval(text.partition("(")[2].rstrip(")"))
    if any(text.split("(")[0].split(".")[-1] == "dataclass" for text in decorators):
        return {"kind": "dataclass", **found, "fields": list(dataclass_fields(node))}
    makers = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
    return {"kind": "class", **found, "fields": [field for maker in makers for field in parameters(maker)]}


def dataclass_fields(node: ast.ClassDef) -> Iterator[dict[str, Any]]:
    """Yields the fields that a dataclass takes."""
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            text = ast.unparse(item.annotation)
            if "ClassVar" not in text and not (item.value and "init=False" in ast.unparse(item.value)):
                yield described(item.target.id, text, item.value)


def parameters(node: ast.FunctionDef) -> Iterator[dict[str, Any]]:
    """Yields what a function takes; `*` stands before names of parameters that take any number of values."""
    positional = [*node.args.posonlyargs, *node.args.args]
    defaults = [None] * (len(positional) - len(node.args.defaults)) + list(node.args.defaults)
    pairs = list(zip(positional, defaults, strict=True))
    pairs += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    for argument, default in pairs:
        if argument.arg not in ("self", "cls"):
            yield described(argument.arg, ast.unparse(argument.annotation) if argument.annotation else "Any", default)
    if node.args.vararg:
        text = ast.unparse(node.args.vararg.annotation) if node.args.vararg.annotation else "Any"
        yield {"name": f"*{node.args.vararg.arg}", "type": text, "required": False}


def described(name: str, text: str, default: ast.expr | None) -> dict[str, Any]:
    """Returns a field as the manifest has it."""
    if default is None:
        return {"name": name, "type": text, "required": True}
    try:
        return {"name": name, "type": text, "required": False, "default": ast.literal_eval(default)}
    except ValueError:
        return {"name": name, "type": text, "required": False, "default_expression": ast.unparse(default)}


def literal(value: ast.expr) -> Any:
    """Returns a literal value, or the text of any other expression."""
    try:
        return ast.literal_eval(value)
    except ValueError:
        return ast.unparse(value)


def literal_calls(tree: ast.Module, wanted: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the literal keyword arguments of calls of the wanted functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in wanted:
            constants = [
                item for item in node.keywords if not any(isinstance(n, ast.Name) for n in ast.walk(item.value))
            ]
            yield ast.unparse(node.func), {str(item.arg): literal(item.value) for item in constants}


def main() -> None:
    """Writes one manifest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trainer", choices=sorted(TRAINERS))
    parser.add_argument("checkout", type=Path, help="Root of the trainer's sources.")
    parser.add_argument("--commit", required=True, help="Commit of these sources.")
    parser.add_argument("--version", default="", help="Version that the trainer gives this commit, if any.")
    words = parser.parse_args()
    manifest = describe(TRAINERS[words.trainer], words.checkout, words.commit) | {"version": words.version}
    MANIFESTS.mkdir(parents=True, exist_ok=True)
    path = MANIFESTS / f"{words.trainer}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(partial, path)
    print(f"{path}: {len(manifest['sha256'])} files of {manifest['repository']} at {words.commit[:8]}")


if __name__ == "__main__":
    main()
