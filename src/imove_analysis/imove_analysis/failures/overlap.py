"""Cue overlap: how often a cue speaks for the object that was wrongly acted on, against a random other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from imove_analysis.figures import Floats, between, estimate, percent
from imove_analysis.intervals import wilson_interval


@dataclass(frozen=True)
class WrongChoice:
    """An episode in which another candidate than the named object was acted on.

    Attributes:
        scene: Its scene.
        taken: The object.
        cues: For each candidate that was not named the cues that speak for it.
    """

    scene: str
    taken: str
    cues: Mapping[str, frozenset[str]]

    def shared(self, cue: str) -> bool:
        """Whether the cue speaks for the object that was taken."""
        return cue in self.cues[self.taken]

    def base(self, cue: str) -> float:
        """Probability that it speaks for a random one of the candidates that were not named."""
        return sum(cue in found for found in self.cues.values()) / len(self.cues)


@dataclass(frozen=True)
class CueOverlap:
    """What one cue has to do with wrong choices.

    Attributes:
        cue: Its name.
        k: Wrong choices for which it speaks.
        n: Wrong choices.
        rate: k / n.
        ci95: Wilson's interval of that.
        base: Mean probability that it speaks for a random other candidate of the same scenes.
        difference: rate - base.
        difference_ci95: Its interval, by resampling whole scenes.
        sentence: What that says.
    """

    cue: str
    k: int
    n: int
    rate: float
    ci95: tuple[float, float]
    base: float
    difference: float
    difference_ci95: tuple[float, float]
    sentence: str

    def to_record(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "ci95": list(self.ci95), "difference_ci95": list(self.difference_ci95)}


def overlaps(choices: Sequence[WrongChoice], cues: Sequence[str], rng: np.random.Generator) -> tuple[CueOverlap, ...]:
    """The overlap of each cue, in the order given; none where nothing was chosen wrongly.

    Args:
        choices: All wrong choices.
        cues: Names of cues.
        rng: Draws resamples of scenes.
    """
    if not choices:
        return ()
    scenes = sorted({choice.scene for choice in choices})
    row_of = {scene: row for row, scene in enumerate(scenes)}
    size = len(choices) / len(scenes)
    found = []
    for cue in cues:
        rows = np.zeros((len(scenes), 3))
        for choice in choices:
            rows[row_of[choice.scene]] += (choice.shared(cue), choice.base(cue), 1.0)
        k, expected, n = (float(value) for value in rows.sum(axis=0))
        # A scene in which the cue speaks for the one that was taken alone, and one in which it does for all others.
        value, ci95 = estimate(rows, _difference, [[size, 0.0, size], [0.0, size, size]], rng)
        found.append(
            CueOverlap(
                cue=cue,
                k=round(k),
                n=round(n),
                rate=k / n,
                ci95=wilson_interval(k / n, round(n)),
                base=expected / n,
                difference=value,
                difference_ci95=ci95,
                sentence=_sentence(cue, choices, k / n, expected / n, ci95),
            )
        )
    return tuple(found)


def _difference(sums: Floats) -> Floats:
    value: Floats = (sums[:, 0] - sums[:, 1]) / sums[:, 2]
    return value


def _sentence(cue: str, choices: Sequence[WrongChoice], rate: float, base: float, ci95: tuple[float, float]) -> str:
    words = cue.replace("_", " ")
    if all(choice.base(cue) in (0.0, 1.0) for choice in choices):
        return f"Cannot be told: in these scenes {words} speaks for all other candidates or for none."
    low, high = ci95
    found = "More often than by chance" if low > 0 else "More seldom than by chance" if high < 0 else "As if by chance"
    return (
        f"{found}: {words} speaks for {percent(rate)} of what was taken, and for {percent(base)} of what else could "
        f"have been taken (difference {between(ci95)})."
    )
