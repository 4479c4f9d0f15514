"""Is the second policy better than the first, how sure is that, and how many more scenes would tell.

The verdict is that on the score S, the share of the stages that were reached: one question, asked once. The stages say
where a difference is; they are a family, and their p-values are adjusted for it by Holm's method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from imove_analysis.alignment import Alignment, align_runs
from imove_analysis.intervals import WILSON
from imove_analysis.measures import (
    UNDECIDED,
    Measure,
    adjust,
    paired_score,
    paired_stage,
    sequential_score,
    sequential_stage,
    unpaired_score,
    unpaired_stage,
    with_interval,
)
from imove_analysis.runs import Run
from imove_analysis.statistics.continuation import Continuation, further_scenes
from imove_analysis.statistics.sequential import sequential_test
from imove_core.errors import ImoveError

ALPHA = 0.05


@dataclass(frozen=True)
class Comparison:
    """What two runs say of two policies.

    Attributes:
        first: Name of the policy that is compared with.
        second: Name of the one in question.
        suite: Name of the suite, both names where they differ.
        rubric: Whose results.
        condition: Of the episodes.
        alpha: Largest chance of a verdict where there is no difference.
        paired: Whether the runs are on the same scenes.
        sequential: Whether scenes were looked at one by one.
        scenes: How many were looked at; of independent samples, the smaller one.
        available: How many there are.
        score: S, whose verdict is that of the comparison.
        stages: Each stage, adjusted for their number.
        evidence: Of a sequential comparison: the verdict falls at 1/alpha. None otherwise.
        further: Scenes until the verdict where there is none yet: of a sequential comparison by simulation, else those
            that a new run needs beyond these. None where there is a verdict.
        notes: What a reader must know of the data.
    """

    first: str
    second: str
    suite: str
    rubric: str
    condition: str
    alpha: float
    paired: bool
    sequential: bool
    scenes: int
    available: int
    score: Measure
    stages: tuple[Measure, ...]
    evidence: float | None
    further: Continuation | None
    notes: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `undecided`: the second policy against the first."""
        return self.score.verdict

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        further = self.further
        return {
            "verdict": self.verdict,
            "first": self.first,
            "second": self.second,
            "suite": self.suite,
            "rubric": self.rubric,
            "condition": self.condition,
            "alpha": self.alpha,
            "paired": self.paired,
            "sequential": self.sequential,
            "scenes": self.scenes,
            "available": self.available,
            "score": self.score.to_record(),
            "stages": [stage.to_record() for stage in self.stages],
            "evidence": self.evidence,
            "further_scenes": None if further is None else {"median": further.median, "late": further.late},
            "notes": list(self.notes),
        }


def compare_runs(
    first: Run,
    second: Run,
    rng: np.random.Generator,
    *,
    rubric: str = "strict",
    condition: str = "normal",
    alpha: float = ALPHA,
    paired: bool = True,
    sequential: bool = False,
    allow_invalid: bool = False,
    interval: str = WILSON,
) -> Comparison:
    """Compares the second run with the first.

    Args:
        first: The run that is compared with.
        second: The run in question.
        rng: For what is simulated: scenes to come of a sequential test, permutations of independent samples.
        rubric: Whose results count.
        condition: Of the episodes.
        alpha: Level of the tests.
        paired: Whether the runs are on the same scenes.
        sequential: Whether to look at scenes one by one, and stop at the first that settles it.
        allow_invalid: Whether episodes count whose policy was not told the instruction.
        interval: Of the rates of stages, by name, see `named_intervals`.

    Raises:
        ImoveError: The runs cannot be compared, see `align_runs`; alpha is not between 0 and 1; a sequential
            comparison is asked of independent samples; or there is no such interval.
    """
    if not 0 < alpha < 1:
        raise ImoveError(f"alpha is {alpha:g}; it must be between 0 and 1")
    if sequential and not paired:
        raise ImoveError("a sequential comparison needs runs on the same scenes; these are taken as unpaired")
    aligned = align_runs((first, second), rubric, condition, paired, allow_invalid)
    available = aligned.scenes
    evidence, further = None, None
    if sequential:
        ones, others = aligned.scores()
        changes = [other - one for one, other in zip(ones, others, strict=True)]
        found = sequential_test(changes, alpha)
        aligned = replace(aligned, results=tuple(results[: found.scenes] for results in aligned.results))
        evidence = found.evidence
        further = further_scenes(changes, alpha, rng) if found.verdict == UNDECIDED else None
    score = _score(aligned, alpha, sequential, rng)
    if not sequential and score.verdict == UNDECIDED:
        needed = score.scenes_needed
        further = Continuation(None if needed is None else max(0, needed - aligned.scenes), None)
    stages = [_stage(aligned, stage, alpha, sequential) for stage in aligned.stages]
    return Comparison(
        *_names(first, second),
        suite=" and ".join(dict.fromkeys((first.suite_name, second.suite_name))),
        rubric=rubric,
        condition=condition,
        alpha=alpha,
        paired=paired,
        sequential=sequential,
        scenes=aligned.scenes,
        available=available,
        score=score,
        stages=tuple(with_interval(stage, interval) for stage in adjust(stages, alpha)),
        evidence=evidence,
        further=further,
        notes=aligned.notes,
    )


def _score(aligned: Alignment, alpha: float, sequential: bool, rng: np.random.Generator) -> Measure:
    first, second = aligned.scores()
    if not aligned.paired:
        return unpaired_score(aligned.score_name, first, second, alpha, rng)
    if sequential:
        return sequential_score(aligned.score_name, first, second, alpha)
    return paired_score(aligned.score_name, first, second, len(aligned.stages), alpha)


def _stage(aligned: Alignment, stage: str, alpha: float, sequential: bool) -> Measure:
    first, second = aligned.reached(stage)
    if not aligned.paired:
        return unpaired_stage(stage, first, second, alpha)
    return (sequential_stage if sequential else paired_stage)(stage, first, second, alpha)


def _names(first: Run, second: Run) -> tuple[str, str]:
    """Of the policies; with their folders where the names alone are the same."""
    if first.policy != second.policy:
        return (first.policy, second.policy)
    return (f"{first.policy} in {first.folder}", f"{second.policy} in {second.folder}")
