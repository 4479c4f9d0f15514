"""Which cluster is which object: the assignment that is cheapest by place, size and colour together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from imove_core.transforms import Array
from imove_tracker.appearance import color_distance
from imove_tracker.clusters import Cluster

HEIGHT_SCALE_M = 0.012
AREA_SCALE = 0.35
"""Natural logarithm of the ratio of two areas."""
COLOR_SCALE = 0.10
"""Differences that cost 1 each: far more than the same object shows twice, less than most two objects differ by."""
MOST_EACH = 9.0
"""No single measure may decide alone: an operator can put an object anywhere, a lamp can change any colour."""
REFUSED = 16.0
"""A pair that costs more is none."""
IN_DOUBT = 1.0
"""Two assignments whose costs differ by less cannot be told apart."""


@dataclass(frozen=True, eq=False)
class Expected:
    """What an object would look like.

    Attributes:
        middle: (2,) where it should be, world frame, m.
        top_m: Height of its top.
        area_m2: Of what is seen of it.
        color: (3,) mean colour, sRGB 0 to 1, by the light of the scene as well as it is known.
    """

    middle: Array
    top_m: float
    area_m2: float
    color: Array


@dataclass(frozen=True)
class Assignment:
    """Which cluster an object is.

    Attributes:
        cluster: Number of the cluster, None where there is none for it.
        cost: Of the pair.
        rival: Number of another object that it could as well be, None where there is no doubt.
    """

    cluster: int | None
    cost: float = REFUSED
    rival: int | None = None


def assign(expected: Sequence[Expected], found: Sequence[Cluster], place_scale_m: float) -> list[Assignment]:
    """Assigns clusters to objects, each at most once (Hungarian method).

    Args:
        expected: The objects.
        found: The clusters.
        place_scale_m: Distance that costs 1: small while tracking, large where a person laid out the objects.
    """
    if not expected:
        return []
    costs = np.array([[pair_cost(one, cluster, place_scale_m) for cluster in found] for one in expected])
    costs = costs.reshape(len(expected), len(found))
    # A column for each object that is nowhere to be seen.
    padded = np.hstack([costs, np.full((len(expected), len(expected)), REFUSED)])
    rows, columns = linear_sum_assignment(padded)
    chosen = {int(row): int(column) for row, column in zip(rows, columns, strict=True) if column < len(found)}
    result = []
    for row in range(len(expected)):
        column = chosen.get(row)
        if column is None:
            result.append(Assignment(None))
            continue
        result.append(Assignment(column, float(costs[row, column]), _rival(costs, chosen, row)))
    return result


def _rival(costs: Array, chosen: dict[int, int], row: int) -> int | None:
    """Another object with which this one could change places at hardly any cost."""
    for other, column in chosen.items():
        if other != row:
            swapped = costs[row, column] + costs[other, chosen[row]]
            if swapped - costs[row, chosen[row]] - costs[other, column] < IN_DOUBT:
                return other
    return None


def pair_cost(expected: Expected, cluster: Cluster, place_scale_m: float) -> float:
    """Cost of a pair, without unit; each difference that is as large as its scale adds 1."""
    place = float(np.linalg.norm(cluster.middle - expected.middle)) / place_scale_m
    height = (cluster.top_m - expected.top_m) / HEIGHT_SCALE_M
    area = np.log(max(cluster.area_m2, 1e-8) / max(expected.area_m2, 1e-8)) / AREA_SCALE
    color = color_distance(cluster.color, expected.color) / COLOR_SCALE
    return float(sum(min(float(part) ** 2, MOST_EACH) for part in (place, height, area, color)))
