"""How long a sequential test will go on, if the scenes to come are like those that were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from imove_analysis.statistics.sequential import BETS

SIMULATIONS = 200
MOST_SCENES = 5_000
"""So far continuations are followed."""
_BLOCK = 100


@dataclass(frozen=True)
class Continuation:
    """Further scenes until the verdict, over simulated continuations.

    Attributes:
        median: In half of them it falls sooner; None where that is after more than MOST_SCENES.
        late: In nine of ten of them it falls sooner; None likewise.
    """

    median: int | None
    late: int | None


def further_scenes(
    differences: Sequence[float], alpha: float, rng: np.random.Generator, simulations: int = SIMULATIONS
) -> Continuation:
    """Goes on with an undecided `sequential_test`, each further scene being like one of those seen, drawn at random.

    It takes the differences seen as the truth, which a few scenes are not: read it as "if it stays like this".

    Args:
        differences: Those seen so far, each in [-1, 1].
        alpha: As in the test.
        rng: Draws the scenes to come.
        simulations: How many continuations.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not values.any():
        return Continuation(None, None)
    # Logarithm of what each bet of each gambler makes of each scene, of shape (2 * bets, scenes).
    steps = np.log1p(np.outer(np.concatenate([BETS, -BETS]), values))
    capital = np.repeat(steps.sum(axis=1)[:, None], simulations, axis=1)
    wanted = log(2 / alpha) + log(len(BETS))
    needed: list[int] = []
    for done in range(0, MOST_SCENES, _BLOCK):
        drawn = rng.integers(values.size, size=(capital.shape[1], _BLOCK))
        paths = capital[:, :, None] + steps[:, drawn].cumsum(axis=2)
        # Share of what a gambler needs, summed over the bets; one that has it all need not be counted beyond.
        shares = np.exp(np.minimum(paths - wanted, 0.0))
        settled = np.maximum(*(side.sum(axis=0) for side in np.split(shares, 2))) >= 1
        ended = settled.any(axis=1)
        needed += (done + 1 + settled[ended].argmax(axis=1)).tolist()
        capital = paths[:, ~ended, -1]
        if not capital.size:
            break
    needed.sort()

    def after(share: float) -> int | None:
        rank = int(np.ceil(share * simulations)) - 1
        return needed[rank] if rank < len(needed) else None

    return Continuation(after(0.5), after(0.9))
