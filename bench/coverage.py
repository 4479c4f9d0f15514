"""Coverage of the intervals, exactly, and false verdicts of the sequential test, by simulation.

    python bench/coverage.py [--runs N] [--json]

An interval is held against every true rate p from .02 to .98: the chance that it holds p is the sum of the binomial
chances of the counts whose interval does. The sequential test is looked at after every one of 200 scenes, on policies
that are equally good; a run counts as false if a verdict falls at any time. Pairs are correlated by scenes in which
both policies meet the same fate. Last, how many scenes it takes where there is a difference, beside the number that a
test with one look must have planned.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from imove_analysis.intervals import CONFIDENCE, wilson_interval
from imove_analysis.statistics.planning import scenes_for_mcnemar
from imove_analysis.statistics.sequential import log_capital
from imove_analysis.statistics.unpaired import Count, clopper_pearson

Floats = npt.NDArray[np.float64]
TRIALS = (10, 50, 100)
RATES: Floats = np.arange(2, 99) / 100
ALPHA = 0.05
SCENES = 200
NULLS = (0.05, 0.2, 0.5, 0.8, 0.95)
SHARED = (0.0, 0.5)
DIFFERENCES = ((0.0, 0.1), (0.05, 0.3), (0.1, 0.25), (0.1, 0.2), (0.2, 0.3))
LONGEST = 2000
INTERVALS: dict[str, Callable[[Count], tuple[float, float]]] = {
    "Wilson": lambda count: wilson_interval(count.rate, count.n),
    "Clopper-Pearson": clopper_pearson,
}


@dataclass(frozen=True)
class Coverage:
    """How often an interval holds the true rate.

    Attributes:
        interval: Its name.
        n: Trials.
        average: Over all rates.
        lowest: Of all rates.
        lowest_at: The rate where it is.
        curve: By rate.
    """

    interval: str
    n: int
    average: float
    lowest: float
    lowest_at: float
    curve: tuple[float, ...]


@dataclass(frozen=True)
class FalseVerdicts:
    """How often the sequential test finds what is not there.

    Attributes:
        outcome: What was compared.
        runs: Simulated comparisons.
        rate: Share with a verdict at any time.
        ci95: Of that share, for the number of runs.
    """

    outcome: str
    runs: int
    rate: float
    ci95: tuple[float, float]


@dataclass(frozen=True)
class Length:
    """Scenes until the verdict where the second policy is better.

    Attributes:
        only_first: Share of the scenes in which the first alone succeeds.
        only_second: Share in which the second alone does.
        planned: Scenes for McNemar's exact test to find it with a chance of 80 %.
        median: Half of the sequential comparisons are settled by then.
        four_of_five: As many as with the planned number are settled by then.
    """

    only_first: float
    only_second: float
    planned: int | None
    median: int
    four_of_five: int


def coverage(name: str, n: int) -> Coverage:
    """Sums the chances of all counts whose interval holds the rate, for every rate."""
    counts = np.arange(n + 1)
    low, high = np.array([INTERVALS[name](Count(k, n)) for k in counts.tolist()]).T
    chances = binom.pmf(counts, n, RATES[:, None])
    curve = (chances * ((low <= RATES[:, None]) & (RATES[:, None] <= high))).sum(axis=1)
    lowest = int(curve.argmin())
    return Coverage(name, n, float(curve.mean()), float(curve[lowest]), float(RATES[lowest]), tuple(curve.tolist()))


def stage_differences(rng: np.random.Generator, runs: int, rate: float, shared: float) -> Floats:
    """Two policies with the same rate; in a share of the scenes they meet the same fate."""
    first, second = (rng.random((2, runs, SCENES)) < rate).astype(np.float64)
    return np.where(rng.random((runs, SCENES)) < shared, 0.0, second - first)


def score_differences(rng: np.random.Generator, runs: int) -> Floats:
    """Two policies with the same distribution of S over four stages."""
    first, second = rng.choice(np.arange(5) / 4, p=[0.25, 0.3, 0.1, 0.05, 0.3], size=(2, runs, SCENES))
    return second - first


def skewed_differences(rng: np.random.Generator, runs: int) -> Floats:
    """As good on average, but never alike: B is a little better in most scenes, and much worse in a few."""
    return rng.choice([0.25, -1.0], p=[0.8, 0.2], size=(runs, SCENES))


def false_verdicts(outcome: str, differences: Floats) -> FalseVerdicts:
    """Counts runs with a verdict after any scene."""
    logs = np.maximum(log_capital(differences), log_capital(-differences)) - np.log(2)
    found = logs.max(axis=1) >= np.log(1 / ALPHA)
    return FalseVerdicts(outcome, len(found), float(found.mean()), wilson_interval(float(found.mean()), len(found)))


def length(rng: np.random.Generator, runs: int, only_first: float, only_second: float) -> Length:
    """Follows comparisons to their verdict."""
    chances = [only_first, 1 - only_first - only_second, only_second]
    differences = rng.choice([-1.0, 0.0, 1.0], p=chances, size=(runs, LONGEST))
    settled = log_capital(differences) >= np.log(2 / ALPHA)
    scenes = np.where(settled.any(axis=1), settled.argmax(axis=1) + 1, LONGEST)
    median, four_of_five = np.quantile(scenes, [0.5, 0.8])
    planned = scenes_for_mcnemar(only_first, only_second, ALPHA)
    return Length(only_first, only_second, planned, round(float(median)), round(float(four_of_five)))


def measure(runs: int) -> tuple[list[Coverage], list[FalseVerdicts], list[Length]]:
    """All of it."""
    rng = np.random.default_rng(0)
    covered = [coverage(name, n) for name in INTERVALS for n in TRIALS]
    verdicts = [
        false_verdicts(f"stage, p = {rate:.2f}, {shared:.0%} shared", stage_differences(rng, runs, rate, shared))
        for rate in NULLS
        for shared in SHARED
    ]
    verdicts.append(false_verdicts("S of four stages", score_differences(rng, runs)))
    verdicts.append(false_verdicts("S, often +.25, seldom -1", skewed_differences(rng, runs)))
    lengths = [length(rng, runs // 4, *shares) for shares in DIFFERENCES]
    return covered, verdicts, lengths


def print_tables(covered: Sequence[Coverage], verdicts: Sequence[FalseVerdicts], lengths: Sequence[Length]) -> None:
    """Prints averages, curves, false verdicts and lengths."""
    print(f"Coverage of {CONFIDENCE:.0%} intervals, p = .02 to .98 in steps of .01")
    print(f"{'interval':<16} {'n':>4} {'average':>8} {'lowest':>8} {'at p':>6}")
    for row in covered:
        print(f"{row.interval:<16} {row.n:>4} {row.average:>8.4f} {row.lowest:>8.4f} {row.lowest_at:>6.2f}")
    print("\nCurve, every fourth p")
    print(" " * 21 + " ".join(f"{rate:>5.2f}" for rate in RATES[::4]))
    for row in covered:
        print(f"{row.interval:<16} {row.n:>4} " + " ".join(f"{chance:>5.3f}" for chance in row.curve[::4]))
    print(f"\nFalse verdicts of the sequential test at {ALPHA:.0%}, looked at after each of {SCENES} scenes")
    for verdict in verdicts:
        low, high = verdict.ci95
        print(f"{verdict.outcome:<28} {verdict.rate:.4f} [{low:.4f}, {high:.4f}] of {verdict.runs} runs")
    print("\nScenes until the verdict, the second policy being better")
    print(f"{'only A':>7} {'only B':>7} {'planned, one look':>18} {'median':>7} {'4 of 5':>7}")
    for row in lengths:
        print(f"{row.only_first:>7.2f} {row.only_second:>7.2f} {row.planned:>18} {row.median:>7} {row.four_of_five:>7}")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4000, help="simulated comparisons of each kind")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    covered, verdicts, lengths = measure(arguments.runs)
    if arguments.json:
        tables = {"coverage": covered, "false_verdicts": verdicts, "lengths": lengths}
        print(json.dumps({name: [asdict(row) for row in rows] for name, rows in tables.items()}, indent=2))
        return
    print_tables(covered, verdicts, lengths)


if __name__ == "__main__":
    main()
