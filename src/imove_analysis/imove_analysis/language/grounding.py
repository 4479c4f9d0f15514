"""First-contact grounding: how often the first object that is touched is the one that was named, above chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.episodes import Episode
from imove_analysis.figures import Figure, Floats, between, estimate, figure, missing, percent
from imove_analysis.language.scenes import ALTERNATIVE, NORMAL, Scenes

POOLED = "pooled"
"""Normal and alternative together: in each scene two objects are named, so that one that stands out gains nothing."""


def grounding(scenes: Scenes, rng: np.random.Generator) -> dict[str, dict[str, Figure]]:
    """First-contact grounding of each condition whose text names an object, and of normal and alternative pooled.

    Returns:
        By condition: `all`, of all episodes, where touching nothing is wrong; and `touching`, of those in which
        something was touched, which is how well the choice was made once there was one. Each with `rate` (the share of
        right first contacts p), `chance` (the mean c of 1/k), value p - c, and `corrected`: (p - c) / (1 - c) with its
        interval.
    """
    pooled = [[found[name] for name in (NORMAL, ALTERNATIVE)] for found in _in_both(scenes)]
    groups = {POOLED: pooled} if pooled else {}
    for condition in TARGETED_CONDITIONS:
        if found := scenes.under(condition):
            groups[condition] = [[episode] for episode in found]
    return {
        name: {"all": _figure(scenes, group, False, rng), "touching": _figure(scenes, group, True, rng)}
        for name, group in groups.items()
    }


def _in_both(scenes: Scenes) -> list[dict[str, Episode]]:
    return [dict(found) for found in scenes.by_scene.values() if NORMAL in found and ALTERNATIVE in found]


def _figure(scenes: Scenes, group: Sequence[Sequence[Episode]], touching: bool, rng: np.random.Generator) -> Figure:
    rows = np.array([_row(scenes, episodes, touching) for episodes in group], dtype=np.float64)
    rows = rows[rows[:, 2] > 0]
    if not len(rows):
        return missing("no object was touched in any episode")
    size, level = rows[:, 2].mean(), rows[:, 1].sum() / rows[:, 2].sum()
    # A scene in which all is right, and one in which nothing is.
    anchors = [[size, size * level, size], [0.0, size * level, size]]
    value, ci95 = estimate(rows, _above_chance, anchors, rng)
    corrected, corrected_ci95 = estimate(rows, _corrected, anchors, rng)
    right, _, counted = rows.sum(axis=0)
    seen = "episodes in which something was touched" if touching else "episodes"
    return figure(
        value,
        ci95,
        len(rows),
        f"The first object touched is the named one in {percent(right / counted)} of {counted:.0f} {seen}; a policy "
        f"that cannot read comes to {percent(level)} (difference {between(ci95)}).",
        chance=float(level),
        rate=float(right / counted),
        episodes=int(counted),
        corrected={"value": corrected, "ci95": list(corrected_ci95)},
    )


def _row(scenes: Scenes, episodes: Sequence[Episode], touching: bool) -> list[float]:
    """Right first contacts, chances and episodes of a scene."""
    counted = [episode for episode in episodes if not touching or scenes.first_touched(episode) is not None]
    return [
        sum(scenes.first_touched(episode) == episode.target for episode in counted),
        sum(1 / episode.candidates for episode in counted),
        len(counted),
    ]


def _above_chance(sums: Floats) -> Floats:
    value: Floats = (sums[:, 0] - sums[:, 1]) / sums[:, 2]
    return value


def _corrected(sums: Floats) -> Floats:
    """(p - c) / (1 - c), not defined where there is one candidate and so nothing to choose."""
    room = sums[:, 2] - sums[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > 0, (sums[:, 0] - sums[:, 1]) / room, np.nan)
