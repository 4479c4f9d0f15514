"""`imove language` and `imove failures` on a run of records that are made up."""

import json

import pytest
from typer.testing import CliRunner

from imove_analysis.records import make_record
from imove_analysis.testing import make_execution, make_score
from imove_bringup.cli import app
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_tasks.suites import open_suite

SUITE, SCENES = "pick_category/seen", 6


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A policy that lifts the target of normal, whatever it is told."""
    folder = tmp_path_factory.mktemp("runs") / "stubborn"
    folder.mkdir()
    suite = open_suite(SUITE)
    settings = {"policy": "stubborn", "suite": SUITE, "suite_hash": suite.content_hash, "seed": 0}
    (folder / "provenance.json").write_text(json.dumps({"settings": settings}))
    lines = []
    for spec in suite.first(SCENES):
        liked = spec.instruction("normal").target
        for condition in ("normal", "alternative", "empty"):
            said = spec.instruction(condition)
            events = [("strict", stage, liked) for stage in ("reach", "lift")]
            score = make_score(*events, target=said.target, first_contact=liked)
            lines.append(canonical_json(make_record(spec, condition, 0, make_execution(score, said.text))) + "\n")
    (folder / "episodes.jsonl").write_text("".join(lines) + '{"cut')
    return folder


def invoke(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(result.exception, ImoveError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def test_language_as_json_and_as_tables(run_folder):
    data = json.loads(invoke("language", run_folder, "--json").stdout)
    assert data["dependence"]["lift"]["value"] == 0.0
    assert data["activation"]["empty"]["lift"]["value"] == 1.0
    assert data["robustness"]["scrambled"]["reach"]["value"] is None
    assert "is cut off" in data["problems"][0]
    shown = invoke("language", run_folder)
    assert "dependence (LDI), first contact" in shown.stdout
    assert "not run: punctuation, paraphrase, scrambled, conflicting" in " ".join(shown.stdout.split())
    assert "is cut off" in shown.stderr


def test_the_seed_is_that_of_the_resamples(run_folder):
    first, again, other = (
        json.loads(invoke("language", run_folder, "--json", "--seed", seed).stdout) for seed in (1, 1, 2)
    )
    assert first == again
    assert first["dependence"]["reach"]["value"] == other["dependence"]["reach"]["value"]


def test_failures_as_json_and_as_tables(run_folder):
    data = json.loads(invoke("failures", run_folder, "--json").stdout)
    assert data["classes"]["wrong_object_lifted"]["k"] == SCENES
    assert data["classes"]["success"]["k"] == SCENES
    assert [episode["condition"] for episode in data["episodes"]] == ["alternative"] * SCENES
    assert data["left_out"] == {"the text is about no single object": SCENES}
    shown = invoke("failures", run_folder).stdout
    for title in ("Named against acted on, by role", f"Cues in {SCENES} wrong choices", f"{SCENES} episodes"):
        assert title in shown
    assert "no episode to list" in invoke("failures", run_folder, "--class", "slipped").stdout


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        (["--class", "success"], SCENES),
        (["--class", "slipped"], 0),
        (["--condition", "normal"], 0),
        (["--scene", "pick_category/seen/002"], 1),
        (["--object", "milk carton"], 1),
        (["--rank", "cues"], SCENES),
    ],
)
def test_failures_are_chosen(run_folder, flags, count):
    assert len(json.loads(invoke("failures", run_folder, "--json", *flags).stdout)["episodes"]) == count


@pytest.mark.parametrize("flags", [["--class", "tired"], ["--rank", "beauty"], ["--condition", "loud"]])
def test_unknown_names_are_refused(run_folder, flags):
    with pytest.raises(ImoveError, match=f"{flags[1]}.*(toppled|surprise|paraphrase)"):
        invoke("failures", run_folder, *flags)


@pytest.mark.parametrize("command", ["language", "failures"])
def test_what_is_no_run_is_refused(tmp_path, command):
    with pytest.raises(ImoveError, match="is no run"):
        invoke(command, tmp_path)
