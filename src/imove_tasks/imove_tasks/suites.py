"""Frozen suites: a list of episode specs with a content hash, one file each.

The file is JSON lines. The first line is the header: schema, name, seed, number of episodes, snapshot hash of the asset
library, and the content hash over everything else in the file. Every other line is one spec as canonical JSON.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from imove_core.canonical import canonical_json, sha256_of_text, write_text_atomically
from imove_core.errors import ImoveError, unknown_name
from imove_core.spec import SCHEMA_VERSION, EpisodeSpec

_HEADER_KEYS = {"schema_version", "name", "seed", "episodes", "asset_snapshot", "content_hash"}


@dataclass(frozen=True)
class Suite:
    """A frozen list of episodes.

    Attributes:
        name: `<family>/<split>` for shipped ones.
        seed: Of the draws.
        asset_snapshot: Hash of the asset library that it was made with.
        specs: The episodes.
    """

    name: str
    seed: int
    asset_snapshot: str
    specs: tuple[EpisodeSpec, ...]

    @property
    def content_hash(self) -> str:
        """SHA-256 over header fields and specs."""
        head = canonical_json(self._head())
        return sha256_of_text("\n".join([head, *(spec.to_json() for spec in self.specs)]))

    def _head(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "seed": self.seed,
            "episodes": len(self.specs),
            "asset_snapshot": self.asset_snapshot,
        }

    def to_text(self) -> str:
        """The whole file."""
        header = canonical_json({**self._head(), "content_hash": self.content_hash})
        return "\n".join([header, *(spec.to_json() for spec in self.specs)]) + "\n"

    def first(self, episodes: int) -> Sequence[EpisodeSpec]:
        """The first episodes; raises ImoveError when the suite has fewer."""
        if not 1 <= episodes <= len(self.specs):
            raise ImoveError(f"episodes is {episodes}; suite {self.name} has 1 to {len(self.specs)}")
        return self.specs[:episodes]


def suite_names() -> tuple[str, ...]:
    """Names of the shipped suites."""
    folder = resources.files("imove_tasks") / "suites_data"
    return tuple(
        sorted(
            f"{family.name}/{entry.name.removesuffix('.jsonl')}"
            for family in folder.iterdir()
            if family.is_dir()
            for entry in family.iterdir()
            if entry.name.endswith(".jsonl")
        )
    )


def open_suite(name_or_path: str) -> Suite:
    """Opens a shipped suite by name, or a file by a path that ends in .jsonl.

    Raises:
        ImoveError: No such suite, or the file was changed after it was frozen.
    """
    if name_or_path.endswith(".jsonl"):
        path = Path(name_or_path)
        if not path.is_file():
            raise ImoveError(f"suite file {name_or_path} does not exist")
        return parse_suite(path.read_text(encoding="utf-8"), where=name_or_path)
    if name_or_path not in suite_names():
        raise unknown_name("suite", name_or_path, suite_names())
    family, split = name_or_path.split("/")
    text = (resources.files("imove_tasks") / "suites_data" / family / f"{split}.jsonl").read_text(encoding="utf-8")
    return parse_suite(text, where=name_or_path)


def parse_suite(text: str, where: str) -> Suite:
    """Reads a suite and checks its content hash.

    Args:
        text: The file's content.
        where: How to call the file in error messages.

    Raises:
        ImoveError: The file is no suite, or a byte of it was changed.
    """
    lines = text.splitlines()
    try:
        header = json.loads(lines[0])
        missing = _HEADER_KEYS.symmetric_difference(header)
    except (IndexError, ValueError, TypeError) as error:
        raise ImoveError(f"suite {where}: line 1 is not the header of a suite file") from error
    if missing:
        raise ImoveError(f"suite {where}: header key {sorted(missing)[0]!r} is missing or unknown")
    body = "\n".join(lines[1:])
    claimed = header.pop("content_hash")
    computed = sha256_of_text("\n".join([canonical_json(header), body]))
    if computed != claimed:
        raise ImoveError(
            f"suite {where} was changed after it was frozen: its content hash is {computed[:12]}, its header says "
            f"{str(claimed)[:12]}"
        )
    specs = tuple(EpisodeSpec.from_json(line) for line in lines[1:])
    return Suite(header["name"], header["seed"], header["asset_snapshot"], specs)


def write_suite(suite: Suite, path: Path) -> None:
    """Writes a suite, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, suite.to_text())
