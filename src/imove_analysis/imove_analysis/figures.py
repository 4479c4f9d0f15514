"""One figure with its interval, what it was made from, and what it says in words; or why it is not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from imove_analysis.statistics.bootstrap import totals_interval

Figure = dict[str, Any]
"""`value`, `ci95`, `n` and `sentence`, `chance` where there is one; `value` and `ci95` are None where `reason` is."""
Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""Of sums over scenes, shape (resamples, quantities), to one value a row; NaN where it is not defined."""


def figure(value: float, ci95: Sequence[float], n: int, sentence: str, **more: Any) -> Figure:
    """A figure as plain data.

    Args:
        value: The estimate.
        ci95: Its 95 % interval.
        n: Scenes, or episodes where the sentence says so, that it was made from.
        sentence: What it says.
        more: Further entries, e.g. `chance`.
    """
    return {"value": float(value), "ci95": [float(end) for end in ci95], "n": n, "sentence": sentence, **more}


def missing(reason: str) -> Figure:
    """In place of a figure that the run cannot give.

    Args:
        reason: A sentence without a stop, e.g. "no scene was run under alternative".
    """
    return {"value": None, "ci95": None, "n": 0, "reason": reason, "sentence": f"Not known: {reason}."}


def estimate(
    rows: Floats, statistic: Statistic, anchors: npt.ArrayLike, rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    """The value of a statistic of sums over scenes, and its interval by resampling whole scenes.

    Where all scenes agree, resampling alone has no width, as if twenty scenes were as good as a million. So the scenes
    that are drawn from have two more among them, at either end of what a scene can say: what Agresti and Caffo (2000)
    do for the difference of two rates. With n scenes that agree on 1 the interval of a mean reaches down to 1 - 2 * 4/n
    or so of a figure between -1 and 1, with many that do not agree it changes next to nothing.

    Args:
        rows: (scenes, quantities) what each scene adds.
        statistic: Of their sums.
        anchors: (2, quantities) the two further scenes.
        rng: Draws the resamples.

    Returns:
        The value (of the scenes alone) and its 95 % interval, which holds it.
    """
    value = float(statistic(rows.sum(axis=0)[np.newaxis])[0])
    low, high = totals_interval(np.vstack([rows, np.asarray(anchors, dtype=np.float64)]), statistic, rng)
    return value, (min(low, value), max(high, value))


def percent(value: float) -> str:
    """A rate for a sentence, e.g. "37 %"."""
    return f"{100 * value:.0f} %"


def between(ci95: Sequence[float]) -> str:
    """An interval for a sentence, e.g. "0.12 to 0.40"."""
    low, high = (round(end, 2) + 0.0 for end in ci95)
    return f"{low:.2f} to {high:.2f}"
