"""What a trainer's sources say about its settings, as tools/trainer_manifest.py wrote it down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal

from imove_core.errors import unknown_name

TrainerName = Literal["openpi", "gr00t", "motus", "lerobot"]
TRAINERS: tuple[TrainerName, ...] = ("openpi", "gr00t", "motus", "lerobot")
Kind = Literal["dataclass", "class", "enum", "function", "alias"]


@dataclass(frozen=True)
class Field:
    """A setting.

    Attributes:
        name: As the trainer spells it; a leading `*` marks a parameter that takes any number of values.
        annotation: Type as the source spells it.
        required: Whether it has no default.
    """

    name: str
    annotation: str
    required: bool


@dataclass(frozen=True)
class Member:
    """A class, a function or an alias of a type.

    Attributes:
        name: Its name in its module.
        kind: What it is.
        bases: Names of base classes as the source spells them.
        own: Settings that it adds to those of its bases.
        values: Members of an enum with their values.
        alias_of: Type that an alias stands for.
        choice: Word that chooses this class in a file, "" for none.
    """

    name: str
    kind: Kind
    bases: tuple[str, ...] = ()
    own: tuple[Field, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    alias_of: str = ""
    choice: str = ""


@dataclass(frozen=True)
class Manifest:
    """A trainer at one commit.

    Attributes:
        trainer: Its name here.
        repository: Owner and name.
        commit: Commit whose sources were read.
        modules: Names at the top of each module that was read.
        members: The described ones by name; no two modules have one of the same name.
        settings: Type of each dotted key of its YAML files, by file.
        calls: Literal arguments that its code gives to functions, by file and function.
    """

    trainer: TrainerName
    repository: str
    commit: str
    modules: Mapping[str, frozenset[str]]
    members: Mapping[str, Member]
    settings: Mapping[str, Mapping[str, str]]
    calls: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def fields(self, name: str) -> dict[str, Field]:
        """Settings of a class by name, with those of its bases as far as these are described."""
        member = self.members[name]
        found: dict[str, Field] = {}
        for base in member.bases:
            if short(base) in self.members:
                found |= self.fields(short(base))
        return found | {item.name: item for item in member.own}

    def is_a(self, name: str, base: str) -> bool:
        """Whether a class is another one or has it among its bases."""
        if name == base:
            return True
        return name in self.members and any(self.is_a(short(parent), base) for parent in self.members[name].bases)


def short(name: str) -> str:
    """The last part of a dotted name."""
    return name.rpartition(".")[2]


@cache
def load_manifest(trainer: str) -> Manifest:
    """Reads the manifest of a trainer.

    Raises:
        ImoveError: when there is none of that name.
    """
    for known in TRAINERS:
        if known == trainer:
            text = (resources.files(__package__) / "manifests" / f"{known}.json").read_text(encoding="utf-8")
            return _manifest(known, json.loads(text))
    raise unknown_name("trainer", trainer, TRAINERS)


def _manifest(trainer: TrainerName, record: Mapping[str, Any]) -> Manifest:
    members = {
        name: _member(name, facts) for module in record["modules"].values() for name, facts in module["members"].items()
    }
    return Manifest(
        trainer=trainer,
        repository=record["repository"],
        commit=record["commit"],
        modules={name: frozenset(module["names"]) for name, module in record["modules"].items()},
        members=members,
        settings={
            path: {key: leaf["type"] for key, leaf in leaves.items()} for path, leaves in record["settings"].items()
        },
        calls=record["calls"],
    )


def _member(name: str, facts: Mapping[str, Any]) -> Member:
    return Member(
        name=name,
        kind=facts["kind"],
        bases=tuple(facts.get("bases", ())),
        own=tuple(Field(item["name"], item["type"], item["required"]) for item in facts.get("fields", ())),
        values=facts.get("members", {}),
        alias_of=facts.get("of", ""),
        choice=facts.get("choice", ""),
    )
