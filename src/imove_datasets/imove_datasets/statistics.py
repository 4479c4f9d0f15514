"""Statistics of columns and images, as trainers normalise with them.

Quantiles of columns are exact, those of images come from histograms of all 256 values. A dimension that hardly moves,
e.g. of the arm that stands by, would turn noise into huge normalised values: its deviation and quantiles get a floor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array
from imove_datasets.pixels import Pixels

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
Statistics = dict[str, Array]
"""min, max, mean, std, count and the quantiles, each one number a dimension; count is one number."""

LEVELS = 256
# A picture is looked at in steps that leave about this many rows: enough for means of a whole episode.
_ROWS = 112
# Width of a normal distribution's quantile ranges, in standard deviations.
_SIGMAS_1_99, _SIGMAS_10_90 = 4.6527, 2.5631
_BINS = 5000
_BATCH_VALUES = 8_000_000


def column_statistics(values: NDArray[np.float32] | NDArray[np.int64]) -> Statistics:
    """Statistics of a column (N,) or (N, d), d numbers each."""
    rows = np.asarray(values, np.float64).reshape(len(values), -1)
    quantiles = np.quantile(rows, list(QUANTILES.values()), axis=0)
    return {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0),
        "std": rows.std(axis=0),
        "count": np.array([len(rows)]),
        **dict(zip(QUANTILES, quantiles, strict=True)),
    }


class ImageHistogram:
    """How often each value of each colour occurs in the images of a camera."""

    def __init__(self) -> None:
        """Starts without images."""
        self._counts = np.zeros((3, LEVELS), np.int64)
        self._images = 0

    def add(self, pixels: Pixels) -> None:
        """Counts an image (H, W, 3); of a large one every second, third ... row and column."""
        step = max(1, min(pixels.shape[:2]) // _ROWS)
        part = pixels[::step, ::step]
        for channel in range(3):
            self._counts[channel] += np.bincount(part[..., channel].ravel(), minlength=LEVELS)
        self._images += 1

    @classmethod
    def sum(cls, histograms: Iterable[ImageHistogram]) -> ImageHistogram:
        """All images together."""
        total = cls()
        for histogram in histograms:
            total._counts += histogram._counts
            total._images += histogram._images
        return total

    def statistics(self) -> Statistics:
        """Statistics of each colour in [0, 1] (3, 1, 1); count is that of the images."""
        values = np.arange(LEVELS) / (LEVELS - 1)
        share = self._counts / self._counts.sum(axis=1, keepdims=True)
        mean = share @ values
        below = np.cumsum(share, axis=1)
        found = {
            "min": values[np.argmax(self._counts > 0, axis=1)],
            "max": values[LEVELS - 1 - np.argmax(self._counts[:, ::-1] > 0, axis=1)],
            "mean": mean,
            "std": np.sqrt(np.maximum(0.0, share @ values**2 - mean**2)),
            **{name: values[np.argmax(below >= q - 1e-12, axis=1)] for name, q in QUANTILES.items()},
        }
        return {
            **{name: numbers.reshape(3, 1, 1) for name, numbers in found.items()},
            "count": np.array([self._images]),
        }


@dataclass(frozen=True)
class Floored:
    """A dimension that hardly moves.

    Attributes:
        column: Its column.
        name: Joint.
        spread: q99 - q01 as it was.
        floor: As it is now.
    """

    column: str
    name: str
    spread: float
    floor: float


def with_floor(statistics: Statistics, floors: Array) -> Statistics:
    """Widens the quantiles of dimensions that spread less than their floor, about their middle, and their deviation.

    Args:
        statistics: Of a column; those of its dimensions have the shape of `floors`.
        floors: Least q99 - q01 of each dimension, in its unit; the others follow as in a normal distribution.

    Returns:
        The statistics with floors. min, max and mean stay what they are.
    """
    floored = dict(statistics)
    for low, high, floor in (("q01", "q99", floors), ("q10", "q90", floors * (_SIGMAS_10_90 / _SIGMAS_1_99))):
        narrow = statistics[high] - statistics[low] < floor
        middle = (statistics[high] + statistics[low]) / 2
        floored[low] = np.where(narrow, middle - floor / 2, statistics[low])
        floored[high] = np.where(narrow, middle + floor / 2, statistics[high])
    floored["std"] = np.maximum(statistics["std"], floors / _SIGMAS_1_99)
    return floored


def narrow_dimensions(statistics: Statistics, floors: Array, column: str, names: Sequence[str]) -> tuple[Floored, ...]:
    """Which dimensions of a column get a floor; arguments as of `with_floor`, and how reports call things."""
    spread = statistics["q99"] - statistics["q01"]
    return tuple(
        Floored(column, name, float(width), float(floor))
        for name, width, floor in zip(names, spread, floors, strict=True)
        if width < floor
    )


def action_chunks(state: Array, action: Array, relative: NDArray[np.bool_], horizon: int, padded: bool) -> Array:
    """Every chunk of an episode as a trainer sees it (n, horizon, D).

    Args:
        state: Positions (N, D).
        action: Targets (N, D).
        relative: Dimensions (D,) that are told from the state at the chunk's start.
        horizon: Actions a chunk.
        padded: Chunks that reach beyond the end repeat the last action; else they are left out.
    """
    starts = np.arange(len(state) if padded else max(0, len(state) - horizon + 1))
    index = np.minimum(starts[:, None] + np.arange(horizon), len(state) - 1)
    chunks: Array = action[index] - np.where(relative, state[starts], 0.0)[:, None, :]
    return chunks


def streamed_statistics(make: Callable[[], Iterable[Array]]) -> Statistics:
    """Statistics over blocks (n, d) that together need not fit into memory; quantiles to 1/5000 of the range.

    Args:
        make: Gives all blocks anew at each call; it is called twice.

    Raises:
        ValueError: There is no row.
    """
    count, low, high, total, squares = 0, np.inf, -np.inf, 0.0, 0.0
    for block in _batches(make()):
        count += len(block)
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        total, squares = total + block.sum(axis=0), squares + (block**2).sum(axis=0)
    if not count:
        raise ValueError("statistics of nothing")
    lows, highs, mean = np.atleast_1d(low), np.atleast_1d(high), np.atleast_1d(total) / count
    width = np.where(highs > lows, highs - lows, 1.0)
    counts = np.zeros((len(lows), _BINS), np.int64)
    offsets = np.arange(len(lows)) * _BINS
    for block in _batches(make()):
        bins = np.minimum(((block - lows) / width * _BINS).astype(np.int64), _BINS - 1)
        counts += np.bincount((bins + offsets).ravel(), minlength=counts.size).reshape(counts.shape)
    below = np.cumsum(counts, axis=1)
    quantiles = {}
    for name, q in QUANTILES.items():
        at = np.argmax(below >= q * count, axis=1)
        quantiles[name] = np.clip(lows + (at + 0.5) / _BINS * np.where(highs > lows, width, 0.0), lows, highs)
    return {
        "min": lows,
        "max": highs,
        "mean": mean,
        "std": np.sqrt(np.maximum(0.0, np.atleast_1d(squares) / count - mean**2)),
        "count": np.array([count]),
        **quantiles,
    }


def _batches(blocks: Iterable[Array]) -> Iterator[Array]:
    """Puts small blocks together: one pass of numpy over many episodes instead of one each."""
    held: list[Array] = []
    size = 0
    for block in blocks:
        if len(block):
            held.append(block)
            size += block.size
        if size >= _BATCH_VALUES:
            yield np.concatenate(held)
            held, size = [], 0
    if held:
        yield np.concatenate(held)
