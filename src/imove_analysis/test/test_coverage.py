"""Coverage of the intervals, exactly; `bench/coverage.py` prints the curves."""

import numpy as np
import pytest
from scipy.stats import binom

from imove_analysis.intervals import wilson_interval
from imove_analysis.statistics.unpaired import Count, clopper_pearson

RATES = np.arange(2, 99) / 100


def curve(interval, n):
    """Chance that the interval of a count holds the rate, by rate."""
    counts = np.arange(n + 1)
    low, high = np.array([interval(Count(k, n)) for k in counts.tolist()]).T
    return (binom.pmf(counts, n, RATES[:, None]) * ((low <= RATES[:, None]) & (RATES[:, None] <= high))).sum(axis=1)


@pytest.mark.parametrize("n", [10, 50, 100])
def test_wilson_covers_as_often_as_it_says_on_average(n):
    found = curve(lambda count: wilson_interval(count.rate, count.n), n)
    assert found.mean() == pytest.approx(0.95, abs=0.01)
    # It dips where the rate passes the end of an interval.
    assert 0.91 < found.min() < 0.95


@pytest.mark.parametrize("n", [10, 50, 100])
def test_clopper_pearson_never_covers_less_than_it_says(n):
    assert curve(clopper_pearson, n).min() >= 0.95
