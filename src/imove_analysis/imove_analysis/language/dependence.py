"""The language-dependence index: how much likelier an object is acted on when it is the one that is named."""

from __future__ import annotations

import numpy as np

from imove_analysis.figures import Figure, Floats, between, estimate, figure, missing, percent
from imove_analysis.language.scenes import ALTERNATIVE, FIRST_CONTACT, NORMAL, Scenes, goal_of

_ANCHORS = ((1.0, 0.0, 1.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0, 1.0))
"""A scene in which the text decides all, and one in which the policy does the opposite."""
_WORDS = {"reach": "reached", FIRST_CONTACT: "touched first", "lift": "lifted", "place": "put where it belongs"}


def acts_of(scenes: Scenes) -> tuple[str, ...]:
    """What counts as acting on an object: to reach it, touch it first, lift it, and in a pick-and-place, place it."""
    return ("reach", FIRST_CONTACT, "lift", *(("place",) if "place" in scenes.stages else ()))


def dependence(scenes: Scenes, rng: np.random.Generator) -> dict[str, Figure]:
    """LDI = P(target acted on | its instruction) - P(same object acted on | the other instruction of the same scene).

    In each scene there are two such differences, for the object of `normal` and for that of `alternative`; both are
    means over the scenes. A policy that does what it is told has 1. One that ignores the text has 0, however well it
    does with `normal`, as whatever it prefers it prefers under both.

    Returns:
        By act: the index with `named` and `unnamed`, the two probabilities, and `chance` 0.
    """
    pairs = []
    for normal, alternative in scenes.both(NORMAL, ALTERNATIVE):
        first, second = goal_of(normal), goal_of(alternative)
        if first is not None and second is not None and first.target != second.target:
            pairs.append((normal, first, alternative, second))
    if not pairs:
        reason = f"no scene was finished under both {NORMAL} and {ALTERNATIVE} with an object of its own for each"
        return {act: missing(reason) for act in acts_of(scenes)}
    found = {}
    for act in acts_of(scenes):
        rows = np.array(
            [
                [
                    scenes.acted_on(normal, act, first),
                    scenes.acted_on(alternative, act, first),
                    scenes.acted_on(alternative, act, second),
                    scenes.acted_on(normal, act, second),
                    1.0,
                ]
                for normal, first, alternative, second in pairs
            ],
            dtype=np.float64,
        )
        found[act] = _figure(rows, act, rng)
    return found


def _figure(rows: Floats, act: str, rng: np.random.Generator) -> Figure:
    value, ci95 = estimate(rows, _index, _ANCHORS, rng)
    sums = rows.sum(axis=0)
    named, unnamed = (sums[0] + sums[2]) / (2 * sums[4]), (sums[1] + sums[3]) / (2 * sums[4])
    return figure(
        value,
        ci95,
        len(rows),
        f"An object is {_WORDS[act]} in {percent(named)} of the episodes that name it, and in {percent(unnamed)} of "
        f"those on the same scene that name another (index {value:.2f}, {between(ci95)}).",
        chance=0.0,
        named=float(named),
        unnamed=float(unnamed),
    )


def _index(sums: Floats) -> Floats:
    value: Floats = (sums[:, 0] - sums[:, 1] + sums[:, 2] - sums[:, 3]) / (2 * sums[:, 4])
    return value
