"""Which scene comes next: those of a suite, round and round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.recording import BagName
from imove_core.spec import EpisodeSpec
from imove_tasks.suites import Suite


@dataclass(frozen=True)
class Scene:
    """What an episode is to be of.

    Attributes:
        number: From 0 on; also that of its bag.
        key: Id of the episode.
        spec: Of the scene, with the time that a person has as its horizon.
        suite_spec_hash: Content hash of the spec as it is in the suite.
        condition: Which of its instructions is given.
    """

    number: int
    key: str
    spec: EpisodeSpec
    suite_spec_hash: str
    condition: str

    @property
    def bag(self) -> BagName:
        """Of the episode."""
        family = self.spec.family
        return BagName(family if self.condition == "normal" else f"{family}-{self.condition}", self.number)


class Scenes:
    """The scenes of a suite; after the last one the first one comes again."""

    def __init__(self, suite: Suite, condition: str, horizon_steps: int, seed: int = 0) -> None:
        """Checks that all scenes have the condition; raises ImoveError where there is none.

        Args:
            suite: Whose scenes.
            condition: Which of their instructions is given.
            horizon_steps: Control steps that a person has for an episode; 0 for those of the suite.
            seed: Of the order, which is drawn anew for each turn; 0 for that of the suite.
        """
        for spec in suite.specs:
            spec.instruction(condition)
        self._suite, self._condition, self._horizon, self._seed = suite, condition, horizon_steps, seed

    def scene(self, number: int) -> Scene:
        """The scene of an episode, counted from 0."""
        turn, index = divmod(number, len(self._suite.specs))
        if self._seed:
            order = np.random.default_rng([self._seed, turn]).permutation(len(self._suite.specs))
            index = int(order[index])
        spec = self._suite.specs[index]
        key = f"{spec.id}/{self._condition}"
        return Scene(
            number,
            # Each episode of a run has an id of its own.
            key if turn == 0 else f"{key}/{turn + 1}",
            spec.model_copy(update={"horizon_steps": self._horizon}) if self._horizon else spec,
            spec.content_hash,
            self._condition,
        )
