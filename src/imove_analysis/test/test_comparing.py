"""Comparisons of runs, their verdicts in words, and repeats of one policy."""

import json

import numpy as np
import pytest

from imove_analysis.comparing import compare_runs
from imove_analysis.intervals import wilson_interval
from imove_analysis.repeatability import repeatability
from imove_analysis.runs import open_run
from imove_analysis.statistics.named_intervals import proportion_interval
from imove_analysis.statistics.paired_scores import sign_flip_test
from imove_analysis.statistics.unpaired import Count, clopper_pearson
from imove_analysis.verdicts import verdict_sentence
from imove_core.errors import ImoveError

from .comparison_runs import write_run


@pytest.fixture
def compare(tmp_path):
    """Compares runs of given outcomes."""

    def make(first, second, settings=None, **options):
        runs = [
            open_run(write_run(tmp_path / "a", first)),
            open_run(write_run(tmp_path / "b", second, **{"policy": "b", **(settings or {})})),
        ]
        return compare_runs(*runs, np.random.default_rng(0), **options)

    return make


def test_better_on_the_same_scenes(compare):
    found = compare("-" * 20 + "r" * 10, "l" * 12 + "-" * 8 + "r" * 10)
    assert (found.verdict, found.scenes, found.further, found.evidence) == ("better", 30, None, None)
    assert found.score.p == sign_flip_test([2] * 12)
    assert found.score.difference == pytest.approx(0.4)
    reach, lift = found.stages
    assert (reach.first["k"], reach.second["k"], reach.first["n"]) == (10, 22, 30)
    assert reach.p == lift.p == pytest.approx(2 / 2**12)
    # Two stages: each is twice as likely to be found by chance.
    assert reach.p_adjusted == pytest.approx(2 * reach.p)
    assert verdict_sentence(found).startswith("b is better than a: s_pick 0.567 against 0.167, difference +0.400 (95 %")


def test_the_other_way_round_it_is_worse(compare):
    found = compare("l" * 12, "-" * 12)
    assert found.verdict == "worse" and {stage.verdict for stage in found.stages} == {"worse"}
    assert "b is worse than a" in verdict_sentence(found)


def test_undecided_says_what_would_tell(compare):
    found = compare("r-r-r-r-", "rrr-r-l-")
    assert found.verdict == "undecided"
    needed = found.score.scenes_needed
    assert found.further.median == needed - 8 > 0
    assert f"a new run of about {needed} scenes ({needed - 8} more than these) shows it with a chance of 80 %" in (
        verdict_sentence(found)
    )


def test_equal_runs_name_no_number(compare):
    found = compare("rl-r", "rl-r")
    assert (found.verdict, found.score.p, found.score.scenes_needed) == ("undecided", 1.0, None)
    assert "runs of 100,000 scenes would not show a difference as small as this" in verdict_sentence(found)


def test_sequential_stops_where_it_is_settled(compare):
    found = compare("-" * 40, "l" * 40, sequential=True)
    assert found.verdict == "better"
    assert found.scenes == found.score.first["n"] < found.available == 40
    assert found.evidence >= 20
    assert found.stages[0].first["n"] == found.scenes
    assert f"(after {found.scenes} of 40 scenes; false in at most 5 % of cases, wherever one stops)" in (
        verdict_sentence(found)
    )


def test_sequential_that_is_not_settled_goes_on(compare):
    found = compare("-r-r-r", "-rlr-l", sequential=True)
    assert (found.verdict, found.scenes) == ("undecided", 6)
    assert 0 < found.further.median < found.further.late
    assert f"about {found.further.median} more scenes ({2 * found.further.median} episodes)" in verdict_sentence(found)


def test_sequential_without_a_difference_has_no_end(compare):
    found = compare("rr", "rr", sequential=True)
    assert (found.further.median, found.further.late) == (None, None)
    assert "5,000 more scenes will not settle it" in verdict_sentence(found)


def test_unpaired_runs_of_different_suites(compare):
    found = compare("-" * 20, "l" * 15 + "-" * 10, {"suite": "test/other", "suite_hash": "b" * 64}, paired=False)
    assert (found.verdict, found.suite, found.scenes) == ("better", "test/scene and test/other", 20)
    assert {stage.test for stage in found.stages} == {"Barnard"} and found.score.test == "permutation"
    assert "over 20 and 25 scenes" in verdict_sentence(found)


def test_unpaired_needs_more_than_one_scene(compare):
    with pytest.raises(ImoveError, match="s_pick of 1 and 3 scenes; an unpaired comparison needs at least 2"):
        compare("r", "rrr", paired=False)


def test_rates_have_the_interval_that_is_asked_for(compare):
    found = compare("r---", "rr--", interval="clopper-pearson")
    assert found.stages[0].second["ci95"] == pytest.approx(clopper_pearson(Count(2, 4)))
    assert proportion_interval("wilson", 2, 4) == pytest.approx(wilson_interval(0.5, 4))
    with pytest.raises(ImoveError, match="unknown interval 'wald'; allowed: clopper-pearson, wilson"):
        proportion_interval("wald", 2, 4)


def test_runs_of_one_policy_are_told_apart_by_their_folders(compare, tmp_path):
    found = compare("r", "l", {"policy": "a"})
    assert (found.first, found.second) == (f"a in {tmp_path / 'a'}", f"a in {tmp_path / 'b'}")


def test_record_is_plain_data(compare):
    record = json.loads(json.dumps(compare("-r-r-r", "-rlr-l", sequential=True).to_record(), allow_nan=False))
    assert record["verdict"] == "undecided"
    assert [stage["name"] for stage in record["stages"]] == ["reach", "lift"]
    assert record["further_scenes"]["median"] > 0


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, float("nan")])
def test_impossible_alpha(compare, alpha):
    with pytest.raises(ImoveError, match="it must be between 0 and 1"):
        compare("r", "r", alpha=alpha)


def test_sequential_needs_pairs(compare):
    with pytest.raises(ImoveError, match="a sequential comparison needs runs on the same scenes"):
        compare("r", "r", sequential=True, paired=False)


def test_repeats_of_one_policy(tmp_path):
    runs = [
        open_run(write_run(tmp_path / f"seed_{seed}", outcomes, seed=seed))
        for seed, outcomes in ((2, "rl-l-r"), (1, "rl-l--"), (5, "rl-ll-"))
    ]
    found = repeatability(runs, np.random.default_rng(0))
    assert found.seeds == (1, 2, 5)
    assert list(found.splits) == ["reach", "lift", "s_pick"]
    score = found.splits["s_pick"]
    assert score.means == pytest.approx((2.5 / 6, 3 / 6, 3.5 / 6))
    assert score.scene.share > 0.5
    assert json.loads(json.dumps(found.to_record()))["outcomes"]["reach"]["scenes"] == 6


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"seed": 0}, "both have seed 0; repeats need different ones"),
        (
            {"seed": 1, "scheduler": "ensemble"},
            "has scheduler receding and .* ensemble; repeats may differ in their seed",
        ),
    ],
)
def test_what_are_no_repeats(tmp_path, settings, said):
    runs = [open_run(write_run(tmp_path / "a", "rl")), open_run(write_run(tmp_path / "b", "rl", **settings))]
    with pytest.raises(ImoveError, match=said):
        repeatability(runs, np.random.default_rng(0))


def test_one_run_repeats_nothing(tmp_path):
    run = open_run(write_run(tmp_path / "a", "rl"))
    with pytest.raises(ImoveError, match="repeatability of 1 runs; at least 2 with different seeds"):
        repeatability([run], np.random.default_rng(0))
