"""Whether simulation ranks policies as the real table does: Pearson r, and MMRV of SimplerEnv (Li et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import pearsonr

from imove_analysis.intervals import CONFIDENCE, mean_score
from imove_analysis.statistics.bootstrap import RESAMPLES
from imove_core.errors import ImoveError

Floats = npt.NDArray[np.float64]
FEW_POLICIES = 9
"""Below this a correlation of .7 has an interval that holds 0."""


@dataclass(frozen=True)
class PolicyScores:
    """What one policy did in both worlds.

    Attributes:
        policy: Its name.
        simulated: Score of each episode in simulation, between 0 and 1.
        real: Of each trial on the table.
    """

    policy: str
    simulated: tuple[float, ...]
    real: tuple[float, ...]

    def __post_init__(self) -> None:
        """Checks that both have episodes."""
        if not self.simulated or not self.real:
            raise ImoveError(
                f"policy {self.policy} has {len(self.simulated)} simulated and {len(self.real)} real episodes; "
                "at least one of each is needed"
            )


@dataclass(frozen=True)
class Agreement:
    """How far simulation tells which policy is better on the table.

    Attributes:
        policies: The scores that it is about.
        r: Pearson's correlation of the mean scores, None where one of the sides is the same for all policies.
        r_fisher: Interval of r for policies drawn like these (Fisher 1921); (-1, 1) for fewer than 4.
        r_bootstrap: Interval of r for these very policies, whose episodes could have come out otherwise.
        mmrv: Mean maximum rank violation, see `mean_maximum_rank_violation`.
        mmrv_bootstrap: Interval of it for these very policies.
    """

    policies: tuple[PolicyScores, ...]
    r: float | None
    r_fisher: tuple[float, float]
    r_bootstrap: tuple[float, float] | None
    mmrv: float
    mmrv_bootstrap: tuple[float, float]

    @property
    def sentence(self) -> str:
        """What it shows and what it does not."""
        n = len(self.policies)
        if self.r is None:
            shown = f"Over {n} policies no correlation can be given: one of the sides is the same for all of them"
        else:
            low, high = self.r_fisher
            verdict = "rises with" if low > 0 else "falls with" if high < 0 else "has no proven relation to"
            shown = (
                f"Over {n} policies the score in simulation {verdict} that on the table: r = {self.r:.2f}, "
                f"95 % interval {low:.2f} to {high:.2f}"
            )
        low, high = self.mmrv_bootstrap
        ranks = (
            f"where simulation ranks two policies wrongly, a choice by it loses {self.mmrv:.2f} of the score on the "
            f"table at worst, on average over the policies (MMRV, 95 % interval {low:.2f} to {high:.2f})"
        )
        few = f", and {n} policies are few" if n < FEW_POLICIES else ""
        return (
            f"{shown}; {ranks}. It does not show that the rates themselves are equal, and says nothing about policies "
            f"or scenes of another kind{few}."
        )

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "policies": [
                {"policy": one.policy, "simulated": mean_score(one.simulated), "real": mean_score(one.real)}
                for one in self.policies
            ],
            "pearson": {
                "value": self.r,
                "n": len(self.policies),
                "ci95": list(self.r_fisher),
                "ci95_episodes": None if self.r_bootstrap is None else list(self.r_bootstrap),
            },
            "mmrv": {"value": self.mmrv, "n": len(self.policies), "ci95_episodes": list(self.mmrv_bootstrap)},
            "sentence": self.sentence,
        }


def agreement(policies: Sequence[PolicyScores], rng: np.random.Generator) -> Agreement:
    """Compares mean scores in simulation with those on the table.

    The bootstrap draws episodes within each policy and keeps the policies: resamples of a handful of policies repeat
    some of them, and rank nothing.

    Args:
        policies: At least 2.
        rng: Draws episodes.

    Raises:
        ImoveError: There are fewer than 2 policies.
    """
    if len(policies) < 2:
        raise ImoveError(f"agreement of simulation and table over {len(policies)} policies; at least 2 are needed")
    simulated = np.array([np.mean(one.simulated) for one in policies])
    real = np.array([np.mean(one.real) for one in policies])
    drawn_simulated = np.stack([_drawn_means(one.simulated, rng) for one in policies], axis=1)
    drawn_real = np.stack([_drawn_means(one.real, rng) for one in policies], axis=1)
    pairs = list(zip(drawn_simulated, drawn_real, strict=True))
    correlations = [r for r in (pearson(*pair) for pair in pairs) if r is not None]
    r = pearson(simulated, real)
    return Agreement(
        policies=tuple(policies),
        r=r,
        r_fisher=(-1.0, 1.0) if r is None else _fisher_interval(simulated, real),
        r_bootstrap=_middle(correlations) if r is not None and correlations else None,
        mmrv=mean_maximum_rank_violation(simulated, real),
        mmrv_bootstrap=_middle([mean_maximum_rank_violation(*pair) for pair in pairs]),
    )


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Pearson's correlation; None where one of the sides does not vary."""
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def mean_maximum_rank_violation(simulated: npt.ArrayLike, real: npt.ArrayLike) -> float:
    """MMRV of SimplerEnv (Li et al. 2024, section 3): 0 where the order is the same, and at most 1.

    Of each policy, the largest real difference to another one that simulation puts on the wrong side; their mean.

    Args:
        simulated: Score of each policy in simulation.
        real: On the table, in the same order.
    """
    simulated, real = np.asarray(simulated, dtype=np.float64), np.asarray(real, dtype=np.float64)
    wrong = (simulated[:, None] < simulated) != (real[:, None] < real)
    return float((abs(real[:, None] - real) * wrong).max(axis=1).mean())


def _fisher_interval(simulated: Floats, real: Floats) -> tuple[float, float]:
    found = pearsonr(simulated, real).confidence_interval(CONFIDENCE)
    return (float(found.low), float(found.high))


def _drawn_means(scores: Sequence[float], rng: np.random.Generator) -> Floats:
    """Means of resamples, drawn by the number of times that each distinct score comes up."""
    values, counts = np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)
    means: Floats = rng.multinomial(len(scores), counts / len(scores), size=RESAMPLES) @ values / len(scores)
    return means


def _middle(values: Sequence[float]) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return (float(low), float(high))
