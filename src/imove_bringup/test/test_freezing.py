"""Suites are frozen, certified again and audited: the same whatever the workers, and nothing false holds."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_bringup.freezing.certifying import certify_suite
from imove_bringup.freezing.journal import Journal
from imove_bringup.freezing.running import Draw, SceneJob, make_scenes
from imove_bringup.freezing.scene_maker import Refusal
from imove_bringup.freezing.suites import freeze_suite
from imove_bringup.freezing.yields import summarise
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_tasks.language import parse
from imove_tasks.randomization import load_randomization
from imove_tasks.suites import Suite, open_suite, write_suite

EPISODES = 3


def job(family: str = "pick_spatial", split: str = "seen", rig: str = "franka_single") -> SceneJob:
    return SceneJob(family, split, rig, "mujoco", load_randomization("default"))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """A suite of three episodes."""
    out = tmp_path_factory.mktemp("suite") / "mine.jsonl"
    frozen = freeze_suite(job(), EPISODES, 0, 1, out, lambda: None)
    frozen.journal.close()
    return frozen.suite


def test_every_episode_carries_a_certificate(suite: Suite) -> None:
    assert suite.name == "pick_spatial/seen@franka_single"
    for spec in suite.specs:
        certificate = spec.certificate
        assert certificate is not None and certificate.engine.startswith("mujoco ")
        assert {item.object_id for item in certificate.candidates} == set(spec.candidates)
        assert all(item.lift_m > 0.03 and item.visible_share >= 0.6 for item in certificate.candidates)
        assert {goal.target for goal in certificate.goals} == set(spec.candidates)
        assert all(parse(goal.text) == goal.meaning for goal in certificate.goals)
        assert certificate.drift_m < 0.001


def test_neither_workers_nor_a_kill_change_the_suite(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    side_by_side = freeze_suite(job(), EPISODES, 0, 2, out, lambda: None)
    assert side_by_side.suite.content_hash == suite.content_hash
    # What a killed run leaves behind: one scene, and a line that was cut.
    file = out.with_suffix(".scenes.jsonl")
    lines = file.read_text().split("\n")
    file.write_text("\n".join([*lines[:2], lines[2][:100]]))
    shown: list[None] = []
    resumed = freeze_suite(job(), EPISODES, 0, 1, out, lambda: shown.append(None))
    assert resumed.suite.content_hash == suite.content_hash
    assert len(shown) == EPISODES and resumed.draws >= EPISODES - 1
    resumed.journal.close()
    assert not file.exists()


def test_a_journal_of_another_run_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.scenes.jsonl"

    def journal(seed: int) -> Journal[Draw]:
        return Journal(path, {"family": "pick_spatial", "seed": seed}, Draw, lambda draw: draw.index)

    journal(0)
    with pytest.raises(ImoveError, match="is of another run .*; remove it to start anew"):
        journal(1)
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(ImoveError, match="is damaged; remove it to start anew"):
        journal(0)


def certified(suite: Suite, spec: EpisodeSpec) -> object:
    changed = Suite(suite.name, suite.seed, suite.asset_snapshot, (spec,))
    return next(iter(certify_suite(changed, 1, ())))[1]


def test_certifying_again_gives_the_same_figures(suite: Suite) -> None:
    assert [outcome for _, outcome in certify_suite(suite, 1, ())] == [spec.certificate for spec in suite.specs]


def test_what_was_changed_is_not_certified(suite: Suite) -> None:
    spec = suite.specs[0]
    normal = spec.instruction("normal")
    lying = normal.model_copy(update={"text": spec.instruction("alternative").text})
    said = certified(suite, spec.model_copy(update={"instructions": {**spec.instructions, "normal": lying}}))
    assert said == "the text of condition normal means something else than what is stored"
    first = spec.objects[0]
    raised = first.model_copy(update={"position": (first.position[0], first.position[1], first.position[2] + 0.05)})
    said = certified(suite, spec.model_copy(update={"objects": (raised, *spec.objects[1:])}))
    assert isinstance(said, str) and "from where it is said to rest" in said
    far = first.model_copy(update={"position": (first.position[0] + 0.6, *first.position[1:])})
    assert isinstance(certified(suite, spec.model_copy(update={"objects": (far, *spec.objects[1:])})), str)
    said = certified(suite, spec.model_copy(update={"certificate": None}))
    assert said == "the spec has no certificate and thus no goals to prove; freeze it anew"


def test_a_training_set_shares_neither_seed_nor_layout_nor_held_out_asset(suite: Suite) -> None:
    train = [made.scene for made in make_scenes(job(split="train"), 0, range(2), 1)]
    assert not {scene.seed for scene in train} & {spec.seed for spec in suite.specs}
    places = {item.position for spec in suite.specs for item in spec.objects}
    assert not places & {item.position for scene in train for item in scene.objects}


def test_placing_is_proved_for_every_object_and_container() -> None:
    made = next(iter(make_scenes(job("place_a2b", "single", "piperx_dual"), 1, [0], 1)))
    proof = made.scene.proof
    assert proof is not None and proof.placed == (True, True, True)
    assert {item.object_id for item in proof.candidates} == {goal.target for goal in made.scene.goals}


def test_yield_counts_what_is_refused_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "draws.jsonl"
    words = ["suite", "yield", "--task", "pick_spatial", "--rig", "franka_single", "--seed", "5", "--out", str(out)]
    runner = CliRunner()
    assert runner.invoke(app, [*words, "-n", "2"]).exit_code == 0
    first = out.read_text().splitlines()
    report = json.loads(runner.invoke(app, [*words, "-n", "4", "--json"]).stdout)
    lines = out.read_text().splitlines()
    assert lines[:3] == first
    draws = [Draw.model_validate_json(line) for line in lines[1:]]
    assert [draw.index for draw in draws] == [0, 1, 2, 3]
    refused = [draw.refusal for draw in draws if draw.refusal is not None]
    assert report["draws"] == 4 and report["cpu_s_a_draw"] == pytest.approx(sum(draw.cpu_s for draw in draws) / 4)
    assert report["certified"] == 4 - len(refused) == 4 - sum(count for _, count, _ in report["refusals"])
    assert report["certified"] == sum(draw.scene is not None for draw in draws)
    assert all(refusal.reason and refusal.step for refusal in refused)


def test_refusals_come_with_the_reason_of_the_first_draw() -> None:
    refusals = {2: Refusal("physics", "late"), 0: Refusal("physics", "early"), 1: Refusal("draw", "no room")}
    found = summarise([Draw(index=index, cpu_s=1.0, refusal=refusal) for index, refusal in refusals.items()])
    assert found.refusals == (("physics", 2, "early"), ("draw", 1, "no room"))
    assert found.certified == 0 and found.cpu_s_a_scene == float("inf")


def test_commands_say_what_holds(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    write_suite(suite, path)
    runner = CliRunner()
    verified = runner.invoke(app, ["suite", "verify", str(path)])
    assert verified.exit_code == 0 and "3 scenes" in verified.output
    again = tmp_path / "again.jsonl"
    certify = runner.invoke(app, ["suite", "certify", str(path), "--out", str(again)])
    assert certify.exit_code == 0 and "3 of 3 scenes certified, 3 of them with the same figures" in certify.output
    assert open_suite(str(again)) == suite
    audited = runner.invoke(app, ["suite", "audit", str(path), "--json"])
    record = json.loads(audited.output)[suite.name]
    assert {finding["rule"] for finding in record["findings"]} >= {"random_object", "largest_object"}
    assert sum(record["balance"]["relations"].values()) == EPISODES
    assert audited.exit_code == (0 if all(finding["sound"] for finding in record["findings"]) else 1)
    listed = runner.invoke(app, ["suite", "list", "--json"])
    assert {row["suite"] for row in json.loads(listed.output)} >= {"pick_category/seen"}
