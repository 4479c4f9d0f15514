"""Counts of a run as figures of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from imove_analysis.episodes import Episode
from imove_analysis.scores import SCORE_TITLES, score_key
from imove_analysis.tables.table import Cell, Figure
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, stage_title


def stages_in(episodes: Sequence[Episode], rubric: str) -> tuple[str, ...]:
    """The stages of episodes, which are those of their primitive; those of a pick where there is no episode."""
    return episodes[0].rubrics[rubric].stages if episodes else PICK_STAGES


def titles(stages: Sequence[str]) -> tuple[str, ...]:
    """Names of stages as the paper writes them: `Reach`, in a pick-and-place `ReachPick`."""
    placing = len(stages) == len(PLACE_STAGES)
    return tuple(stage_title(stage) + ("Pick" if placing and stage in PICK_STAGES else "") for stage in stages)


def score_title(stages: Sequence[str]) -> str:
    """Name of the mean of stages."""
    return SCORE_TITLES[score_key(stages)]


def target_cell(episodes: Sequence[Episode], rubric: str, remark: str = "") -> Cell:
    """How often the instructed object reached each stage, and the mean of that over the stages."""
    stages, n = stages_in(episodes, rubric), len(episodes)
    counts = [sum(stage in episode.rubrics[rubric].reached for episode in episodes) for stage in stages]
    score = Figure(score_title(stages), _share(sum(counts), n * len(stages)), sum(counts), n)
    return Cell(_figures(stages, counts, n), score, remark=remark)


def any_object_figures(episodes: Sequence[Episode], rubric: str) -> tuple[Figure, ...]:
    """How often any object at all reached each stage."""
    stages = stages_in(episodes, rubric)
    counts = [sum(episode.rubrics[rubric].any_object(stage) for episode in episodes) for stage in stages]
    return _figures(stages, counts, len(episodes))


def chance_cell(level: Mapping[str, Any], stages: Sequence[str]) -> Cell:
    """What a policy that ignores the text would score.

    Args:
        level: One rubric's part of `imove_analysis.chance.chance_level`.
        stages: Of the episodes.
    """
    figures = [Figure(title, Fraction(level[stage])) for stage, title in zip(stages, titles(stages), strict=True)]
    return Cell(tuple(figures), Figure(score_title(stages), Fraction(level[score_key(stages)])))


def _figures(stages: Sequence[str], counts: Sequence[int], n: int) -> tuple[Figure, ...]:
    return tuple(Figure(title, _share(k, n), k, n) for title, k in zip(titles(stages), counts, strict=True))


def _share(k: int, n: int) -> Fraction | None:
    return Fraction(k, n) if n else None
