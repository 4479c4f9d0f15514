"""tools/trainer_manifest.py reads sources right, and types are judged right."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from imove_core.errors import ImoveError
from imove_datasets.recipes.fitting import fits
from imove_datasets.recipes.manifest import TRAINERS, load_manifest
from imove_datasets.recipes.values import Made, Named

TOOL = Path(__file__).resolve().parents[3] / "tools" / "trainer_manifest.py"
SOURCE = """
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Literal

Size = Literal["small", "large"]

class Colour(Enum):
    RED = "red"
    BLUE = 2

@dataclass
class Base:
    steps: int
    rate: float = 1e-3

@Base.register_subclass("small")
@dataclass(frozen=True)
class Child(Base):
    names: list[str] = field(default_factory=list)
    hidden: int = field(init=False, default=3)
    shared: ClassVar[int] = 4
    pair: tuple[int, int] = (1, 2)

class Plain:
    def __init__(self, root: str, *, size=None):
        pass

def mask(*dims: int) -> None: ...
def other() -> None: ...
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trainer_manifest", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_checkout_is_described_without_running_it(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "conf.py").write_text(SOURCE + "\nraise SystemExit('was run')\n")
    (tmp_path / "conf.yaml").write_text("a: {b: 1, c: 1e-5, d: text, e: null, f: true}\n")
    (tmp_path / "train.py").write_text("optimizer = torch.optim.AdamW(p, lr=rate, betas=(0.9, 0.95))\n")
    names = ("Size", "Colour", "Base", "Child", "Plain", "mask")
    trainer = tool.Trainer("o/n", "src", {"pkg.conf": names}, ("conf.yaml",), {"train.py": ("torch.optim.AdamW",)})
    found = tool.describe(trainer, tmp_path, "0" * 40)
    module = found["modules"]["pkg.conf"]
    assert module["names"] == sorted([*names, "other"])
    members = module["members"]
    assert members["Size"] == {"kind": "alias", "of": "Literal['small', 'large']"}
    assert members["Colour"] == {"kind": "enum", "bases": ["Enum"], "members": {"RED": "red", "BLUE": 2}}
    assert members["Base"]["fields"] == [
        {"name": "steps", "type": "int", "required": True},
        {"name": "rate", "type": "float", "required": False, "default": 1e-3},
    ]
    assert (members["Child"]["bases"], members["Child"]["choice"]) == (["Base"], "small")
    assert [item["name"] for item in members["Child"]["fields"]] == ["names", "pair"]
    assert [item["name"] for item in members["Plain"]["fields"]] == ["root", "size"]
    assert [item["name"] for item in members["mask"]["fields"]] == ["*dims"]
    assert {key: leaf["type"] for key, leaf in found["settings"]["conf.yaml"].items()} == {
        "a.b": "int",
        "a.c": "float",
        "a.d": "str",
        "a.e": "Any",
        "a.f": "bool",
    }
    assert found["calls"]["train.py"] == {"torch.optim.AdamW": {"betas": (0.9, 0.95)}}
    assert set(found["sha256"]) == {"src/pkg/conf.py", "conf.yaml", "train.py"}


def test_the_tool_knows_the_trainers_of_the_recipes(tool: ModuleType) -> None:
    assert set(tool.TRAINERS) == set(TRAINERS)
    for name in TRAINERS:
        manifest = load_manifest(name)
        assert manifest.repository == tool.TRAINERS[name].repository
        assert {wanted for names in tool.TRAINERS[name].modules.values() for wanted in names} == set(manifest.members)


def test_another_trainer_is_refused() -> None:
    with pytest.raises(ImoveError, match="unknown trainer 'rdt'"):
        load_manifest("rdt")


@pytest.mark.parametrize(
    ("trainer", "annotation", "good", "bad"),
    [
        ("openpi", "int", [1, -1, Named("N")], [1.0, True, "1", None]),
        ("openpi", "float | None", [1, 1e-5, None], [True, "x"]),
        ("openpi", "Literal['bfloat16', 'float32']", ["float32"], ["float16", 1]),
        ("openpi", "_gemma.Variant", ["gemma_2b_lora"], ["gemma_7b"]),
        ("openpi", "Sequence[str]", [["a"], ("a", "b")], ["a", [1]]),
        ("openpi", "tyro.conf.Suppress[str]", ["a"], [1]),
        ("openpi", "DataConfigFactory", [Made("LeRobotAlohaDataConfig", (), {}, 1)], [Made("AdamW", (), {}, 1), 3]),
        ("openpi", "tyro.conf.Suppress[Filter]", [Made("nnx.Not", (), {}, 1)], []),
        ("gr00t", "ActionType", [Named("ActionType.EEF")], [Named("ActionFormat.DEFAULT"), "eef"]),
        ("gr00t", "Optional[list[int]]", [None, [1]], [["a"], 1]),
        ("gr00t", "tuple[int, int] | None", [(1, 2), [1, 2], None], [(1,), (1, "a")]),
        ("gr00t", "dict[str, float] | None", [{}, None], [[], 1]),
        ("lerobot", "Path | None", ["a/b", None], [1]),
        ("lerobot", "list[str] | str | None", ["a", ["a"], None], [1, [1]]),
    ],
)
def test_types_are_judged(trainer: str, annotation: str, good: list[object], bad: list[object]) -> None:
    manifest = load_manifest(trainer)
    assert [value for value in good if not fits(value, annotation, manifest)] == []
    assert [value for value in bad if fits(value, annotation, manifest)] == []
