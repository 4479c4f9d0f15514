"""Runs scored again from their control steps: a real run under its own thresholds comes out as it was."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from imove_analysis.rescoring import read_thresholds, with_thresholds
from imove_analysis.runs import EPISODES, PROVENANCE, SUITE, open_run
from imove_analysis.tables.comparable import check_same
from imove_analysis.threshold_sweep import parse_sweep, sweep_rates
from imove_bringup.rescoring import rescore_run
from imove_core.errors import ImoveError
from imove_core.spec import Rubrics
from imove_tasks.suites import Suite, open_suite, write_suite

HORIZON = 150


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of the expert on two scenes under two conditions, over before anything is lifted."""
    shipped = open_suite("pick_category/seen")
    specs = tuple(spec.model_copy(update={"horizon_steps": HORIZON}) for spec in shipped.first(2))
    root = tmp_path_factory.mktemp("rescoring")
    write_suite(Suite("pick_category/short", 0, shipped.asset_snapshot, specs), root / "short.jsonl")
    words = ["--suite", str(root / "short.jsonl"), "--episodes", "2", "--condition", "normal,alternative"]
    command = [sys.executable, "-m", "imove_bringup.cli", "eval", *words, "--out", str(root / "run")]
    subprocess.run(command, check=True, capture_output=True, timeout=110)
    return root / "run"


@pytest.fixture
def run(folder):
    return open_run(folder)


@pytest.fixture
def rig(run):
    return run.suite.open_rig()


def text(folder, name=EPISODES):
    return (folder / name).read_text()


def test_own_thresholds_give_the_same_bytes(run, rig, folder, tmp_path):
    seen = []
    rescore_run(run, rig, {"strict": {"lift_height_m": 0.03}}, tmp_path / "new", lambda: seen.append(1))
    assert len(seen) == 4
    for name in (EPISODES, SUITE, "summary.json"):
        assert text(tmp_path / "new", name) == text(folder, name)
    again = open_run(tmp_path / "new")
    assert again.settings["rubric"] != ""
    assert {key: value for key, value in again.settings.items() if key != "rubric"} == run.settings
    assert again.provenance["rubrics"] == {"strict": {"lift_height_m": 0.03}}
    # The new folder needs the old one no longer.
    assert all((tmp_path / "new" / episode.trace).is_file() for episode in again.episodes)


def test_other_thresholds_change_scores_alone(run, rig, tmp_path):
    rescore_run(run, rig, {"strict": {"reach_distance_m": 0.0, "dwell_s": 5.0}}, tmp_path / "new")
    again = open_run(tmp_path / "new")
    with pytest.raises(ImoveError, match="rubric is '' in"):
        check_same([run, again])
    assert [episode.key for episode in again.episodes] == [episode.key for episode in run.episodes]
    for before, after in zip(run.episodes, again.episodes, strict=True):
        assert "reach" in before.rubrics["strict"].reached
        assert not after.rubrics["strict"].reached
        assert replace(after, rubrics=before.rubrics) == before
        assert after.rubrics["reference"] == before.rubrics["reference"]


def test_a_folder_that_was_begun_is_gone_on_with(run, rig, tmp_path):
    whole = tmp_path / "whole"
    rescore_run(run, rig, {}, whole)
    part, seen = tmp_path / "part", []

    def stop():
        seen.append(1)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rescore_run(run, rig, {}, part, stop)
    assert len(open_run(part).episodes) == 2
    with (part / EPISODES).open("a") as file:
        file.write('{"cut')
    rescore_run(run, rig, {}, part)
    assert text(part) == text(whole)
    with pytest.raises(ImoveError, match="its rubric is"):
        rescore_run(run, rig, {"strict": {"dwell_s": 1.0}}, part)
    with pytest.raises(ImoveError, match="is the run itself"):
        rescore_run(run, rig, {}, run.folder)


def test_scores_of_another_run_in_the_folder(run, rig, tmp_path):
    rescore_run(run, rig, {}, tmp_path)
    changed = text(tmp_path).replace('"policy_id":"expert"', '"policy_id":"other"', 1)
    (tmp_path / EPISODES).write_text(changed)
    with pytest.raises(ImoveError, match="holds the scores of another run"):
        rescore_run(run, rig, {}, tmp_path)


def test_what_cannot_be_scored_again(run, rig, tmp_path):
    first, second, *_ = run.episodes

    def refused(episode, says):
        with pytest.raises(ImoveError, match=says):
            rescore_run(replace(run, episodes=(episode,)), rig, {}, tmp_path / "new")

    refused(replace(first, trace=None), "were not kept")
    refused(replace(first, trace="../elsewhere.npz"), "lies outside of")
    refused(replace(first, trace="traces/none.npz"), "cannot be read")
    other = next(episode for episode in run.episodes if episode.spec_id != first.spec_id)
    refused(replace(first, trace=other.trace), "is the trace of another episode")


def test_a_foreign_suite_is_refused(run, folder, tmp_path):
    for name in (EPISODES, PROVENANCE):
        (tmp_path / name).write_text(text(folder, name))
    shipped = open_suite("pick_category/seen")
    write_suite(Suite("pick_category/short", 0, shipped.asset_snapshot, shipped.first(1)), tmp_path / SUITE)
    with pytest.raises(ImoveError, match="was run on suite pick_category/short"):
        _ = open_run(tmp_path).suite


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("strict: {reach_distanc_m: 0.1}", "unknown key 'reach_distanc_m'; allowed: reach_distance_m, "),
        ("loose: {reach_distance_m: 0.1}", "unknown key 'loose'; allowed: strict, reference"),
        ("strict: {reach_distance_m: far}", "strict.reach_distance_m: .* got 'far'"),
        ("strict: {reach_distance_m: .nan}", "strict.reach_distance_m: .* got nan"),
        ("strict: {reach_distance_m: -0.1}", "strict.reach_distance_m is -0.1; a threshold is 0 or more"),
        ("strict: [", "is not YAML"),
        ("!!python/object:os.system {}", "is not YAML"),
        ("- strict", "Input should be a valid dictionary"),
    ],
)
def test_rubric_files_with_mistakes(tmp_path, content, says):
    path = tmp_path / "rubric.yaml"
    path.write_text(content)
    with pytest.raises(ImoveError, match=says):
        read_thresholds(path)


def test_what_a_rubric_file_does_not_name_stays_as_the_scene_has_it(run, tmp_path):
    path = tmp_path / "rubric.yaml"
    path.write_text("strict:\n  dwell_s: 1.5\n")
    own = Rubrics.model_validate({"strict": {"lift_height_m": 0.07}, "reference": {"open_fraction": 0.5}})
    spec = run.suite.specs[0].model_copy(update={"rubrics": own})
    changed = with_thresholds(spec, read_thresholds(path)).rubrics
    assert changed.strict == own.strict.model_copy(update={"dwell_s": 1.5})
    assert changed.reference == own.reference
    path.write_text("")
    assert with_thresholds(spec, read_thresholds(path)) == spec
    with pytest.raises(ImoveError, match="cannot be read"):
        read_thresholds(tmp_path / "none.yaml")


def test_rates_over_a_threshold(run, rig):
    found = sweep_rates(run, rig, parse_sweep("reach_distance_m=0.0:0.3:3"))
    assert [(item.condition, item.value) for item in found] == [
        (condition, value) for condition in ("normal", "alternative") for value in (0.0, 0.15, 0.3)
    ]
    for condition in ("normal", "alternative"):
        counts = [item.rates["reach"]["k"] for item in found if item.condition == condition]
        assert counts == sorted(counts)
        assert counts[-1] == 2
    at_zero, *_ = sweep_rates(run, rig, parse_sweep("reference.reach_distance_m=0.0:0.1:2"))
    assert at_zero.rates["reach"] == {"k": 0, "n": 2, "rate": 0.0, "ci95": at_zero.rates["reach"]["ci95"]}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("reach_distance_m", "is not NAME=LOW:HIGH:N"),
        ("reach_distance_m=0.1:0.2", "is not NAME=LOW:HIGH:N"),
        ("reach_distance_m=0.1:0.2:x", "is not NAME=LOW:HIGH:N"),
        ("reach_distance_m=0.1:0.2:1", "must rise from LOW to HIGH in 2 to 100 values"),
        ("reach_distance_m=0.2:0.1:5", "must rise"),
        ("reach_distance_m=nan:0.1:5", "must rise"),
        ("reach=0.1:0.2:5", "unknown key 'reach'"),
        ("loose.reach_distance_m=0.1:0.2:5", "unknown rubric 'loose'"),
        ("reach_distance_m=-0.1:0.2:5", "a threshold is 0 or more"),
    ],
)
def test_sweeps_with_mistakes(words, says):
    with pytest.raises(ImoveError, match=says):
        parse_sweep(words)


def test_the_commands(folder, tmp_path):
    def imove(*words):
        command = [sys.executable, "-m", "imove_bringup.cli", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    (tmp_path / "rubric.yaml").write_text("strict: {dwell_s: 5.0}\n")
    done = imove("rescore", folder, "--rubric", tmp_path / "rubric.yaml", "--out", tmp_path / "new", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["by_condition"]["normal"]["rubrics"]["strict"]["reach"]["k"] == 0
    alone = imove("rescore", folder, "--rubric", tmp_path / "rubric.yaml")
    assert (alone.returncode, alone.stderr.count("\n")) == (2, 1)
    moved = imove("motion", folder, "--json")
    assert moved.returncode == 0, moved.stderr
    assert json.loads(moved.stdout)["conditions"]["normal"]["figures"]["tool_path_m"]["n"] == 2
