"""`imove eval` over suites, policies and seeds, its tables and cards, and what survives kills. The real simulator."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_tasks.suites import Suite, open_suite, write_suite

KILL_RUN = Path(__file__).resolve().parents[3] / "bench" / "kill_run.py"


def imove(*words, status=0):
    """Gives a command in this process; returns what it printed."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == status, done.output
    return done.stdout


def refused(*words):
    """Gives a command that is refused; returns the sentence."""
    return str(CliRunner().invoke(app, [str(word) for word in words]).exception)


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of a few short scenes."""
    shipped = open_suite("pick_category/seen")
    specs = tuple(spec.model_copy(update={"horizon_steps": 40}) for spec in shipped.first(2))
    path = tmp_path_factory.mktemp("suite") / "short.jsonl"
    write_suite(Suite("pick_category/short", 0, shipped.asset_snapshot, specs), path)
    return path


@pytest.fixture(scope="module")
def protocol(suite, tmp_path_factory):
    """Two policies on one suite: the words of the command, its folder and what it printed."""
    folder = tmp_path_factory.mktemp("protocol") / "out"
    words = ["eval", "--suites", suite, "--policies", "hold,random_object", "--episodes", 2, "--image-size", "64x48"]
    return [*words, "--out", folder], folder, imove(*words, "--out", folder)


def test_each_run_has_its_folder_and_all_stand_in_one_table(protocol):
    words, folder, text = protocol
    runs = json.loads((folder / "protocol.json").read_text())["runs"]
    assert list(runs) == ["pick_category/short/hold", "pick_category/short/random_object"]
    assert all((folder / name / "summary.json").is_file() for name in runs)
    assert "Table 2" in text and "steps executed of each answer 15" in text
    details = json.loads((folder / "pick_category/short/hold/provenance.json").read_text())["details"]
    assert details["scheduler"] == {"executed_steps": 15}
    assert details["policy"] == {"prompt_handling": "not read"}
    assert {"safety", "safety_hash", "rig_hash", "control_rate_hz"} <= details.keys()


def test_the_same_command_has_nothing_left_to_do(protocol):
    words, folder, _ = protocol
    before = (folder / "pick_category/short/random_object/episodes.jsonl").read_bytes()
    assert imove(*words).count("2 episodes, 2 finished before") == 2
    assert (folder / "pick_category/short/random_object/episodes.jsonl").read_bytes() == before


def test_what_cannot_be_run_is_told_before_anything_is(suite, tmp_path):
    words = ["eval", "--suites", suite, "--episodes", 1, "--out", tmp_path / "out"]
    for policies, sentence in [
        ("hold,onnx", "policy onnx needs policy_config"),
        ("hold,replay=nowhere.mcap", "nowhere.mcap"),
        ("hold,act_film=nowhere/at_all", "nowhere/at_all"),
        ("hold,openpi@ftp://a", "ftp"),
    ]:
        error = refused(*words, "--policies", policies)
        assert error.startswith("nothing was run: pick_category/short with policy ") and sentence in error
    assert "--suite cannot go together with --suites" in refused(*words, "--suite", suite)
    assert not list((tmp_path / "out").glob("pick_category"))


def test_tables_come_from_the_folder_alone(protocol):
    _, folder, text = protocol
    printed = imove("tables", folder)
    assert printed.strip() in text
    assert imove("tables", folder, "--format", "latex").count(r"\begin{table}") == 2
    csv = imove("tables", folder, "--format", "csv").splitlines()
    assert csv[0] == "table,row,column,figure,value,k,n,low95,high95"
    assert sum(line.startswith("table,") for line in csv) == 1


def test_a_card_is_checked_by_running_episodes_again(protocol, suite, tmp_path):
    _, folder, _ = protocol
    imove("card", folder / "pick_category/short/random_object", "--out", tmp_path)
    verify = ["eval", "--suite", suite, "--episodes", 1, "--verify"]
    assert "1 of 1 episodes with the same events, 1 with the same stages: agrees" in imove(
        *verify, tmp_path / "card.json"
    )
    card = json.loads((tmp_path / "card.json").read_text())
    for sample in card["runs"][0]["sample"]:
        sample["events_sha256"] = "0" * 64
    (tmp_path / "forged.json").write_text(json.dumps(card))
    assert "does not agree" in imove(*verify, tmp_path / "forged.json", status=1)
    error = refused(*verify, tmp_path / "card.json", "--latency", "0.2")
    assert error == "--latency cannot be given with --verify: the card decides it"


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_like_any_other(suite):
    words = [sys.executable, KILL_RUN, "--kills", "5", "--scenes", "2", "--suite", suite]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of each as without kills" in done.stdout
