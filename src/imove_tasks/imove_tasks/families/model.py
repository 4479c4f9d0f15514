"""What a task family is, and what it says of one episode before anything is placed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from imove_core.errors import ImoveError, unknown_name
from imove_core.meaning import Description
from imove_core.spec import Role
from imove_core.values import FrozenValue
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import Row, Split
from imove_tasks.goals import Goal
from imove_tasks.layout import Constraint

LIBRARY_SPLITS: dict[str, Split] = {
    "seen": "seen",
    "unseen_instance": "unseen_instance",
    "unseen_category": "unseen_category",
    "train": "seen",
}
"""Splits of a family whose scenes come from each split of the library, and `train`, whose draws no other one shares."""
_Option = TypeVar("_Option", bound=str)
ATTEMPTS_A_CUE = 10
"""Draws of one episode with the same cue before the next one has its turn."""


@dataclass(frozen=True)
class Pool:
    """What the scenes of a split are drawn from.

    Attributes:
        graspable: Rows of objects that can be picked.
        containers: Rows of objects that things can be put in or on.
        asset: Builds or reads the asset of a row.
    """

    graspable: tuple[Row, ...]
    containers: tuple[Row, ...]
    asset: Callable[[Row], Asset]


class Turn(FrozenValue):
    """Which draw of which episode of a suite this is; cues are taken in turn, so that a suite is balanced.

    Attributes:
        split: Split of the family.
        seed: Of the suite.
        index: Number of the episode.
        attempt: Draws of this episode that failed before.
    """

    split: str
    seed: int
    index: int
    attempt: int

    def choose(self, options: Sequence[_Option], cue: str, stride: int = 1) -> _Option:
        """The option whose turn it is, in an order that the suite's seed decides.

        Args:
            options: At least one.
            cue: What is chosen; different cues have different orders.
            stride: Episodes before the next option has its turn.
        """
        order = np.random.default_rng([self.seed, *cue.encode()]).permutation(len(options))
        number = self.index // stride + self.attempt // ATTEMPTS_A_CUE
        return sorted(options)[int(order[number % len(options)])]


@dataclass(frozen=True)
class DraftObject:
    """An object of a scene before it is placed.

    Attributes:
        id: Unique within the scene.
        row: Of the library.
        role: What it is under the first goal.
    """

    id: str
    row: Row
    role: Role


@dataclass(frozen=True)
class Draft:
    """A scene before it is placed.

    Attributes:
        objects: In the order of the spec.
        constraints: What the layout must fulfil beside what every layout must.
        goals: Everything that can be asked for.
        absent: True of nothing in the scene, and of nothing that could be taken for it.
        conflicting: True of nothing either, though its words are each true of something.
    """

    objects: tuple[DraftObject, ...]
    constraints: tuple[Constraint, ...]
    goals: tuple[Goal, ...]
    absent: Description
    conflicting: Description


@dataclass(frozen=True)
class Family:
    """A task family: a task library entry with its primitive, its splits and how its scenes are made.

    Attributes:
        name: As users write it.
        primitive: Motion template: `pick`, or `pick_and_place`.
        splits: Split of the library by split of the family, the default first.
        draft: Draws one episode's objects, roles, goals and layout constraints.
        balance: Key of a goal that a suite should hold about equally often, given the rows by object id.
        every_goal: Whether a scene is refused when one of its goals cannot be carried out; else that goal is dropped,
            as long as every object, destination and relation remains in some goal.
    """

    name: str
    primitive: Literal["pick", "pick_and_place"]
    splits: dict[str, Split]
    draft: Callable[[Pool, Turn, np.random.Generator], Draft]
    balance: Callable[[Goal, dict[str, Row]], str]
    every_goal: bool = True

    def library_split(self, split: str) -> Split:
        """The split of the library that a split of the family draws from; raises ImoveError for an unknown one."""
        if split not in self.splits:
            raise unknown_name(f"split of {self.name}", split, self.splits)
        return self.splits[split]


def shuffled_ids(names: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """An object id for each role name, in random order: an id says nothing about the role."""
    return {name: f"object_{number}" for name, number in zip(names, rng.permutation(len(names)), strict=True)}


def categories_with(rows: Sequence[Row], enough: Callable[[Sequence[Row]], bool], what: str) -> list[str]:
    """Categories whose rows are enough, sorted.

    Raises:
        ImoveError: There is none; the message says for what.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.category, []).append(row)
    found = sorted(category for category, group in groups.items() if enough(group))
    if not found:
        raise ImoveError(f"{what}: none of the {len(groups)} categories of the split has enough objects for it")
    return found
