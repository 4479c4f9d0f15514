"""Pearson's r against scipy, MMRV by its definition, and what the sentence claims."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from imove_analysis.statistics.agreement import (
    FEW_POLICIES,
    PolicyScores,
    agreement,
    mean_maximum_rank_violation,
    pearson,
)
from imove_core.errors import ImoveError

RATES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=4, max_size=12)


def of_rates(simulated, real, n=50):
    return [
        PolicyScores(f"p{index}", (1.0,) * one + (0.0,) * (n - one), (1.0,) * other + (0.0,) * (n - other))
        for index, (one, other) in enumerate(zip(simulated, real, strict=True))
    ]


@given(RATES)
def test_r_agrees_with_scipy(pairs):
    simulated, real = np.array(pairs).T / 20
    if np.ptp(simulated) and np.ptp(real):
        assert pearson(simulated, real) == pytest.approx(pearsonr(simulated, real).statistic, abs=1e-9)
    else:
        assert pearson(simulated, real) is None


@given(RATES)
def test_mmrv_is_its_definition(pairs):
    worst = []
    for one, real in pairs:
        violations = [abs(real - other_real) * ((one < other) != (real < other_real)) for other, other_real in pairs]
        worst.append(max(violations))
    assert mean_maximum_rank_violation(*np.array(pairs).T) == pytest.approx(np.mean(worst))


def test_mmrv_by_hand():
    assert mean_maximum_rank_violation([0.1, 0.5, 0.9], [0.2, 0.3, 0.8]) == 0.0
    # The first two are swapped, .1 apart on the table; the third is right.
    assert mean_maximum_rank_violation([0.5, 0.1, 0.9], [0.2, 0.3, 0.8]) == pytest.approx(0.2 / 3)
    assert mean_maximum_rank_violation([0, 1], [1, 0]) == 1.0


def test_fisher_interval_covers_the_correlation(rng):
    truth, covered = 0.8, 0
    for _ in range(600):
        one, noise = rng.normal(size=(2, 12))
        both = [PolicyScores("p", (a,), (b,)) for a, b in zip(one, truth * one + 0.6 * noise, strict=True)]
        low, high = pearsonr([p.simulated[0] for p in both], [p.real[0] for p in both]).confidence_interval()
        covered += low <= truth <= high
    assert covered / 600 > 0.92


def test_figures_and_sentence_of_many_policies_that_agree(rng):
    rates = [2, 8, 15, 20, 26, 31, 37, 40, 44, 48]
    found = agreement(of_rates(rates, rates), rng)
    record = found.to_record()
    assert record["pearson"]["value"] == pytest.approx(1.0)
    assert record["pearson"]["ci95"][0] > 0.9
    low, high = record["pearson"]["ci95_episodes"]
    assert 0.9 < low < high <= 1.0
    assert record["mmrv"]["value"] == 0.0 < record["mmrv"]["ci95_episodes"][1]
    assert "rises with" in found.sentence and "are few" not in found.sentence
    assert record["policies"][0]["real"]["mean"] == pytest.approx(0.04)


def test_few_policies_prove_no_relation(rng):
    found = agreement(of_rates([10, 20, 30, 45], [8, 25, 20, 40]), rng)
    assert found.r > 0.8
    assert "has no proven relation to" in found.sentence and "4 policies are few" in found.sentence
    # A correlation of .7 is not told from none below the number that is called few.
    for n, holds_zero in ((FEW_POLICIES - 1, True), (FEW_POLICIES, False)):
        low = np.tanh(np.arctanh(0.7) - 1.959964 / np.sqrt(n - 3))
        assert (low <= 0) == holds_zero


def test_two_policies_say_nothing_of_r(rng):
    found = agreement(of_rates([10, 20], [10, 20]), rng)
    assert (found.r, found.r_fisher) == (pytest.approx(1.0), (-1.0, 1.0))


def test_policies_that_are_all_alike_have_no_r(rng):
    found = agreement(of_rates([50, 50, 50], [10, 20, 30]), rng)
    assert (found.r, found.r_bootstrap, found.r_fisher) == (None, None, (-1.0, 1.0))
    assert "no correlation can be given" in found.sentence
    assert found.to_record()["pearson"]["ci95_episodes"] is None


def test_too_little(rng):
    with pytest.raises(ImoveError, match="over 1 policies; at least 2"):
        agreement(of_rates([10], [10]), rng)
    with pytest.raises(ImoveError, match="policy p has 1 simulated and 0 real episodes"):
        PolicyScores("p", (1.0,), ())
