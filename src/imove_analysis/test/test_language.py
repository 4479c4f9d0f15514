"""What is said of policies whose use of language is known."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_analysis.language import language_dependence
from imove_analysis.language.dependence import dependence
from imove_analysis.language.information import information
from imove_analysis.language.scenes import scenes_of
from imove_analysis.language.verdict import judge
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS

from .made_up_policies import TARGETS, blind, episode_of, half_listener, idle, listener, run_of, stubborn


def figures(run, seed=0):
    return language_dependence(run, np.random.default_rng(seed))


def figures_in(data):
    """Every figure of a diagnosis."""
    if isinstance(data, dict):
        if "sentence" in data and "value" in data:
            yield data
        for value in data.values():
            yield from figures_in(value)


def values(data):
    return {act: found["value"] for act, found in data["dependence"].items()}


def test_a_perfect_listener_has_everything():
    data = figures(run_of(listener, scenes=50))
    assert values(data) == {"reach": 1.0, "first_contact": 1.0, "lift": 1.0}
    assert (data["information"]["plug_in"], data["information"]["value"]) == (1.0, 1.0)
    assert data["information"]["p"] == 1 / 5000
    pooled = data["grounding"]["pooled"]["all"]
    assert (pooled["rate"], pooled["chance"], pooled["value"]) == (1.0, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert pooled["corrected"]["value"] == pytest.approx(1.0)
    assert data["verdict"]["word"] == "follows"


def test_one_that_always_wants_the_same_has_nothing_although_it_does_all_that_normal_asks():
    data = figures(run_of(stubborn, scenes=100, conditions=CONDITIONS))
    assert data["robustness"]["normal"]["lift"]["value"] == 1.0
    assert values(data) == {"reach": 0.0, "first_contact": 0.0, "lift": 0.0}
    assert (data["information"]["value"], data["information"]["p"]) == (0.0, 1.0)
    assert data["grounding"]["normal"]["all"]["rate"] == 1.0
    assert data["grounding"]["pooled"]["all"]["rate"] == 0.5
    assert data["activation"]["empty"]["lift"]["value"] == 1.0
    assert data["verdict"]["word"] == "ignores"


def test_half_a_listener_has_half():
    data = figures(run_of(half_listener, scenes=60))
    assert values(data) == {"reach": 0.5, "first_contact": 0.5, "lift": 0.5}
    low, high = data["dependence"]["reach"]["ci95"]
    # Its scenes say 0 or 1, so that the interval of the mean is that of 30 of 60.
    assert (low, high) == (pytest.approx(0.37, abs=0.03), pytest.approx(0.63, abs=0.03))
    # Of the columns own, other, neither, half the episodes are in the third, which says nothing.
    assert data["information"]["plug_in"] == pytest.approx(0.5)


def test_a_blind_policy_has_nothing_on_average(rng):
    found = [figures(run_of(blind(rng), scenes=30), seed) for seed in range(20)]
    assert np.mean([values(data)["reach"] for data in found]) == pytest.approx(0.0, abs=0.06)
    assert np.mean([data["grounding"]["pooled"]["all"]["value"] for data in found]) == pytest.approx(0.0, abs=0.05)
    assert sum(data["verdict"]["word"] in ("follows", "acts against") for data in found) <= 2


def test_the_permutation_test_keeps_its_level(rng):
    p = np.array([information(scenes_of(run_of(blind(rng, 6), scenes=40, candidates=6)), rng)["p"] for _ in range(100)])
    for level in (0.05, 0.2, 0.5, 0.8):
        assert abs((p <= level).mean() - level) < 4 * np.sqrt(level * (1 - level) / len(p)), level


def test_the_interval_holds_the_truth_about_as_often_as_it_says(rng):
    """A policy that listens with probability 0.7, else goes for one of three objects: its index is 0.7."""

    def policy(scene, condition):
        return TARGETS[condition] if rng.random() < 0.7 else f"object_{rng.integers(3)}"

    held = 0
    for _ in range(150):
        low, high = dependence(scenes_of(run_of(policy, scenes=20)), rng)["reach"]["ci95"]
        held += low <= 0.7 <= high
    assert held >= 134  # of 95 %, three standard deviations below


def test_where_all_scenes_agree_the_interval_still_has_a_width():
    few, many = (figures(run_of(listener, scenes=n))["dependence"]["reach"]["ci95"] for n in (5, 100))
    assert few[0] < 0.3 < 0.9 < many[0] < 1.0
    assert few[1] == many[1] == 1.0


def test_one_that_does_nothing_is_not_called_deaf():
    data = figures(run_of(idle, scenes=100))
    assert values(data) == {"reach": 0.0, "first_contact": 0.0, "lift": 0.0}
    assert data["verdict"] == {
        "word": "undecided",
        "sentence": data["verdict"]["sentence"],
    }
    assert "reached no object" in data["verdict"]["sentence"]
    assert "reason" in data["grounding"]["pooled"]["touching"]


def test_one_that_does_the_opposite():
    data = figures(run_of(lambda scene, condition: listener(scene, {"normal": "alternative"}.get(condition, "normal"))))
    assert data["dependence"]["reach"]["value"] == -1.0
    assert data["verdict"]["word"] == "acts against"
    # What is touched is known from the text all the same.
    assert data["information"]["value"] == 1.0


@pytest.mark.parametrize(
    ("ci95", "acting", "word"),
    [
        ((0.11, 0.3), 1.0, "follows"),
        ((0.1, 0.3), 1.0, "follows a little"),
        ((0.0, 0.3), 1.0, "undecided"),
        ((-0.05, 0.09), 1.0, "ignores"),
        ((-0.05, 0.09), 0.5, "undecided"),
        ((-0.3, 0.2), 1.0, "undecided"),
        ((-0.3, -0.1), 1.0, "acts against"),
        ((0.0, 0.0), 0.0, "undecided"),
    ],
)
def test_verdicts_are_of_the_interval(ci95, acting, word):
    assert judge({"value": 0.2, "ci95": ci95, "n": 50}, acting).word == word


def test_missing_conditions_are_said():
    data = figures(run_of(listener, conditions=("normal",)))
    for found in (*data["dependence"].values(), data["information"]):
        assert (found["value"], found["ci95"], found["n"]) == (None, None, 0)
        assert "alternative" in found["reason"]
    assert data["activation"]["empty"]["reach"]["reason"] == "no scene was run under empty"
    assert "paraphrase" in data["robustness"]["paraphrase"]["reach"]["reason"]
    assert data["robustness"]["normal"]["reach"]["value"] == 1.0
    assert set(data["grounding"]) == {"normal"}
    assert data["verdict"]["word"] == "undecided"


def test_too_few_scenes_for_information():
    assert "5 are needed" in figures(run_of(listener, scenes=4))["information"]["reason"]


def test_instructions_that_name_the_same_object_say_nothing_of_it():
    run = run_of(listener)
    same = tuple(replace(episode, target="object_0") for episode in run.episodes)
    assert figures(replace(run, episodes=same))["dependence"]["reach"]["value"] is None


def test_texts_that_did_not_arrive_are_refused():
    run = run_of(listener)
    wrong = replace(run.episodes[3], prompt_verified=False)
    with pytest.raises(ImoveError, match=r"in 1 of 40 episodes .* the first of them test/scene/001/alternative"):
        figures(replace(run, episodes=(*run.episodes[:3], wrong, *run.episodes[4:])))


def test_an_empty_run_is_refused():
    with pytest.raises(ImoveError, match="no finished episode"):
        figures(run_of(listener, scenes=0))


def test_without_contacts_the_first_reach_stands_in():
    data = figures(run_of(listener, touched=False))
    assert data["dependence"]["first_contact"]["value"] == 1.0
    assert "stands in" in data["notes"][-1]
    assert len(figures(run_of(listener))["notes"]) == 1


def test_horizons_are_compared():
    run = run_of(listener)
    assert "every episode ran 300 control steps" in figures(run)["notes"][0]
    longer = replace(run.episodes[0], steps=400)
    assert "300 to 400" in figures(replace(run, episodes=(longer, *run.episodes[1:])))["notes"][0]


def test_places_count_at_the_destination_that_was_asked_for():
    stages = ("reach", "lift", "reach_place", "place")

    def put(scene, condition, destination):
        episode = episode_of(scene, condition, TARGETS[condition], stages=stages)
        strict = episode.rubrics["strict"]
        events = tuple(
            replace(event, destination_id="" if event.stage in stages[:2] else destination) for event in strict.events
        )
        result = replace(strict, events=events, stages=stages)
        return replace(episode, destination="bowl", rubrics={"strict": result, "reference": result})

    for destination, index in (("bowl", 1.0), ("plate", 0.0)):
        episodes = [put(scene, name, destination) for scene in range(6) for name in ("normal", "alternative")]
        data = figures(replace(run_of(listener), episodes=tuple(episodes)))
        assert data["dependence"]["lift"]["value"] == 1.0
        assert data["dependence"]["place"]["value"] == index
        assert data["robustness"]["normal"]["place"]["value"] == index
        assert "chance" not in data["robustness"]["normal"]["place"]


def test_the_curve_falls_where_the_policy_stops_listening():
    def policy(scene, condition):
        return "object_0" if condition in ("normal", "punctuation") or scene < 5 else "object_2"

    curve = figures(run_of(policy, scenes=20, conditions=CONDITIONS))["robustness"]
    assert [found["reach"]["value"] for found in curve.values()] == [1.0, 1.0, 0.25, 0.25, 0.25]
    assert "difference" not in curve["normal"]["reach"]
    assert curve["punctuation"]["reach"]["difference"]["value"] == 0.0
    change = curve["paraphrase"]["reach"]["difference"]
    assert change["value"] == -0.75
    assert change["ci95"][1] < -0.4
    assert change["p"] == pytest.approx(2 / 2**15)


def test_conditions_are_compared_over_the_scenes_that_both_have():
    run = run_of(stubborn, scenes=10, conditions=("normal", "paraphrase"))
    few = tuple(e for e in run.episodes if e.condition == "normal" or e.spec_id < "test/scene/004")
    assert figures(replace(run, episodes=few))["robustness"]["paraphrase"]["lift"]["n"] == 4


acted = st.sampled_from(["object_0", "object_1", "object_2", None])


@settings(deadline=None, max_examples=25)
@given(did=st.lists(st.lists(acted, min_size=9, max_size=9), min_size=1, max_size=8), seed=st.integers(0, 99))
def test_figures_keep_their_bounds_and_do_not_depend_on_the_order_of_the_file(did, seed):
    run = run_of(
        lambda scene, condition: did[scene][CONDITIONS.index(condition)], scenes=len(did), conditions=CONDITIONS
    )
    data = figures(run, seed)
    for found in figures_in(data):
        if found["value"] is None:
            assert found["reason"]
            continue
        (low, high), value = found["ci95"], found["value"]
        assert -1.0 <= low <= value <= high <= 1.0
        assert 1 <= found["n"] <= len(did)
        assert found["sentence"].endswith(".")
    shuffled = np.random.default_rng(seed).permutation(len(run.episodes))
    mixed = replace(run, episodes=tuple(run.episodes[index] for index in shuffled))
    again = figures(mixed, seed)
    assert json.dumps(again, sort_keys=True) == json.dumps(data, sort_keys=True)
