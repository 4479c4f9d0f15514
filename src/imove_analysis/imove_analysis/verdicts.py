"""A comparison in words: one sentence with the verdict, how sure it is, and what would settle it."""

from __future__ import annotations

from imove_analysis.comparing import Comparison
from imove_analysis.measures import UNDECIDED
from imove_analysis.statistics.continuation import MOST_SCENES as MOST_FURTHER
from imove_analysis.statistics.planning import MOST_SCENES, POWER


def verdict_sentence(comparison: Comparison) -> str:
    """Says what two runs say: better, worse or undecided, how sure, and how many more scenes are expected."""
    score = comparison.score
    low, high = score.interval
    scenes = f"{comparison.scenes}" if comparison.paired else f"{score.first['n']} and {score.second['n']}"
    figures = (
        f"{score.name} {score.second['mean']:.3f} against {score.first['mean']:.3f}, difference "
        f"{score.difference:+.3f} ({percent(1 - comparison.alpha)} interval {low:+.3f} to {high:+.3f}), "
        f"p = {score.p:.2g} over {scenes} scenes"
    )
    if comparison.verdict == UNDECIDED:
        head = f"Undecided whether {comparison.second} is better or worse than {comparison.first}"
    else:
        head = f"{comparison.second} is {comparison.verdict} than {comparison.first}"
    return f"{head}: {figures}{_sureness(comparison)}."


def _sureness(comparison: Comparison) -> str:
    if not comparison.sequential:
        return "" if comparison.verdict != UNDECIDED else f"; {_plan(comparison)}"
    told = f"; evidence {comparison.evidence:.3g}, and a verdict falls at {1 / comparison.alpha:.3g}"
    if comparison.verdict != UNDECIDED:
        return (
            f"{told} (after {comparison.scenes} of {comparison.available} scenes; false in at most "
            f"{percent(comparison.alpha)} of cases, wherever one stops)"
        )
    further = comparison.further
    if further is None or further.median is None:
        return f"{told}; if it stays like this, {MOST_FURTHER:,} more scenes will not settle it"
    late = f"{further.late} in nine of ten cases" if further.late else f"over {MOST_FURTHER:,} in one of ten cases"
    return (
        f"{told}; if it stays like this, about {further.median} more scenes ({2 * further.median} episodes) settle it, "
        f"{late}"
    )


def _plan(comparison: Comparison) -> str:
    needed = comparison.score.scenes_needed
    if needed is None:
        return f"runs of {MOST_SCENES:,} scenes would not show a difference as small as this"
    more = max(0, needed - comparison.scenes)
    return (
        f"if the difference is what it seems, a new run of about {needed} scenes ({more} more than these) shows it "
        f"with a chance of {percent(POWER)}"
    )


def percent(share: float) -> str:
    """E.g. "95 %"."""
    return f"{100 * share:g} %"
