"""How often stages were reached in the episodes of a run, by condition and rubric: what tables and plots show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.counterfactual import BASELINE
from imove_analysis.episodes import Episode
from imove_analysis.intervals import wilson_interval
from imove_analysis.report.plots import Mark
from imove_analysis.report.words import NOTHING, interval, number
from imove_analysis.runs import Run
from imove_analysis.scores import score_key
from imove_analysis.tables.counting import score_title, stages_in, titles
from imove_core.spec import CONDITIONS

Goals = Mapping[str, tuple[str | None, str | None]]
"""Object and destination that the normal text of each scene asks for."""


@dataclass(frozen=True)
class Rate:
    """A rate with its 95 % Wilson interval.

    Attributes:
        name: Stage or score as people call it, e.g. `Reach`, `S_pick`.
        k: Episodes with a success, None for the mean of a score.
        n: Episodes.
        value: Rate or mean, None without episodes.
        chance: What a policy that ignores the text would come to, None where that is not known.
    """

    name: str
    k: int | None
    n: int
    value: float | None
    chance: float | None = None

    @property
    def ci95(self) -> tuple[float, float]:
        """Of a score: that of a rate of n trials with its mean, which is never too narrow."""
        return wilson_interval(self.value or 0.0, self.n)

    @property
    def text(self) -> str:
        """E.g. `82/100 = 0.82 [0.73, 0.88]`."""
        if self.value is None:
            return NOTHING
        return f"{'' if self.k is None else f'{self.k}/{self.n} = '}{number(self.value)} {interval(self.ci95)}"

    @property
    def against_chance(self) -> str:
        """`above`, `below` or `not told from` chance, by the whole interval; "" where chance is not known."""
        if self.chance is None or self.value is None:
            return ""
        low, high = self.ci95
        return "above" if low > self.chance else "below" if high < self.chance else "not told from"

    def mark(self, series: int = 0) -> Mark:
        """The rate in a plot."""
        chance = "" if self.chance is None else f", chance {number(self.chance)}"
        return Mark(self.value, *self.ci95, self.text + chance, series, self.chance)


@dataclass(frozen=True)
class ConditionRates:
    """What came of the episodes under one condition by one rubric.

    Attributes:
        condition: Name.
        rubric: `strict` or `reference`.
        n: Finished episodes.
        verified: Those in which the policy received the text that it was to receive.
        target: Stages that the object of the condition's own text reached; empty where the text is about no single one.
        score: Their mean, None likewise.
        any_object: Stages that any object reached.
        normal_target: Stages that the object of the scene's normal text reached, whatever the text was; empty where
            that object is not known.
    """

    condition: str
    rubric: str
    n: int
    verified: int
    target: tuple[Rate, ...]
    score: Rate | None
    any_object: tuple[Rate, ...]
    normal_target: tuple[Rate, ...]


def rates_of(run: Run, rubric: str, chance: Mapping[str, Mapping[str, Any]]) -> tuple[ConditionRates, ...]:
    """Counts the finished episodes of a run.

    Args:
        run: The run.
        rubric: `strict` or `reference`.
        chance: Level by condition, see `imove_analysis.report.chance_levels`.

    Returns:
        One entry a condition, in the order in which a scene runs through them.
    """
    by_condition: dict[str, list[Episode]] = {}
    for episode in run.episodes:
        by_condition.setdefault(episode.condition, []).append(episode)
    goals = {episode.spec_id: (episode.target, episode.destination) for episode in by_condition.get(BASELINE, ())}
    order = [*(name for name in CONDITIONS if name in by_condition), *sorted(set(by_condition) - set(CONDITIONS))]
    return tuple(
        _of_condition(name, by_condition[name], rubric, goals, chance.get(name, {}).get(rubric, {})) for name in order
    )


def _of_condition(
    condition: str, episodes: Sequence[Episode], rubric: str, goals: Goals, level: Mapping[str, float]
) -> ConditionRates:
    stages = stages_in(episodes, rubric)
    names = titles(stages)
    target: tuple[Rate, ...] = ()
    score = None
    if condition in TARGETED_CONDITIONS:
        target = _counted(
            stages, names, episodes, lambda episode, stage: stage in episode.rubrics[rubric].reached, level
        )
        mean = sum(rate.k or 0 for rate in target) / (len(episodes) * len(stages))
        score = Rate(score_title(stages), None, len(episodes), mean, level.get(score_key(stages)))
    with_goal = [episode for episode in episodes if episode.spec_id in goals]

    def goal_did(episode: Episode, stage: str) -> bool:
        return episode.rubrics[rubric].did(stage, *goals[episode.spec_id])

    return ConditionRates(
        condition=condition,
        rubric=rubric,
        n=len(episodes),
        verified=sum(episode.prompt_verified for episode in episodes),
        target=target,
        score=score,
        any_object=_counted(
            stages, names, episodes, lambda episode, stage: episode.rubrics[rubric].any_object(stage), {}
        ),
        normal_target=_counted(stages, names, with_goal, goal_did, {}) if with_goal else (),
    )


def _counted(
    stages: Sequence[str],
    names: Sequence[str],
    episodes: Sequence[Episode],
    did: Callable[[Episode, str], bool],
    level: Mapping[str, float],
) -> tuple[Rate, ...]:
    n = len(episodes)
    counts = [sum(did(episode, stage) for episode in episodes) for stage in stages]
    return tuple(
        Rate(name, k, n, k / n if n else None, level.get(stage))
        for stage, name, k in zip(stages, names, counts, strict=True)
    )


def first_contact_rate(run: Run, chance: Mapping[str, Mapping[str, Any]], condition: str = BASELINE) -> Rate | None:
    """How often the first object that was touched is the instructed one; None where nothing was touched or sensed."""
    touched = [
        episode
        for episode in run.episodes
        if episode.condition == condition and episode.target is not None and episode.first_contact is not None
    ]
    if not touched:
        return None
    k = sum(episode.first_contact == episode.target for episode in touched)
    level = chance.get(condition, {}).get("first_contact")
    return Rate("First contact is the target", k, len(touched), k / len(touched), level)
