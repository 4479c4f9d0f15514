"""What a record says about the text that the policy received, and how seeds pair conditions."""

import hashlib

import pytest

from imove_analysis.records import POLICY_LOST, Execution, episode_id, make_record, policy_seed, trace_path
from imove_analysis.testing import make_execution, make_spec
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS


def test_record_of_a_finished_episode():
    spec = make_spec(7)
    record = make_record(spec, "normal", 3, make_execution())
    assert record["episode_id"] == "test/scene/007/normal"
    assert record["spec_hash"] == spec.content_hash
    assert record["prompt_sent"] == record["prompt_echoed"] == "pick up the mug"
    assert record["prompt_sha256"] == hashlib.sha256(b"pick up the mug").hexdigest()
    assert record["prompt_verified"] is True
    assert record["candidates"] == 3
    assert record["wall"] == {"duration_s": 1.5}


@pytest.mark.parametrize("echoed", ["", "pick up the mug ", "Pick up the mug", "pick up the cup"])
def test_any_other_text_is_not_verified(echoed):
    record = make_record(make_spec(), "normal", 0, make_execution(prompt=echoed))
    assert record["prompt_verified"] is False
    assert (record["prompt_sent"], record["prompt_echoed"]) == ("pick up the mug", echoed)


def test_an_empty_instruction_is_verified_by_an_empty_echo():
    record = make_record(make_spec(text=""), "normal", 0, make_execution(prompt=""))
    assert record["prompt_verified"] is True


@pytest.mark.parametrize(("policy", "told"), [("blind:openpi", ""), ("blind:openpi:pick up any", "pick up any")])
def test_a_blind_policy_is_verified_by_the_text_that_it_was_to_get(policy, told):
    record = make_record(make_spec(), "normal", 0, make_execution(prompt=told), policy)
    assert (record["prompt_sent"], record["prompt_expected"]) == ("pick up the mug", told)
    assert record["prompt_verified"] is True
    assert make_record(make_spec(), "normal", 0, make_execution(), policy)["prompt_verified"] is False


def test_aborted_episode_verifies_nothing():
    record = make_record(
        make_spec(), "normal", 0, Execution(POLICY_LOST, None, prompt="pick up the mug", message="gone")
    )
    assert (record["outcome"], record["message"], record["score"]) == (POLICY_LOST, "gone", None)
    assert record["prompt_verified"] is False


def test_conditions_of_a_scene_share_the_seed_of_the_policy():
    records = [make_record(make_spec(4), condition, 9, make_execution()) for condition in CONDITIONS]
    assert len({record["episode_id"] for record in records}) == len(CONDITIONS)
    assert {record["policy_seed"] for record in records} == {policy_seed(9, make_spec(4))}


def test_other_scenes_and_runs_have_other_seeds():
    seeds = [policy_seed(seed, make_spec(index)) for seed in range(5) for index in range(20)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_seed_of_a_scene_is_the_same_in_every_version():
    digest = hashlib.sha256(b"0/test/scene/000").digest()
    assert policy_seed(0, make_spec(0)) == int.from_bytes(digest[:8], "big") // 2


def test_episode_id_names_scene_and_condition():
    assert episode_id(make_spec(12), "empty") == "test/scene/012/empty"


def test_a_record_names_the_control_steps_of_a_finished_episode():
    spec = make_spec(7)
    assert make_record(spec, "empty", 3, make_execution())["trace"] is None
    assert make_record(spec, "empty", 3, make_execution(trace=b""))["trace"] == "traces/test/scene/007/empty.npz"
    assert make_record(spec, "empty", 3, Execution(POLICY_LOST, None, trace=b""))["trace"] is None


@pytest.mark.parametrize("name", ["../up", "/root", "a//b", ".", "a/..", ""])
def test_ids_that_lead_out_of_the_folder_are_refused(name):
    with pytest.raises(ImoveError, match="no place for its trace"):
        trace_path(name, "normal")
