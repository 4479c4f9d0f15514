"""Where the differences between episodes come from: the scene, the seed of the policy, or neither.

Two-way random effects without repetition: y = mean + scene + seed + rest, one value for each scene and seed; estimated
by the method of moments from the mean squares (Searle, Casella and McCulloch 1992, chapter 4). `rest` is whatever comes
out differently for one scene and one seed: what both do together, and what repeats in neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from imove_analysis.statistics.bootstrap import totals_interval
from imove_core.errors import ImoveError

Floats = npt.NDArray[np.float64]
PARTS = ("scene", "seed", "rest")
_ROUNDING = 1e-12


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
    centred = values - values.mean()
    # Of each scene what the mean squares are made of, so that scenes can be drawn again by their sums.
    totals = np.column_stack([centred, centred.mean(axis=1) ** 2, (centred**2).sum(axis=1)])
    found = _moments(totals.sum(axis=0), scenes)
    kept = np.maximum(found, 0.0)
    total = kept.sum()

    def part(index: int) -> VariancePart:
        low, high = totals_interval(totals, lambda sums: np.maximum(_moments(sums, scenes)[..., index], 0.0), rng)
        return VariancePart(
            variance=float(kept[index]),
            share=float(kept[index] / total) if total else 0.0,
            ci95=(low, high),
            was_negative=bool(found[index] < 0),
        )

    parts = {name: part(index) for index, name in enumerate(PARTS)}
    return VarianceSplit(scenes, tuple(values.mean(axis=0).tolist()), **parts)


def _moments(sums: Floats, scenes: int) -> Floats:
    """Variance of scene, seed and rest, negative ones included, of shape (..., 3).

    Args:
        sums: Over the scenes, of shape (..., seeds + 2): the values of each seed, squared scene means, squared values.
        scenes: How many they are of.
    """
    by_seed = sums[..., :-2] / scenes
    seeds = by_seed.shape[-1]
    mean = by_seed.mean(axis=-1)
    scene_sum = seeds * (sums[..., -2] - scenes * mean**2)
    seed_sum = scenes * ((by_seed - mean[..., None]) ** 2).sum(axis=-1)
    rest_sum = sums[..., -1] - scenes * seeds * mean**2 - scene_sum - seed_sum
    scene_square, seed_square = scene_sum / (scenes - 1), seed_sum / (seeds - 1)
    rest_square = rest_sum / ((scenes - 1) * (seeds - 1))
    found = np.stack([(scene_square - rest_square) / seeds, (seed_square - rest_square) / scenes, rest_square], axis=-1)
    # What rounding leaves of nothing is nothing.
    return np.where(abs(found) < _ROUNDING, 0.0, found)
