"""Frozen suites: a list of episode specs with a content hash, one file each.

The file is JSON lines. The first line is the header: schema, name, seed, number of episodes, snapshot hash of the asset
library, and the content hash over everything else in the file. Every other line is one spec as canonical JSON.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from imove_core.canonical import canonical_json, sha256_of_text, write_text_atomically
from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Rig, load_rig
from imove_core.spec import SCHEMA_VERSION, EpisodeSpec
from imove_core.values import FrozenValue, first_fault

UNMARKED_RIG = "piperx_dual"
"""Rig of the shipped suites whose names have no `@<rig>` at the end."""


class _Header(FrozenValue):
    """The first line of a suite file."""

    schema_version: Literal[2]
    name: str
    seed: Annotated[int, Field(ge=0)]
    episodes: Annotated[int, Field(gt=0)]
    asset_snapshot: str
    content_hash: str


@dataclass(frozen=True)
class Suite:
    """A frozen list of episodes.

    Attributes:
        name: `<family>/<split>` for shipped ones, with `@<rig>` behind it for rigs other than UNMARKED_RIG.
        seed: Of the draws.
        asset_snapshot: Hash of the asset library that it was made with.
        specs: The episodes.
    """

    name: str
    seed: int
    asset_snapshot: str
    specs: tuple[EpisodeSpec, ...]

    def __post_init__(self) -> None:
        """Checks that there are episodes, each once."""
        if not self.specs:
            raise ImoveError(f"suite {self.name} has no episode; at least 1 is needed")
        name, count = Counter(spec.id for spec in self.specs).most_common(1)[0]
        if count > 1:
            raise ImoveError(f"suite {self.name} has {count} episodes with the id {name}; each id is allowed once")

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over header fields and specs."""
        head = canonical_json(self._head())
        return sha256_of_text("\n".join([head, *(spec.to_json() for spec in self.specs)]))

    @cached_property
    def rig(self) -> str:
        """Name of the rig that the episodes are for; raises ImoveError when they are not all for the same."""
        rigs = sorted({spec.rig for spec in self.specs})
        if len(rigs) > 1:
            raise ImoveError(f"suite {self.name} has episodes for the rigs {', '.join(rigs)}; a run takes one rig")
        return rigs[0]

    def open_rig(self, wanted: str = "") -> Rig:
        """Loads the rig that the episodes are for.

        Args:
            wanted: Name or file of what must be that rig; "" for the shipped one of its name.

        Raises:
            ImoveError: The rig cannot be loaded, or is another one.
        """
        rig = load_rig(wanted or self.rig)
        if rig.name != self.rig:
            raise ImoveError(f"suite {self.name} is for rig {self.rig}; rig {rig.name} was given")
        return rig

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
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(
            f"{family.name}/{entry.name.removesuffix('.jsonl')}"
            for family in folder.iterdir()
            if family.is_dir()
            for entry in family.iterdir()
            if entry.name.endswith(".jsonl")
        )
    )


def suite_name(family: str, split: str, rig: str) -> str:
    """Name of the suite of a family's split on a rig."""
    return f"{family}/{split}" + ("" if rig == UNMARKED_RIG else f"@{rig}")


def default_suite(task: str, rig: str = "") -> str:
    """The shipped suite that a task is evaluated on when none is named: its split `seen`.

    Args:
        task: Name of a family.
        rig: Name of a rig; "" for UNMARKED_RIG, or where nothing is shipped for it, another rig.

    Raises:
        ImoveError: No such suite is shipped.
    """
    shipped = [name for name in suite_names() if name.partition("/")[0] == task]
    unmarked = f"{task}/seen"
    wanted = [unmarked] if rig in ("", UNMARKED_RIG) else []
    wanted += [name for name in shipped if name.startswith(f"{unmarked}@") and rig in ("", name.partition("@")[2])]
    for name in wanted:
        if name in shipped:
            return name
    rig = rig or UNMARKED_RIG
    raise ImoveError(
        f"no suite {unmarked} for rig {rig} is shipped (of {task} there is {', '.join(shipped) or 'none'}); make one "
        f"with ./imove suite freeze --task {task} --split seen --rig {rig} --out FILE.jsonl and give that file as suite"
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
        return parse_suite(path.read_bytes(), where=name_or_path)
    if name_or_path not in suite_names():
        raise unknown_name("suite", name_or_path, suite_names())
    family, split = name_or_path.split("/")
    content = (resources.files("imove_tasks") / "suites_data" / family / f"{split}.jsonl").read_bytes()
    return parse_suite(content, where=name_or_path)


def parse_suite(content: bytes, where: str) -> Suite:
    """Reads a suite and checks its content hash.

    Args:
        content: The file's bytes.
        where: How to call the file in error messages.

    Raises:
        ImoveError: The file is no suite, or a byte of it was changed.
    """
    # Lines end with \n alone: other separators may stand inside of a JSON text.
    try:
        header_line, *lines = content.decode().split("\n")
        header = _Header.model_validate_json(header_line)
    except UnicodeDecodeError as error:
        raise ImoveError(f"suite {where}: byte {error.start} is not UTF-8") from error
    except ValidationError as error:
        raise ImoveError(f"suite {where}: line 1: {first_fault(error, 'the header')}") from error
    head = canonical_json(header.model_dump(exclude={"content_hash"}))
    computed = sha256_of_text("\n".join([head, *lines[:-1]]))
    changed = f"suite {where} was changed after it was frozen"
    if computed != header.content_hash:
        raise ImoveError(f"{changed}: its content hash is {computed[:12]}, its header says {header.content_hash[:12]}")
    suite = Suite(
        header.name, header.seed, header.asset_snapshot, tuple(EpisodeSpec.from_json(line) for line in lines[:-1])
    )
    # What the hash is taken over does not show how the header is spaced and what follows the last line.
    if suite.to_text().encode() != content:
        raise ImoveError(f"{changed}: it is not written as a suite with its content is")
    return suite


def write_suite(suite: Suite, path: Path) -> None:
    """Writes a suite, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, suite.to_text())
