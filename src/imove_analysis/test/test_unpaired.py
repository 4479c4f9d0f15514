"""Clopper-Pearson and the tests of two independent rates against scipy, by enumeration, and published values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import barnard_exact, binom, binomtest, boschloo_exact, fisher_exact

from imove_analysis.statistics.unpaired import (
    BARNARD_LIMIT,
    Count,
    barnard,
    boschloo,
    clopper_pearson,
    difference_interval,
    fisher,
    unpaired_test,
)
from imove_core.errors import ImoveError

COUNTS = st.integers(1, 60).flatmap(lambda n: st.builds(Count, st.integers(0, n), st.just(n)))


@given(st.integers(1, 400).flatmap(lambda n: st.builds(Count, st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_clopper_pearson_agrees_with_scipy(count, confidence):
    expected = binomtest(count.k, count.n).proportion_ci(confidence, method="exact")
    assert clopper_pearson(count, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_nothing_is_known_without_trials():
    assert clopper_pearson(Count(0, 0)) == (0.0, 1.0)
    assert difference_interval(Count(0, 0), Count(0, 0)) == pytest.approx((-1.0, 1.0))


@settings(max_examples=25)
@given(COUNTS, COUNTS)
def test_tests_agree_with_scipy(first, second):
    table = np.array([[first.k, second.k], [first.n - first.k, second.n - second.k]])
    assert fisher(first, second) == pytest.approx(fisher_exact(table).pvalue, abs=1e-9)
    if 0 < table[0].sum() < table.sum():
        assert barnard(first, second) == pytest.approx(min(1.0, barnard_exact(table).pvalue), abs=1e-9)
        assert boschloo(first, second) == pytest.approx(min(1.0, boschloo_exact(table).pvalue), abs=1e-9)
    else:
        assert barnard(first, second) == boschloo(first, second) == 1.0


def test_barnard_by_enumeration_of_all_tables():
    # The samples must be scipy's columns: the other way round it is another test.
    first, second = Count(7, 15), Count(12, 14)
    ones, others = np.meshgrid(np.arange(first.n + 1), np.arange(second.n + 1), indexing="ij")
    pooled = (ones + others) / (first.n + second.n)
    scale = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-300) * (1 / first.n + 1 / second.n))
    statistic = abs(ones / first.n - others / second.n) / scale
    extreme = statistic >= statistic[first.k, second.k] - 1e-12
    largest = max(
        binom.pmf(np.arange(first.n + 1), first.n, rate) @ extreme @ binom.pmf(np.arange(second.n + 1), second.n, rate)
        for rate in np.linspace(0.001, 0.999, 1999)
    )
    assert barnard(first, second) == pytest.approx(largest, abs=1e-5)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    # Newcombe (1998), table II, method 10, examples a to c.
    [
        (Count(48, 80), Count(56, 70), -0.3339, -0.0524),
        (Count(3, 10), Count(9, 10), -0.8090, -0.1705),
        (Count(2, 7), Count(6, 7), -0.8062, -0.0582),
    ],
)
def test_interval_of_the_difference_is_newcombes(first, second, low, high):
    # His difference is first less second.
    assert difference_interval(first, second) == pytest.approx((-high, -low), abs=1e-4)


@given(COUNTS, COUNTS)
def test_interval_holds_the_difference_and_turns_with_the_sides(first, second):
    low, high = difference_interval(first, second)
    assert -1.0 <= low <= second.rate - first.rate <= high <= 1.0
    assert difference_interval(second, first) == pytest.approx((-high, -low))


def test_large_runs_get_fishers_test():
    assert unpaired_test(Count(3, BARNARD_LIMIT), Count(9, 20))[0] == "Barnard"
    large = (Count(30, BARNARD_LIMIT + 1), Count(60, BARNARD_LIMIT))
    assert unpaired_test(*large) == ("Fisher", fisher(*large))


def test_impossible_counts():
    with pytest.raises(ImoveError, match="5 successes of 4 trials are not possible; 0 to 4 are"):
        Count(5, 4)
