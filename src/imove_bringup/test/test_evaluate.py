"""`imove eval` over several conditions: pairing, workers, adding conditions. Short episodes, the real simulator."""

import json
import subprocess
import sys

import pytest

from imove_tasks.suites import Suite, open_suite, write_suite

SCENES, HORIZON = 2, 120
CONDITIONS = ("normal", "alternative", "generic", "empty", "absent")


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of a few scenes in which there is time to reach an object, not to lift it."""
    shipped = open_suite("pick_category/seen")
    specs = tuple(spec.model_copy(update={"horizon_steps": HORIZON}) for spec in shipped.first(SCENES))
    path = tmp_path_factory.mktemp("suite") / "short.jsonl"
    write_suite(Suite("pick_category/short", 0, shipped.asset_snapshot, specs), path)
    return path


@pytest.fixture(scope="module")
def evaluate(suite):
    """Runs the command into a folder; returns what it printed."""

    def run(output, condition="counterfactual", **options):
        flags = {"suite": suite, "episodes": SCENES, "condition": condition, "out": output, "image-size": "64x48"}
        words = [text for name, value in (flags | options).items() for text in (f"--{name}", str(value))]
        done = subprocess.run(
            [sys.executable, "-m", "imove_bringup.cli", "eval", *words], capture_output=True, text=True, timeout=110
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def whole(evaluate, tmp_path_factory):
    """A run of the paper's five conditions: its folder and what it printed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return folder, evaluate(folder)


def records(folder):
    lines = [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "wall"} for line in lines]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def test_every_scene_runs_through_every_condition(whole, suite):
    found, specs = records(whole[0]), open_suite(str(suite)).specs
    assert [(record["spec_id"], record["condition"]) for record in found] == [
        (spec.id, condition) for spec in specs for condition in CONDITIONS
    ]
    for record in found:
        spec = next(spec for spec in specs if spec.id == record["spec_id"])
        assert record["prompt_echoed"] == spec.instruction(record["condition"]).text
        assert record["prompt_verified"] is True
        assert record["score"]["steps"] == HORIZON


def test_conditions_are_paired(whole):
    for spec_id in {record["spec_id"] for record in records(whole[0])}:
        of_scene = [record for record in records(whole[0]) if record["spec_id"] == spec_id]
        assert len({(record["policy_seed"], record["settled_pose_hash"]) for record in of_scene}) == 1


def test_the_expert_does_what_it_is_told(whole):
    conditions = summary(whole[0])["counterfactual"]["conditions"]
    reached = {
        name: conditions[name]["rubrics"]["strict"]["any_object"]["reach"]["k"] for name in ("normal", "alternative")
    }
    assert reached == {"normal": SCENES, "alternative": SCENES}
    for name in ("generic", "empty", "absent"):
        assert conditions[name]["rubrics"]["strict"]["any_object"]["reach"]["k"] == 0
    assert conditions["normal"]["rubrics"]["strict"]["target"]["reach"]["k"] == SCENES
    assert conditions["alternative"]["rubrics"]["strict"]["normal_target"]["reach"]["k"] == 0


def test_a_blind_policy_does_not(evaluate, tmp_path):
    evaluate(tmp_path / "run", condition="normal,alternative,empty", policy="random_object")
    by_scene = {}
    for record in records(tmp_path / "run"):
        events = record["score"]["rubrics"]["strict"]["events"]
        moves = [(event["stage"], event["object_id"], event["step"]) for event in events]
        by_scene.setdefault(record["spec_id"], []).append(moves)
    for moves in by_scene.values():
        assert moves[0]
        assert moves == [moves[0]] * 3


def test_what_is_printed(whole):
    folder, text = whole
    assert '10/10  absent  "' in text
    for row in ("Normal", "Alternative", "Generic", "Empty", "Absent", "Chance"):
        assert f"│ {row}" in text
    assert f"written: {folder}" in text.replace("\n", "")


def test_conditions_added_later_and_more_workers_change_nothing(evaluate, whole, tmp_path):
    folder = tmp_path / "run"
    evaluate(folder, condition="absent,normal", episodes=1)
    assert "2 finished before" in evaluate(folder, workers=2)
    assert records(folder) == records(whole[0])
    assert summary(folder) == summary(whole[0])
