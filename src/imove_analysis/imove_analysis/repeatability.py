"""How well the results of a policy repeat: runs on the same scenes that differ in the policy's seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from imove_analysis.alignment import align_runs
from imove_analysis.runs import Run
from imove_analysis.statistics.variance import VarianceSplit, split_variance
from imove_core.errors import ImoveError


@dataclass(frozen=True)
class Repeatability:
    """What repeats of one policy say.

    Attributes:
        policy: Its name.
        suite: Name of the suite.
        rubric: Whose results.
        condition: Of the episodes.
        seeds: Of the runs, in the order of the columns.
        splits: By outcome: the stages, then `s_pick` or `s_pnp`.
        notes: What a reader must know of the data.
    """

    policy: str
    suite: str
    rubric: str
    condition: str
    seeds: tuple[int, ...]
    splits: dict[str, VarianceSplit]
    notes: tuple[str, ...]

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "policy": self.policy,
            "suite": self.suite,
            "rubric": self.rubric,
            "condition": self.condition,
            "seeds": list(self.seeds),
            "outcomes": {name: split.to_record() for name, split in self.splits.items()},
            "notes": list(self.notes),
        }


def repeatability(
    runs: Sequence[Run], rng: np.random.Generator, rubric: str = "strict", condition: str = "normal"
) -> Repeatability:
    """Splits what differs between episodes into scene, seed of the policy, and rest.

    Args:
        runs: At least two, whose settings differ in the seed alone; scenes that not all have finished are left out.
        rng: For the intervals.
        rubric: Whose results.
        condition: Of the episodes.

    Raises:
        ImoveError: There are fewer than two runs or scenes, two runs have one seed, other settings differ, or a run
            cannot be used, see `align_runs`.
    """
    if len(runs) < 2:
        raise ImoveError(f"repeatability of {len(runs)} runs; at least 2 with different seeds are needed")
    ordered = sorted(runs, key=lambda run: int(run.settings["seed"]))
    for run, following in pairwise(ordered):
        _check_repeat(run, following)
    aligned = align_runs(ordered, rubric, condition)
    outcomes: dict[str, npt.ArrayLike] = {stage: aligned.reached(stage) for stage in aligned.stages}
    outcomes[aligned.score_name] = aligned.scores()
    return Repeatability(
        policy=ordered[0].policy,
        suite=ordered[0].suite_name,
        rubric=rubric,
        condition=condition,
        seeds=tuple(int(run.settings["seed"]) for run in ordered),
        splits={name: split_variance(np.transpose(values), rng) for name, values in outcomes.items()},
        notes=aligned.notes,
    )


def _check_repeat(run: Run, other: Run) -> None:
    if run.settings["seed"] == other.settings["seed"]:
        raise ImoveError(
            f"{run.folder} and {other.folder} both have seed {run.settings['seed']}; repeats need different ones"
        )
    for name in sorted((run.settings.keys() | other.settings.keys()) - {"seed"}):
        ours, theirs = run.settings.get(name), other.settings.get(name)
        if ours != theirs:
            raise ImoveError(
                f"{run.folder} has {name} {ours} and {other.folder} {theirs}; repeats may differ in their seed alone"
            )
