"""The order of the trials of a comparison: random, balanced, and frozen before the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.episode_key import episode_key


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes:
        spec_id: Scene.
        condition: Instruction condition.
        label: Policy.
    """

    spec_id: str
    condition: str
    label: str

    @property
    def key(self) -> str:
        """The id under which it is announced."""
        return episode_key(self.spec_id, self.condition, self.label)


@dataclass(frozen=True)
class TrialOrder:
    """All trials of a comparison, one after another.

    Attributes:
        seed: Of the draws.
        trials: Every scene and condition once with every label.
    """

    seed: int
    trials: tuple[Trial, ...]

    def to_record(self) -> dict[str, Any]:
        """The order as plain data, with a hash over all of it."""
        content = {
            "seed": self.seed,
            "trials": [[trial.spec_id, trial.condition, trial.label] for trial in self.trials],
        }
        return {**content, "sha256": sha256_of_text(canonical_json(content))}


def draw_order(spec_ids: Sequence[str], conditions: Sequence[str], labels: Sequence[str], seed: int) -> TrialOrder:
    """Draws the order of trials.

    A block is one scene under one condition with every policy in turn, so that all of them meet the same table, light
    and operator, and an operator lays out each scene once a block. Blocks come in random order. Within P blocks that
    follow each other the orders of the P policies are the rows of a random Latin square: each policy is first, second
    and so on equally often, whatever wears or warms up between trials.

    Args:
        spec_ids: Scenes.
        conditions: Under which each scene runs.
        labels: Of the policies.
        seed: Equal arguments give an equal order.
    """
    rng = np.random.default_rng(seed)
    blocks = [(spec_id, condition) for spec_id in spec_ids for condition in conditions]
    blocks = [blocks[index] for index in rng.permutation(len(blocks))]
    count = len(labels)
    trials: list[Trial] = []
    for first in range(0, len(blocks), count):
        square = _latin_square(count, rng)
        for (spec_id, condition), row in zip(blocks[first : first + count], square, strict=False):
            trials += [Trial(spec_id, condition, labels[index]) for index in row]
    return TrialOrder(seed, tuple(trials))


def _latin_square(size: int, rng: np.random.Generator) -> list[list[int]]:
    """The cyclic square with its rows, and what stands in it, shuffled."""
    names, starts = rng.permutation(size), rng.permutation(size)
    return [[int(names[(start + column) % size]) for column in range(size)] for start in starts]
