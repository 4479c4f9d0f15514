"""The split of variance against values it was made from, an analysis by hand, and tables without any."""

import numpy as np
import pytest

from imove_analysis.statistics.variance import split_variance
from imove_core.errors import ImoveError


def test_finds_what_the_table_was_made_of(rng):
    parts = []
    for _ in range(60):
        table = rng.normal(0, 0.3, (60, 1)) + rng.normal(0, 0.1, 6) + rng.normal(0, 0.2, (60, 6))
        grand = table - table.mean()
        assert abs(grand.mean()) < 1e-12
        split = split_variance(table, np.random.default_rng(0)) if len(parts) < 2 else None
        by_scene, by_seed = table.mean(axis=1), table.mean(axis=0)
        rest = ((grand - by_scene[:, None] - by_seed + 2 * table.mean()) ** 2).sum() / (59 * 5)
        parts.append((by_scene.var(ddof=1) - rest / 6, by_seed.var(ddof=1) - rest / 60, rest))
        if split:
            found = (split.scene.variance, split.seed.variance, split.rest.variance)
            assert found == pytest.approx(parts[-1])
            assert sum(part.share for part in (split.scene, split.seed, split.rest)) == pytest.approx(1.0)
            assert split.rest.ci95[0] < 0.04 < split.rest.ci95[1]
    assert np.mean(parts, axis=0) == pytest.approx([0.09, 0.01, 0.04], rel=0.2)


def test_by_hand():
    # Scene means 1, 3, 2; seed means 1 and 3: rest 0 but in the last scene.
    split = split_variance([[0, 2], [2, 4], [1, 3]], np.random.default_rng(0))
    assert split.means == pytest.approx((1.0, 3.0))
    assert (split.scene.variance, split.seed.variance, split.rest.variance) == pytest.approx((1.0, 2.0, 0.0))
    assert split.run_sd == pytest.approx(2**0.5)
    assert split.repeat_distance == pytest.approx(1.959964 * 2)


def test_negative_estimates_are_cut_and_told():
    # Every scene has the same mean: what there is comes from the rest.
    split = split_variance([[0, 1], [1, 0], [0, 1], [1, 0]], np.random.default_rng(0))
    assert (split.scene.variance, split.scene.was_negative) == (0.0, True)
    assert (split.seed.variance, split.seed.was_negative) == (0.0, True)
    assert split.rest.share == 1.0


def test_a_policy_that_always_does_the_same():
    split = split_variance(np.ones((5, 3)), np.random.default_rng(0))
    assert (split.run_sd, split.repeat_distance, split.rest.share) == (0.0, 0.0, 0.0)
    assert split.to_record()["scene"] == {"variance": 0.0, "share": 0.0, "ci95": [0.0, 0.0], "was_negative": False}


def test_repeats_differ_by_no_more_than_told(rng):
    """Bernoulli outcomes of scenes of their own difficulty: 95 of 100 pairs of runs stay within the distance.

    Estimates that are cut at 0 make it rather too large.
    """
    chances = rng.beta(1, 1, size=(100, 1))
    distance = np.mean(
        [split_variance(rng.random((100, 8)) < chances, np.random.default_rng(0)).repeat_distance for _ in range(3)]
    )
    runs = (rng.random((2, 100, 1000)) < chances).mean(axis=1)
    assert 0.93 < (abs(runs[0] - runs[1]) <= distance).mean() < 0.995


@pytest.mark.parametrize("shape", [(1, 3), (3, 1)])
def test_too_small_a_table(shape, rng):
    with pytest.raises(ImoveError, match="at least 2 of each are needed"):
        split_variance(np.zeros(shape), rng)
