"""McNemar's exact test against scipy, by enumeration, and the counts it is taken over."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from imove_analysis.paired import compare_paired, difference_interval, holm, mcnemar_exact

COUNTS = st.integers(0, 300)


@given(COUNTS, COUNTS)
def test_agrees_with_scipy(first, second):
    expected = binomtest(first, first + second, 0.5).pvalue if first + second else 1.0
    assert mcnemar_exact(first, second) == pytest.approx(expected, abs=1e-12)
    assert mcnemar_exact(first, second) == mcnemar_exact(second, first)


def test_by_enumeration_of_every_way_in_which_five_scenes_can_differ():
    ways = [sum(way) for way in product((0, 1), repeat=5)]
    for first in range(6):
        as_extreme = sum(abs(count - 2.5) >= abs(first - 2.5) for count in ways)
        assert mcnemar_exact(first, 5 - first) == as_extreme / len(ways)


def test_many_scenes():
    assert mcnemar_exact(1000, 1000) == 1.0
    assert 0.0 <= mcnemar_exact(0, 3000) < 1e-300


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_counts_add_up(outcomes):
    pair = compare_paired(outcomes)
    assert pair["n"] == len(outcomes) == pair["both"] + pair["only_first"] + pair["only_second"] + pair["neither"]
    if outcomes:
        first, second = (sum(values) / len(outcomes) for values in zip(*outcomes, strict=True))
        assert pair["difference"] == pytest.approx(second - first)
    assert pair["p"] == mcnemar_exact(pair["only_first"], pair["only_second"])


def test_nothing_is_known_without_scenes():
    assert compare_paired([]) == {
        "n": 0, "both": 0, "only_first": 0, "only_second": 0, "neither": 0, "difference": None, "p": 1.0,
    }  # fmt: skip


def test_interval_of_a_difference_is_newcombes():
    # An example of Newcombe 1998: 36 both, 12 only the first, 2 only the second, of 50; method 10.
    outcomes = [(True, True)] * 36 + [(True, False)] * 12 + [(False, True)] * 2
    low, high = difference_interval(outcomes)
    assert (-high, -low) == pytest.approx((0.0569, 0.3404), abs=5e-4)
    assert difference_interval([]) == (-1.0, 1.0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_interval_holds_the_difference_and_turns_with_the_sides(outcomes):
    low, high = difference_interval(outcomes)
    difference = compare_paired(outcomes)["difference"]
    assert -1.0 <= low <= difference <= high <= 1.0
    turned = difference_interval([(second, first) for first, second in outcomes])
    assert turned == pytest.approx((-high, -low))


def test_holm_adjusts_for_the_number_of_comparisons():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.2]) == [0.2]
