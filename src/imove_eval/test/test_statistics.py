"""Intervals against scipy and by simulation, identities of the summary, chance by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from imove_core.kinematics import flange_pose
from imove_eval.records import make_record
from imove_eval.statistics import chance_level, mean_interval, proportion, summarise, wilson_interval
from imove_tasks.stages import PICK_STAGES, RUBRICS
from imove_tasks.suites import open_suite

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
def test_summary_is_true_to_its_records(make_spec, make_score, make_execution, episodes):
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


def test_without_a_target_first_contact_says_nothing(make_spec, make_score, make_execution):
    score = make_score(("strict", "reach", "object_2"), target=None, first_contact="object_2")
    record = make_record(make_spec(), "absent", 0, make_execution(score, "pick up the kite"))
    summary = summarise([record], {})
    assert summary["rubrics"]["strict"]["reach"]["k"] == 1
    assert summary["first_contact"]["touched_any"]["n"] == 0
    assert summary["chance"] == {}


def brute_force_reach(rig, spec):
    """Share of choices at which a flange on its way comes within the rubric's distance of the target."""
    flanges = {
        arm.name: (arm.world_from_base.matrix @ flange_pose(arm.arm_model, np.array(arm.home)))[:3, 3]
        for arm in rig.arms
    }
    target = next(np.array(item.position) for item in spec.objects if item.role == "target")
    hits = 0
    for item in spec.objects:
        place = np.array(item.position)
        arm = min(rig.arms, key=lambda arm: np.hypot(*(np.array(arm.world_from_base.xyz) - place)[:2]))
        goal = place + [0, 0, arm.arm_model.flange_from_tcp[2, 3]]
        way = flanges[arm.name] + np.linspace(0, 1, 20_001)[:, None] * (goal - flanges[arm.name])
        visited = np.vstack([way, *(flange for flange in flanges.values())])
        hits += np.linalg.norm(visited - target, axis=1).min() < spec.rubrics.reference.reach_distance_m
    return hits / len(spec.objects)


def test_chance_of_real_scenes(rig):
    specs = open_suite("pick_category/seen").first(12)
    chance = chance_level(rig, specs, "normal")
    assert chance["strict"] == {
        "reach": pytest.approx(1 / 6),
        "lift": pytest.approx(1 / 6),
        "s_pick": pytest.approx(1 / 6),
    }
    assert chance["first_contact"] == pytest.approx(1 / 6)
    expected = np.mean([brute_force_reach(rig, spec) for spec in specs])
    assert chance["reference"]["reach"] == pytest.approx(expected)
    assert chance["reference"]["reach"] > chance["strict"]["reach"]
    assert chance["reference"]["s_pick"] == pytest.approx((expected + 1 / 6) / 2)


def test_chance_is_one_over_the_number_of_objects(rig, make_spec):
    specs = [make_spec(0), make_spec(1, places=((0.3, 0.0), (0.4, 0.3)))]
    chance = chance_level(rig, specs, "normal")
    assert chance["strict"]["reach"] == chance["strict"]["lift"] == chance["first_contact"]
    assert chance["first_contact"] == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_objects_side_by_side_are_all_reached_under_reference(rig, make_spec):
    chance = chance_level(rig, [make_spec(places=((0.30, 0.10), (0.32, 0.12), (0.34, 0.10)))], "normal")
    assert chance["reference"]["reach"] == 1.0


def test_no_chance_level_without_a_target(rig, make_spec):
    assert chance_level(rig, [make_spec()], "absent") == {}
