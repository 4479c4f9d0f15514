"""Intervals against scipy and by simulation, identities of the summary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from imove_analysis.intervals import mean_interval, proportion, wilson_interval
from imove_analysis.records import make_record
from imove_analysis.summary import summarise
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, RUBRICS, EpisodeScore, StageEvent

TRIALS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(TRIALS, st.floats(0.5, 0.999))
def test_wilson_agrees_with_scipy(trials, confidence):
    k, n = trials
    expected = binomtest(k, n).proportion_ci(confidence, method="wilson")
    assert wilson_interval(k / n, n, confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # Newcombe (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_published_values(k, n, low, high):
    assert wilson_interval(k / n, n) == pytest.approx((low, high), abs=5e-5)


@given(TRIALS)
def test_interval_holds_the_rate_and_stays_in_bounds(trials):
    k, n = trials
    counted = proportion(k, n)
    low, high = counted["ci95"]
    assert 0.0 <= low <= counted["rate"] <= high <= 1.0
    assert (low == 0.0) == (k == 0)
    assert (high == 1.0) == (k == n)


def test_nothing_is_known_without_trials():
    assert proportion(0, 0) == {"k": 0, "n": 0, "rate": None, "ci95": [0.0, 1.0]}
    assert mean_interval([]) == (0.0, 1.0)


@pytest.mark.parametrize(("rate", "n"), [(0.1, 50), (0.5, 100), (0.9, 100)])
def test_wilson_covers_the_true_rate(rng, rate, n):
    counts = rng.binomial(n, rate, 4000)
    covered = [low <= rate <= high for low, high in (wilson_interval(k / n, n) for k in counts.tolist())]
    assert 0.93 < np.mean(covered) < 0.98


def test_mean_interval_covers_the_mean_of_stage_scores(rng):
    reach, lift_after_reach, n = 0.7, 0.6, 60
    reached = (rng.random((3000, n)) < reach).astype(int)
    scores = (reached + reached * (rng.random((3000, n)) < lift_after_reach)) / 2
    mean = (reach + reach * lift_after_reach) / 2
    covered = [low <= mean <= high for low, high in (mean_interval(run.tolist()) for run in scores)]
    assert np.mean(covered) > 0.95


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=50))
def test_mean_interval_of_yes_and_no_is_that_of_the_proportion(values):
    assert list(mean_interval(values)) == proportion(int(sum(values)), len(values))["ci95"]


OBJECTS = ("object_0", "object_1", "object_2")
REACHED = st.lists(
    st.tuples(st.sampled_from(RUBRICS), st.sampled_from(OBJECTS), st.booleans()),
    max_size=6,
    unique_by=lambda item: item[:2],
)
EPISODE = st.tuples(REACHED, st.sampled_from([None, *OBJECTS]), st.booleans())


@settings(max_examples=50)
@given(st.lists(EPISODE, max_size=12))
def test_summary_is_true_to_its_records(episodes):
    records = []
    for index, (reached, contact, verified) in enumerate(episodes):
        events = [
            (rubric, stage, object_id) for rubric, object_id, lifted in reached for stage in PICK_STAGES[: 1 + lifted]
        ]
        score = make_score(*events, first_contact=contact)
        prompt = "pick up the mug" if verified else "pick up the MUG"
        records.append(make_record(make_spec(index), "normal", 0, make_execution(score, prompt)))
    summary = summarise(records, {})
    assert summary["n"] == len(episodes)
    for rubric in RUBRICS:
        stages = summary["rubrics"][rubric]
        assert stages["lift"]["k"] <= stages["reach"]["k"] <= len(episodes)
        if episodes:
            assert stages["s_pick"]["mean"] == pytest.approx((stages["reach"]["rate"] + stages["lift"]["rate"]) / 2)
            assert stages["s_pick"]["ci95"][0] <= stages["s_pick"]["mean"] <= stages["s_pick"]["ci95"][1]
    contacts = [contact for _, contact, _ in episodes]
    first = summary["first_contact"]
    assert first["touched_any"]["k"] == first["accuracy"]["n"] == len([c for c in contacts if c])
    assert first["accuracy"]["k"] == contacts.count("object_0")
    assert summary["language"]["prompt_verified"]["k"] == sum(verified for *_, verified in episodes)


def test_without_a_target_first_contact_says_nothing():
    score = make_score(("strict", "reach", "object_2"), target=None, first_contact="object_2")
    record = make_record(make_spec(), "absent", 0, make_execution(score, "pick up the kite"))
    summary = summarise([record], {})
    assert summary["rubrics"]["strict"]["reach"]["k"] == 1
    assert summary["first_contact"]["touched_any"]["n"] == 0
    assert summary["chance"] == {}


PLACE_EPISODES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12)


@settings(max_examples=30)
@given(PLACE_EPISODES)
def test_summary_of_places_has_all_stages_and_both_scores(episodes):
    records = []
    for index, reached in enumerate(episodes):
        events = tuple(
            StageEvent(rubric, stage, "object_0", True, 1, 0.03, "" if stage in PICK_STAGES else "object_1")
            for rubric, number in zip(RUBRICS, reached, strict=True)
            for stage in PLACE_STAGES[:number]
        )
        score = EpisodeScore("object_0", events, None, 300, "object_1", PLACE_STAGES)
        records.append(make_record(make_spec(index), "normal", 0, make_execution(score)))
    summary = summarise(records, {})
    for number, rubric in enumerate(RUBRICS):
        part = summary["rubrics"][rubric]
        if not episodes:
            assert set(part) == {*PICK_STAGES, "s_pick"}
            continue
        assert set(part) == {*PLACE_STAGES, "s_pick", "s_pnp"}
        for stage in PLACE_STAGES:
            assert part[stage]["k"] == sum(reached[number] > PLACE_STAGES.index(stage) for reached in episodes)
        rates = [part[stage]["rate"] for stage in PLACE_STAGES]
        assert part["s_pick"]["mean"] == pytest.approx(np.mean(rates[:2]))
        assert part["s_pnp"]["mean"] == pytest.approx(np.mean(rates))
