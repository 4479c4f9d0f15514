"""Which scene and which instruction an episode begins with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core.errors import ImoveError, unknown_name
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction
from imove_tasks.suites import Suite

OPTIONS = ("episode", "condition")
"""What `reset` takes as options."""


@dataclass(frozen=True)
class Choice:
    """What an episode is.

    Attributes:
        spec: The scene.
        condition: What the policy is told on it.
    """

    spec: EpisodeSpec
    condition: str

    @property
    def instruction(self) -> Instruction:
        """What the policy is told."""
        return self.spec.instruction(self.condition)


def choose(suite: Suite, condition: str, options: Mapping[str, Any], rng: np.random.Generator) -> Choice:
    """Chooses the next episode.

    Args:
        suite: The scenes.
        condition: What is told where the options do not say.
        options: `episode`, the number of a scene in the suite from 0 or its id, drawn when it is left out; `condition`.
        rng: Draws the scene, each with the same probability.

    Raises:
        ImoveError: There is no such option, scene or condition.
    """
    for name in options:
        if name not in OPTIONS:
            raise unknown_name("reset option", name, OPTIONS)
    condition = options.get("condition", condition)
    if condition not in CONDITIONS:
        raise unknown_name("condition", condition, CONDITIONS)
    wanted = options.get("episode")
    return Choice(suite.specs[_index(suite, rng.integers(len(suite.specs)) if wanted is None else wanted)], condition)


def _index(suite: Suite, wanted: object) -> int:
    count = len(suite.specs)
    for number, spec in enumerate(suite.specs):
        if wanted == spec.id or (isinstance(wanted, int | np.integer) and wanted == number):
            return number
    raise ImoveError(f"episode is {wanted!r}; suite {suite.name} has 0 to {count - 1}, or ids like {suite.specs[0].id}")
