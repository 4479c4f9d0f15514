"""The betting test: false verdicts under any stopping, against its definition, and how long it takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from imove_analysis.paired import mcnemar_exact
from imove_analysis.statistics.continuation import Continuation, further_scenes
from imove_analysis.statistics.sequential import (
    BETS,
    anytime_p_values,
    confidence_sequence,
    log_capital,
    sequential_test,
)

ALPHA = 0.05
CHANGES = st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0]), max_size=60)


def ever_settled(differences):
    """Share of rows in which a verdict falls after some scene, whatever comes later."""
    logs = np.maximum(log_capital(differences), log_capital(-differences)) - np.log(2)
    return (logs.max(axis=-1) >= np.log(1 / ALPHA)).mean()


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.95])
@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_false_verdicts_when_looking_after_every_scene(rng, rate, shared):
    """Equal rates; in a share of the scenes both policies meet the same fate."""
    runs, scenes = 2000, 200
    same = rng.random((runs, scenes)) < shared
    first, second = (rng.random((2, runs, scenes)) < rate).astype(float)
    found = ever_settled(np.where(same, 0.0, second - first))
    assert binomtest(round(found * runs), runs, ALPHA, alternative="greater").pvalue > 0.001


def test_false_verdicts_on_scores(rng):
    first, second = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], p=[0.3, 0.2, 0.1, 0.1, 0.3], size=(2, 2000, 200))
    assert ever_settled(second - first) <= ALPHA


def test_expected_capital_is_one_under_every_possible_null():
    """By enumeration: whatever symmetric scenes come, betting gains nothing on average."""
    scenes = 8
    ways = np.array([[1.0 if way >> bit & 1 else -1.0 for bit in range(scenes)] for way in range(2**scenes)])
    for sizes in (np.ones(scenes), np.linspace(0, 1, scenes), np.array([1, 0, 0.25, 0.5] * 2)):
        capital = np.exp(log_capital(ways * sizes))
        assert capital.mean(axis=0) == pytest.approx(np.ones(scenes))


def test_capital_is_the_mean_over_the_bets():
    changes = [1.0, 0.0, -0.5, 0.25]
    expected = np.mean([np.prod([1 + bet * change for change in changes]) for bet in BETS])
    assert np.exp(log_capital(changes)[-1]) == pytest.approx(expected)


@given(CHANGES, st.randoms())
def test_capital_at_the_end_does_not_depend_on_the_order(changes, random):
    shuffled = random.sample(changes, len(changes))
    assert log_capital(changes)[-1:] == pytest.approx(log_capital(shuffled)[-1:])


@given(CHANGES)
def test_verdict_p_value_and_interval_agree(changes):
    found = sequential_test(changes, ALPHA)
    low, high = found.interval
    assert -1.0 <= low <= high <= 1.0
    if found.verdict == "undecided":
        assert found.scenes == len(changes)
        assert found.p > ALPHA and low <= 0 <= high and found.evidence < 1 / ALPHA
    else:
        assert found.p <= ALPHA and found.evidence >= 1 / ALPHA
        assert low > 0 if found.verdict == "better" else high < 0
        # It was not settled a scene before.
        assert sequential_test(changes[: found.scenes - 1], ALPHA).verdict == "undecided"
    turned = sequential_test([-change for change in changes], ALPHA)
    assert (turned.scenes, turned.evidence) == (found.scenes, pytest.approx(found.evidence))
    assert turned.interval == pytest.approx((-high, -low))


def test_nothing_is_known_without_scenes():
    found = sequential_test([], ALPHA)
    assert (found.verdict, found.scenes, found.p, found.interval) == ("undecided", 0, 1.0, (-1.0, 1.0))
    assert anytime_p_values([]) == (1.0, 1.0)


def test_confidence_sequence_covers_the_mean_at_all_times(rng):
    sizes, chances = np.array([-1.0, -0.5, 0.0, 1.0]), np.array([0.1, 0.2, 0.4, 0.3])
    mean = sizes @ chances
    missed = 0
    for changes in rng.choice(sizes, p=chances, size=(200, 60)):
        ends = [confidence_sequence(changes[:scenes], ALPHA) for scenes in range(5, 61, 11)]
        missed += not all(low <= mean <= high for low, high in ends)
    assert missed / 200 <= ALPHA


def test_looking_at_any_time_costs_something():
    for scenes in range(1, 30):
        assert min(anytime_p_values([1.0] * scenes)) >= mcnemar_exact(0, scenes)


def test_a_clear_difference_is_settled_early(rng):
    changes = rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.55, 0.4], size=(200, 100))
    needed = [sequential_test(row, ALPHA) for row in changes]
    assert sum(found.verdict == "better" for found in needed) > 190
    assert sum(found.verdict == "worse" for found in needed) == 0
    assert np.median([found.scenes for found in needed]) < 40


def test_continuations_take_as_long_as_real_ones(rng):
    sizes, chances = [-1.0, 0.0, 1.0], [0.1, 0.6, 0.3]
    logs = log_capital(rng.choice(sizes, p=chances, size=(400, 1000)))
    real = np.median((logs >= np.log(2 / ALPHA)).argmax(axis=1) + 1)
    seen = [-1.0, *[0.0] * 6, *[1.0] * 3]
    found = further_scenes(seen, ALPHA, rng)
    assert found.median + len(seen) == pytest.approx(real, rel=0.25)
    assert found.late > found.median


def test_continuations_that_lead_nowhere(rng):
    assert further_scenes([0.0] * 5, ALPHA, rng) == Continuation(None, None)
    assert further_scenes([], ALPHA, rng) == Continuation(None, None)
    assert further_scenes([0.01, -0.01], ALPHA, rng, simulations=20).late is None
