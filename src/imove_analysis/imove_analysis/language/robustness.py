"""The robustness curve: does the object of the normal text still get there when the text is put differently?"""

from __future__ import annotations

import numpy as np

from imove_analysis.figures import Figure, between, figure, missing, percent
from imove_analysis.intervals import wilson_interval
from imove_analysis.language.scenes import NORMAL, Scenes, goal_of
from imove_analysis.paired import paired_difference

CURVE = (NORMAL, "punctuation", "paraphrase", "scrambled", "conflicting")
"""From the text itself to one that contradicts itself: the first three mean the same, the others nothing."""
_WORDS = {"reach": "reached", "lift": "lifted", "reach_place": "brought over its place", "place": "put in its place"}


def robustness(scenes: Scenes) -> dict[str, dict[str, Figure]]:
    """Rates at which the goal of the normal text is reached under each text of the curve.

    Returns:
        By condition and stage: the rate with its Wilson interval and `chance`, and under conditions other than normal
        `difference`, the paired change against normal with Newcombe's interval and p of McNemar's exact test.
    """
    return {condition: {stage: _point(scenes, condition, stage) for stage in scenes.stages} for condition in CURVE}


def _point(scenes: Scenes, condition: str, stage: str) -> Figure:
    results, levels = [], []
    for normal, other in scenes.both(NORMAL, condition):
        goal = goal_of(normal)
        if goal is not None:
            results.append((scenes.acted_on(normal, stage, goal), scenes.acted_on(other, stage, goal)))
            levels.append(1 / normal.candidates)
    n = len(results)
    if n == 0:
        return missing(f"no scene was finished under both {NORMAL} and {condition}")
    rate = sum(after for _, after in results) / n
    ci95 = wilson_interval(rate, n)
    sentence = (
        f"The object of the normal text is {_WORDS[stage]} in {percent(rate)} of {n} episodes under {condition} "
        f"({between(ci95)})."
    )
    # Where things are put, chance depends on the destinations, which records do not count.
    chance = {"chance": float(np.mean(levels))} if stage in ("reach", "lift") else {}
    change = {} if condition == NORMAL else {"difference": _difference(results, condition)}
    return figure(rate, ci95, n, sentence, **chance, **change)


def _difference(results: list[tuple[bool, bool]], condition: str) -> Figure:
    found = paired_difference(results)
    return figure(
        found["difference"],
        found["ci95"],
        found["n"],
        f"Against {NORMAL} on the same {found['n']} scenes, {condition} loses {found['only_first']} and gains "
        f"{found['only_second']} (change {between(found['ci95'])}).",
        p=found["p"],
    )
