"""The score of an episode, the share of its stages that were reached: S_pick, of a pick-and-place S_pnp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from imove_tasks.stages import PICK_STAGES

SCORE_TITLES: Mapping[str, str] = MappingProxyType({"s_pick": "S_pick", "s_pnp": "S_pnp"})
"""Names for people, by the keys of records."""


def score_key(stages: Sequence[str]) -> str:
    """The key under which records have the score of episodes with these stages."""
    return "s_pick" if tuple(stages) == PICK_STAGES else "s_pnp"
