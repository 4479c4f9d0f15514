"""What is told of schedulers and policies without loading any."""

import pytest

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_policy_node.details import policy_details, scheduler_details
from imove_policy_node.registry import policy_names
from imove_policy_node.scheduling.registry import scheduler_names


@pytest.fixture(scope="module")
def piper():
    return load_rig("piperx_dual")


@pytest.mark.parametrize("name", scheduler_names())
def test_every_scheduler_says_how_much_of_an_answer_it_executes(name):
    own, given = scheduler_details(name, 0), scheduler_details(name, 7)
    assert own["executed_steps"]
    assert (given["executed_steps"] == 7) is (name != "sync_hold")


def test_every_policy_says_what_it_is_given_of_the_text(piper, tmp_path):
    (tmp_path / "manifest.yaml").write_text("name: x")
    for name in policy_names():
        config = str(tmp_path) if name in ("onnx", "torch") else ""
        assert policy_details(name, config, piper)["prompt_handling"]


def test_blind_policies_say_so(piper):
    assert policy_details("blind:openpi", "", piper)["prompt_handling"] == "removed"
    assert policy_details("blind:openpi:pick it", "", piper)["prompt_handling"] == "always 'pick it'"


def test_mappings_and_manifests_are_told_apart_by_content(piper, tmp_path):
    usual = policy_details("openpi", "", piper)
    assert usual["mapping"] == "pi0_imove"
    assert usual["images"] == "224x224, pad"
    assert usual["prompt_handling"] == "verbatim"
    hashes = []
    for text in ("name: x", "name: y"):
        (tmp_path / "manifest.yaml").write_text(text)
        hashes.append(policy_details("onnx", str(tmp_path), piper)["config_hash"])
    assert len({*hashes, usual["config_hash"], policy_details("act_film", "", piper)["config_hash"]}) == 4


def test_missing_files_are_named(piper, tmp_path):
    with pytest.raises(ImoveError, match=r"manifest .*manifest\.yaml cannot be read"):
        policy_details("onnx", str(tmp_path / "manifest.yaml"), piper)
