"""Which text each frame carries, and the numbers of the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_datasets.settings import ParaphraseMode

PARAPHRASES_FILE = "meta/paraphrases.jsonl"
"""A line an episode, `{"episode_index": 0, "texts": [...]}`, the instruction that was sent first."""


@dataclass(frozen=True, eq=False)
class EpisodeTasks:
    """The texts of an episode.

    Attributes:
        texts: That its frames carry, in the order of their first use.
        choices: From which a sampler may take one an epoch, the sent one first; one alone where there is no table.
        task_index: Number of each frame's text (N,).
    """

    texts: tuple[str, ...]
    choices: tuple[str, ...]
    task_index: NDArray[np.int64]


class TaskTable:
    """Numbers texts in the order in which they come."""

    def __init__(self, mode: ParaphraseMode) -> None:
        """Starts without texts.

        Args:
            mode: Which wordings frames carry, and whether all of an episode get a number.
        """
        self._mode = mode
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts; their place is their number."""
        return tuple(self._numbers)

    def add(self, instruction: str, wordings: Sequence[str], frames: int) -> EpisodeTasks:
        """Numbers the texts of an episode.

        Under `all`, frame k carries wording k modulo their number: any batch of frames has all of them alike, at all
        phases of the motion. Under `per-epoch` all get a number, so that a sampler can name one.

        Args:
            instruction: The text that was sent.
            wordings: Others that ask for the same.
            frames: Length N of the episode.
        """
        choices = (instruction,) if self._mode == "canonical" else (instruction, *wordings)
        numbers = np.array([self._numbers.setdefault(text, len(self._numbers)) for text in choices], np.int64)
        if self._mode == "all":
            return EpisodeTasks(choices[:frames], choices, numbers[np.arange(frames) % len(choices)])
        return EpisodeTasks((instruction,), choices, np.full(frames, numbers[0], np.int64))
