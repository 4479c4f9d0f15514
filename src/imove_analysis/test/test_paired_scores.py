"""The sign-flip test against scipy and McNemar's, and whether the interval of mean differences holds what it says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from imove_analysis.paired import difference_interval, mcnemar_exact
from imove_analysis.statistics.paired_scores import mean_difference_interval, sign_flip_test

CHANGES = st.lists(st.integers(-4, 4), min_size=2, max_size=9)


@settings(max_examples=40)
@given(CHANGES)
def test_sign_flip_agrees_with_scipy(changes):
    # All sign patterns are enumerated there, in integers, so that sums that are equal compare as equal.
    found = permutation_test((np.array(changes),), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_test(changes) == pytest.approx(found.pvalue, abs=1e-9)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 20), st.integers(1, 4))
def test_for_yes_and_no_it_is_mcnemars(only_first, only_second, neither, size):
    changes = [-size] * only_first + [size] * only_second + [0] * neither
    assert sign_flip_test(changes) == pytest.approx(mcnemar_exact(only_first, only_second), abs=1e-9)


@given(CHANGES)
def test_sign_flip_does_not_care_which_is_first(changes):
    assert sign_flip_test(changes) == pytest.approx(sign_flip_test([-change for change in changes]), abs=1e-12)


def test_no_difference_is_no_evidence():
    assert sign_flip_test([]) == sign_flip_test([0, 0]) == sign_flip_test([1, -1]) == 1.0


def test_sign_flip_holds_its_level(rng):
    # Heavy ties and few scenes, where approximations fail.
    found = [sign_flip_test(changes) for changes in rng.choice([-2, -1, 0, 1, 2], size=(1500, 12)).tolist()]
    assert np.mean(np.array(found) <= 0.05) < 0.065


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_interval_of_yes_and_no_is_that_of_rates_without_the_correction(outcomes):
    scores = mean_difference_interval([(float(one), float(other)) for one, other in outcomes])
    rates = difference_interval(outcomes)
    # Newcombe's correction for continuity shrinks positive correlations alone, which widens.
    assert rates[0] <= scores[0] + 1e-9 and scores[1] <= rates[1] + 1e-9


def test_interval_covers_the_true_difference(rng):
    covered = 0
    for _ in range(1000):
        easy = rng.random(40)
        first, second = ((rng.random((2, 40)) < skill * (0.5 + easy)).mean(axis=0) for skill in (0.4, 0.6))
        low, high = mean_difference_interval(list(zip(first.tolist(), second.tolist(), strict=True)))
        covered += low <= 0.2 <= high
    assert covered / 1000 > 0.94


def test_nothing_is_known_without_scenes():
    assert mean_difference_interval([]) == (-1.0, 1.0)
    low, high = mean_difference_interval([(0.5, 0.5)] * 10)
    assert low < 0 < high
