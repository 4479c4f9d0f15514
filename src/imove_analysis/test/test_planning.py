"""Whether runs of the planned length find the difference as often as planned."""

import numpy as np
import pytest

from imove_analysis.paired import mcnemar_exact
from imove_analysis.statistics.paired_scores import sign_flip_test
from imove_analysis.statistics.planning import (
    mcnemar_power,
    scenes_for_mcnemar,
    scenes_for_pairs,
    scenes_for_samples,
    scenes_for_sign_flip,
)
from imove_analysis.statistics.unpaired import Count, unpaired_test


def test_power_is_how_often_the_test_is_significant(rng):
    drawn = rng.multinomial(60, [0.1, 0.3, 0.6], size=4000)
    found = np.mean([mcnemar_exact(*row[:2]) <= 0.05 for row in drawn.tolist()])
    assert mcnemar_power(60, 0.1, 0.3, 0.05) == pytest.approx(found, abs=0.02)


def test_without_a_difference_power_is_at_most_the_level():
    assert 0 < mcnemar_power(80, 0.2, 0.2, 0.05) <= 0.05
    assert mcnemar_power(80, 0.0, 0.0, 0.05) == 0.0


@pytest.mark.parametrize("shares", [(0.1, 0.25), (0.0, 0.1), (0.3, 0.5)])
def test_planned_number_is_the_first_that_is_enough(shares):
    scenes = scenes_for_mcnemar(*shares, 0.05)
    assert mcnemar_power(scenes, *shares, 0.05) >= 0.8 > mcnemar_power(scenes - 1, *shares, 0.05)
    assert scenes_for_mcnemar(*shares[::-1], 0.05) == scenes


def test_scores_that_differ_as_planned_are_found(rng):
    sizes, chances = np.array([-2, -1, 0, 1, 2]), np.array([0.05, 0.1, 0.5, 0.2, 0.15])
    mean = float(sizes @ chances)
    scenes = scenes_for_pairs(mean, float(sizes**2 @ chances) - mean**2, 0.05)
    found = [sign_flip_test(changes) <= 0.05 for changes in rng.choice(sizes, p=chances, size=(1500, scenes)).tolist()]
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)


def test_samples_that_differ_as_planned_are_found(rng):
    scenes = scenes_for_samples(0.3, 0.3 * 0.7, 0.6 * 0.4, 0.05)
    # Fleiss, Levin and Paik: (1.96 sqrt(2 * .45 * .55) + 0.842 sqrt(.21 + .24))^2 / .09.
    assert scenes == 42
    drawn = rng.binomial(scenes, [0.3, 0.6], size=(400, 2)).tolist()
    found = [unpaired_test(Count(one, scenes), Count(two, scenes))[1] <= 0.05 for one, two in drawn]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


def test_what_no_run_will_show_has_no_number():
    assert scenes_for_mcnemar(0.2, 0.2, 0.05) is None
    assert scenes_for_mcnemar(0.2, 0.2001, 0.05) is None
    assert scenes_for_pairs(0.0, 1.0, 0.05) is None
    assert scenes_for_pairs(1e-4, 1.0, 0.05) is None
    assert scenes_for_sign_flip([0.0, 0.0], 0.05) is None


def test_too_few_scenes_to_be_significant_are_not_called_enough():
    # Without any spread two scenes would do by the normal approximation; six that differ are the fewest at 5 %.
    assert scenes_for_sign_flip([1.0] * 5, 0.05) == 6
    assert scenes_for_sign_flip([1.0, 0.0], 0.05) == max(12, scenes_for_pairs(0.5, 0.25, 0.05))
    assert sign_flip_test([1] * 6) <= 0.05 < sign_flip_test([1] * 5)
