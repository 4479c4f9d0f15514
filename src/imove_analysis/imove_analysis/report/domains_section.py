"""Simulation against the real table: per-policy rates on both, and how far one tells the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from imove_analysis.comparing import compare_runs
from imove_analysis.counterfactual import BASELINE
from imove_analysis.report.measure_rows import MeasureRow, measure_rows, side_by_side_plot
from imove_analysis.runs import Run
from imove_analysis.statistics.agreement import Agreement, PolicyScores, agreement
from imove_analysis.tables.comparable import REAL, SIM, domain_of
from imove_core.errors import ImoveError

RUBRIC = "strict"


@dataclass(frozen=True)
class DomainPair:
    """One policy on one suite, in simulation and for real.

    Attributes:
        policy: Its name.
        suite: Name of the suite.
        paired: Whether both are on the same scenes.
        plot: Rates in simulation and on the table.
        rows: Stages and score.
        missing: Why there is no comparison, "" where there is one.
    """

    policy: str
    suite: str
    paired: bool = False
    plot: Markup | None = None
    rows: tuple[MeasureRow, ...] = ()
    missing: str = ""


@dataclass(frozen=True)
class DomainsSection:
    """Simulation and table together.

    Attributes:
        pairs: One a policy and suite that has both.
        agreement: Over the policies, None where fewer than two have both.
        sentence: What it shows and what it does not.
    """

    pairs: tuple[DomainPair, ...]
    agreement: Agreement | None
    sentence: str


def domains_section(runs: Sequence[Run], rng: np.random.Generator) -> DomainsSection | None:
    """Makes the section; None where all runs are of one domain.

    Args:
        runs: Of any policies and suites.
        rng: Draws the resamples of intervals.
    """
    if len({domain_of(run) for run in runs}) < 2:
        return None
    pairs = [
        (simulated, real)
        for simulated in runs
        for real in runs
        if (domain_of(simulated), domain_of(real)) == (SIM, REAL)
        and (simulated.policy, simulated.suite_name) == (real.policy, real.suite_name)
    ]
    scores = _scores(runs)
    if len(scores) >= 2:
        found = agreement(scores, rng)
        return DomainsSection(tuple(_pair(*pair, rng) for pair in pairs), found, found.sentence)
    sentence = (
        f"Policies with finished episodes under {BASELINE} both in simulation and on the table: {len(scores)}; to say "
        "how far one tells the other takes at least 2."
    )
    return DomainsSection(tuple(_pair(*pair, rng) for pair in pairs), None, sentence)


def _pair(simulated: Run, real: Run, rng: np.random.Generator) -> DomainPair:
    paired = simulated.settings["suite_hash"] == real.settings["suite_hash"]
    try:
        found = compare_runs(simulated, real, rng, rubric=RUBRIC, condition=BASELINE, paired=paired)
    except ImoveError as error:
        return DomainPair(simulated.policy, simulated.suite_name, missing=f"{error}.")
    plot = side_by_side_plot(found, f"{simulated.policy} in simulation and on the table")
    return DomainPair(simulated.policy, simulated.suite_name, paired, plot, tuple(measure_rows(found)))


def _scores(runs: Sequence[Run]) -> list[PolicyScores]:
    """Scores of each policy on the suites that it has on both sides: a suite on one side alone shows no agreement."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for run in runs:
        by_domain = found.setdefault(run.policy, {}).setdefault(run.suite_name, {SIM: [], REAL: []})
        by_domain[domain_of(run)] += [
            episode.rubrics[RUBRIC].score for episode in run.episodes if episode.condition == BASELINE
        ]
    scores = []
    for policy, by_suite in found.items():
        shared = [by_domain for by_domain in by_suite.values() if by_domain[SIM] and by_domain[REAL]]
        if shared:
            sides = (tuple(score for by_domain in shared for score in by_domain[side]) for side in (SIM, REAL))
            scores.append(PolicyScores(policy, *sides))
    return scores
