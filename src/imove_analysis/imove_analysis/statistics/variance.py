"""Where the differences between episodes come from: the scene, the seed of the policy, or neither.

Two-way random effects without repetition: y = mean + scene + seed + rest, one value for each scene and seed; estimated
by the method of moments from the mean squares (Searle, Casella and McCulloch 1992, chapter 4). `rest` is whatever comes
out differently for one scene and one seed: what both do together, and what repeats in neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from imove_analysis.statistics.bootstrap import bootstrap_interval
from imove_core.errors import ImoveError

Floats = npt.NDArray[np.float64]
PARTS = ("scene", "seed", "rest")


@dataclass(frozen=True)
class VariancePart:
    """One part of the variance of an outcome.

    Attributes:
        variance: Estimate, 0 where the mean squares gave a negative one.
        share: Of the sum of all parts; 0 where nothing varies.
        ci95: Of the variance, by bootstrap over scenes. With the few seeds of a study, that of the seed is a lower
            bound of what is unknown: the seeds themselves are not drawn again.
        was_negative: Whether the estimate was cut at 0.
    """

    variance: float
    share: float
    ci95: tuple[float, float]
    was_negative: bool

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "variance": self.variance,
            "share": self.share,
            "ci95": list(self.ci95),
            "was_negative": self.was_negative,
        }


@dataclass(frozen=True)
class VarianceSplit:
    """The variance of an outcome over scenes and seeds.

    Attributes:
        scenes: Number of scenes.
        means: Mean of each seed's run, in the order of the seeds.
        scene: Between scenes: some are harder.
        seed: Between runs: a seed that does better or worse on all scenes.
        rest: Within a scene and a seed.
    """

    scenes: int
    means: tuple[float, ...]
    scene: VariancePart
    seed: VariancePart
    rest: VariancePart

    @property
    def run_sd(self) -> float:
        """Standard deviation of the mean of a run, repeated with another seed on the same scenes."""
        return sqrt(self.seed.variance + self.rest.variance / self.scenes)

    @property
    def repeat_distance(self) -> float:
        """By so much two such runs of one policy differ at most, in 95 of 100 pairs (ISO 5725: repeatability limit)."""
        return NormalDist().inv_cdf(0.975) * sqrt(2) * self.run_sd

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "scenes": self.scenes,
            "means": list(self.means),
            **{name: getattr(self, name).to_record() for name in PARTS},
            "run_sd": self.run_sd,
            "repeat_distance": self.repeat_distance,
        }


def split_variance(table: npt.ArrayLike, rng: np.random.Generator) -> VarianceSplit:
    """Splits the variance of an outcome.

    Args:
        table: Of shape (scenes, seeds), each at least 2.
        rng: Draws scenes for the intervals.

    Raises:
        ImoveError: There are too few scenes or seeds.
    """
    values = np.asarray(table, dtype=np.float64)
    scenes, seeds = values.shape
    if scenes < 2 or seeds < 2:
        raise ImoveError(f"variance of {scenes} scenes under {seeds} seeds; at least 2 of each are needed")
    found = _moments(values)
    kept = np.maximum(found, 0.0)
    total = kept.sum()

    def part(index: int) -> VariancePart:
        low, high = bootstrap_interval(range(scenes), partial(_moment_of, values, index), rng)
        return VariancePart(
            variance=float(kept[index]),
            share=float(kept[index] / total) if total else 0.0,
            ci95=(low, high),
            was_negative=bool(found[index] < 0),
        )

    parts = {name: part(index) for index, name in enumerate(PARTS)}
    return VarianceSplit(scenes, tuple(values.mean(axis=0).tolist()), **parts)


def _moment_of(values: Floats, index: int, scenes: Sequence[int]) -> float:
    return max(0.0, float(_moments(values[np.asarray(scenes)])[index]))


def _moments(values: Floats) -> Floats:
    """Variance of scene, seed and rest, negative ones included."""
    scenes, seeds = values.shape
    by_scene, by_seed = values.mean(axis=1), values.mean(axis=0)
    rest = values - by_scene[:, None] - by_seed + values.mean()
    rest_square = (rest**2).sum() / ((scenes - 1) * (seeds - 1))
    return np.array(
        [by_scene.var(ddof=1) - rest_square / seeds, by_seed.var(ddof=1) - rest_square / scenes, rest_square]
    )
