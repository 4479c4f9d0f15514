"""Choice among the joint vectors that bring a tool to each of several poses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from imove_core.transforms import Array


def shortest_path(
    start: Array, choices: Sequence[Array], most_step_rad: float, step_weight: float = 1.0
) -> tuple[float, Array] | None:
    """Takes one joint vector for each pose so that the weighted joint travel is least, by dynamic programming.

    The travel between two joint vectors is the largest change of a joint.

    Args:
        start: (n,) joint positions from which the first pose is approached, rad; any distance away.
        choices: For each pose (k, n) joint vectors that reach it, rad, k of at least 1.
        most_step_rad: Largest travel between neighbouring poses.
        step_weight: What travel between poses counts, where travel from the start counts 1.

    Returns:
        The weighted travel in rad and the path (poses, n); None where every path has a larger step.
    """
    costs = np.abs(choices[0] - start).max(axis=1)
    predecessors = []
    for before, after in pairwise(choices):
        steps = np.abs(after[:, None, :] - before[None, :, :]).max(axis=2)
        totals = np.where(steps <= most_step_rad, step_weight * steps, np.inf) + costs
        best = totals.argmin(axis=1)
        costs = totals[np.arange(len(after)), best]
        predecessors.append(best)
    last = int(costs.argmin())
    cost = float(costs[last])
    if cost == np.inf:
        return None
    indices = [last]
    for best in reversed(predecessors):
        indices.append(int(best[indices[-1]]))
    return cost, np.array([rows[index] for rows, index in zip(choices, reversed(indices), strict=True)])
