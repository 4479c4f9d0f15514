"""The bootstrap of scenes against scipy, and what it makes of episodes that belong together."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from imove_analysis.intervals import wilson_interval
from imove_analysis.statistics.bootstrap import bootstrap_interval, totals_interval
from imove_core.errors import ImoveError


def rate(scenes):
    return sum(map(sum, scenes)) / sum(map(len, scenes))


def rates(sums):
    return sums[:, 0] / sums[:, 1]


def test_agrees_with_scipy_on_a_mean(rng):
    values = rng.normal(size=60)
    ours = bootstrap_interval(values.tolist(), np.mean, rng, resamples=4000)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=4000, rng=rng).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_sums_say_the_same_as_lists(rng):
    scenes = [tuple((rng.random(3) < 0.4).tolist()) for _ in range(80)]
    slow = bootstrap_interval(scenes, rate, rng, resamples=4000)
    fast = totals_interval([(sum(scene), len(scene)) for scene in scenes], rates, rng, resamples=4000)
    assert fast == pytest.approx(slow, abs=0.01)


def test_episodes_of_one_scene_count_as_one_where_they_are_all_alike(rng):
    outcomes = (rng.random(100) < 0.5).tolist()
    low, high = bootstrap_interval([(outcome,) * 5 for outcome in outcomes], rate, rng, resamples=4000)
    of_scenes = wilson_interval(sum(outcomes) / 100, 100)
    of_episodes = wilson_interval(sum(outcomes) / 100, 500)
    assert high - low == pytest.approx(of_scenes[1] - of_scenes[0], rel=0.08)
    assert high - low > 1.9 * (of_episodes[1] - of_episodes[0])


def test_covers_the_truth(rng):
    covered = 0
    for _ in range(400):
        scene_rates = rng.beta(2, 2, size=(50, 1))
        hits = (rng.random((50, 4)) < scene_rates).sum(axis=1)
        low, high = totals_interval(np.column_stack([hits, np.full(50, 4)]), rates, rng, resamples=400)
        covered += low <= 0.5 <= high
    assert 0.90 < covered / 400 < 0.98


def test_one_seed_gives_one_interval():
    scenes = [(True,), (False,), (True,)]
    first, second = (bootstrap_interval(scenes, rate, np.random.default_rng(5)) for _ in range(2))
    assert first == second


def test_resamples_for_which_it_is_not_defined_are_left_out(rng):
    # A scene with an episode is one in four: about a third of the resamples have none.
    scenes = [(True,), (), (), ()]
    assert bootstrap_interval(scenes, lambda drawn: rate(drawn) if any(drawn) else np.nan, rng) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("interval", "undefined"),
    [(bootstrap_interval, lambda drawn: np.nan), (totals_interval, lambda sums: np.full(len(sums), np.nan))],
)
def test_nothing_to_draw_from(rng, interval, undefined):
    with pytest.raises(ImoveError, match="a bootstrap got no scenes"):
        interval([], undefined, rng)
    with pytest.raises(ImoveError, match="none of 10 resamples"):
        interval([(1.0, 2.0)], undefined, rng, resamples=10)
