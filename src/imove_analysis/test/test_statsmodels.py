"""Intervals and tests against statsmodels, by values of it on file (`statsmodels_values.py` writes them)."""

import json
from pathlib import Path

import pytest

from imove_analysis.intervals import wilson_interval
from imove_analysis.paired import holm, mcnemar_exact
from imove_analysis.statistics.unpaired import Count, clopper_pearson, difference_interval

VALUES = json.loads((Path(__file__).parent / "data" / "statsmodels.json").read_text())


@pytest.mark.parametrize(("k", "n", "alpha", "low", "high"), VALUES["wilson"])
def test_wilson(k, n, alpha, low, high):
    assert wilson_interval(k / n, n, 1 - alpha) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("k", "n", "alpha", "low", "high"), VALUES["beta"])
def test_clopper_pearson(k, n, alpha, low, high):
    assert clopper_pearson(Count(k, n), 1 - alpha) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("k", "n", "other_k", "other_n", "low", "high"), VALUES["newcomb"])
def test_newcombe(k, n, other_k, other_n, low, high):
    # Its difference is the first less the second.
    assert difference_interval(Count(other_k, other_n), Count(k, n)) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("only_first", "only_second", "p"), VALUES["mcnemar"])
def test_mcnemar(only_first, only_second, p):
    assert mcnemar_exact(only_first, only_second) == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize(("family", "adjusted"), VALUES["holm"])
def test_holm(family, adjusted):
    assert holm(family) == pytest.approx(adjusted, abs=1e-9)
