"""Demonstrations are the same whatever the workers, a kill costs nothing, and what is no success leaves no bag."""

import dataclasses
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_bringup.replay.recorded import read_episode
from imove_bringup.synthesis.answers import RemoteWorker, report_from
from imove_bringup.synthesis.journal import OUTCOMES
from imove_bringup.synthesis.judging import DISTURBED_M, judge_rollout
from imove_bringup.synthesis.origin import FILE, Origin
from imove_bringup.synthesis.outcome import Outcome, region_of
from imove_bringup.synthesis.rollout import Rollout, roll_out
from imove_bringup.synthesis.synthesis import YIELD, synthesise
from imove_core.bag.facts import PROVENANCE_ATTACHMENT
from imove_core.bag.reader import BagMessage, EpisodeBag, find_bags
from imove_core.bag.verify import verify
from imove_core.canonical import canonical_json
from imove_core.contract import topics_of
from imove_core.errors import ImoveError
from imove_core.rig import Workspace, load_rig
from imove_core.spec import EpisodeSpec
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.stages.phases import PHASES
from imove_tasks.suites import Suite, open_suite, write_suite

from .synthesis_cases import EPISODES, SUITE, small_job

RIG = load_rig("franka_single")


def silent(outcome: Outcome) -> None:
    """Shows nothing."""


def bags(folder: Path) -> dict[str, tuple[list[BagMessage], dict[str, bytes]]]:
    """All messages, and what is attached, by bag; without the revision of a source that somebody may be working on."""
    found = {path.name: EpisodeBag(path) for path in find_bags(folder)}
    return {
        name: (
            list(bag.messages_as_written()),
            {key: data for key, data in bag.attachments.items() if key != PROVENANCE_ATTACHMENT},
        )
        for name, bag in found.items()
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of three demonstrations."""
    out = tmp_path_factory.mktemp("data")
    shown: list[Outcome] = []
    found = synthesise(small_job(out), EPISODES, 1, "", shown.append)
    assert (found.specs, found.kept, len(shown)) == (EPISODES, EPISODES, EPISODES), found.rejections
    return out


@pytest.fixture(scope="module")
def rollout(data: Path) -> Rollout:
    """The first demonstration once more, from the command in its bag."""
    episode = read_episode(EpisodeBag(data / "pick_spatial" / "episode_000000"))
    (sent,) = episode.commands
    backend = create_backend("mujoco", RIG, open_library(()).get, (64, 48))
    backend.load(episode.spec)
    return roll_out(RIG, backend, episode.spec, sent.command.positions)


NOT_OF_SYNTHESIS = (
    "/imove/policy_status", "/imove/safety_events", "/imove/emergency_stop", "/diagnostics", "/recorder/status",
    "/arm_leader/joint_states", "/imove/teleop",
)  # fmt: skip
"""Topics on which nothing comes where no policy runs, no person leads and nothing is out of order."""


def test_every_bag_is_whole_and_has_every_control_step(data: Path) -> None:
    for index in range(EPISODES):
        folder = data / "pick_spatial" / f"episode_{index:06d}"
        assert verify(folder) == []
        bag = EpisodeBag(folder)
        counts = bag.message_counts
        for topic in topics_of(RIG, "sim"):
            if topic.name in NOT_OF_SYNTHESIS:
                assert not counts.get(topic.name)
            elif topic.rate_hz:
                assert counts[topic.name] == 301, topic.name
            else:
                assert counts[topic.name] >= 1, topic.name
        assert [message.log_time_ns for message in bag.messages(["/clock"])] == [
            1_000_000_000 + round(step * 1e9 / 30) for step in range(301)
        ]


def test_a_bag_says_what_was_asked_and_what_came_of_it(data: Path) -> None:
    spec = open_suite(SUITE).specs[0]
    bag = EpisodeBag(data / "pick_spatial" / "episode_000000")
    facts, labels = bag.custom_data, bag.attached_json("labels.json")
    assert EpisodeSpec.from_json(bag.attachments["spec.json"].decode()) == spec
    assert bag.rig() == RIG
    assert facts["instruction"] == bag.task == labels["instruction"] == spec.instruction("normal").text
    assert facts["spec_hash"] == spec.content_hash and facts["suite"] == SUITE
    assert (facts["success"], facts["stages"], facts["source"]) == ("true", "reach,lift", "synthesis")
    assert labels["target"] == labels["first_contact"] == spec.instruction("normal").target
    spans = labels["phases"]
    assert [span["phase"] for span in spans] == ["idle", "approach", "grasp", "lift"]
    assert spans[0]["first_step"] == 0 and spans[-1]["last_step"] == 300
    told = [message.phase for _, message in bag.decoded(["/imove/phase"])]
    assert told == [span["phase"] for span in spans for _ in range(span["first_step"], span["last_step"] + 1)]
    assert set(told) <= set(PHASES)
    origin = Origin.from_json(bag.attachments["provenance.json"].decode())
    origin.check_same(Origin.from_json((data / FILE).read_text()), "the bag")
    assert str(data) not in bag.attachments["provenance.json"].decode()


def test_neither_workers_nor_the_folder_change_a_byte(data: Path, tmp_path: Path) -> None:
    synthesise(small_job(tmp_path), EPISODES, 2, "", silent)
    assert (tmp_path / OUTCOMES).read_bytes() == (data / OUTCOMES).read_bytes()
    assert bags(tmp_path) == bags(data)


def test_a_killed_run_goes_on_and_ends_the_same(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    command = [sys.executable, "-m", "imove_bringup.cli", "synth", "--task", "pick_spatial", "--suite", SUITE]
    command += ["-n", str(EPISODES), "--image-size", "32x24", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None and not ((out / OUTCOMES).exists() and (out / OUTCOMES).stat().st_size):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    # What a kill at the worst moments leaves: a line that was cut, a bag without its line, a bag that is not whole.
    lines = (out / OUTCOMES).read_text().splitlines(keepends=True)
    assert lines
    (out / OUTCOMES).write_text(lines[0] + '{"index":1,"ask')
    orphan = out / "pick_spatial" / "episode_000001"
    if not orphan.exists():
        shutil.copytree(out / "pick_spatial" / "episode_000000", orphan)
    shutil.copytree(orphan, out / "pick_spatial" / ".partial" / "episode_000002", dirs_exist_ok=True)
    shown: list[Outcome] = []
    synthesise(small_job(out), EPISODES, 1, "", shown.append)
    assert [outcome.index for outcome in shown] == list(range(EPISODES))
    assert (out / OUTCOMES).read_bytes() == (data / OUTCOMES).read_bytes()
    assert bags(out) == bags(data)
    assert not (out / "pick_spatial" / ".partial").exists()


def test_a_bag_that_was_deleted_is_made_again(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    shutil.copytree(data, out)
    shutil.rmtree(out / "pick_spatial" / "episode_000001")
    synthesise(small_job(out), EPISODES, 1, "", silent)
    assert bags(out) == bags(data)


def test_a_folder_of_another_data_set_or_of_anything_else_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ImoveError, match=r"output .* has seed 0; this run has 1; give another folder"):
        synthesise(small_job(data, seed=1), EPISODES, 1, "", silent)
    (tmp_path / "photos").mkdir()
    with pytest.raises(ImoveError, match=r"holds photos and no provenance.json; give a new folder"):
        synthesise(small_job(tmp_path), EPISODES, 1, "", silent)
    with pytest.raises(ImoveError, match="is of the task pick_spatial; task place_a2b was given"):
        synthesise(small_job(tmp_path / "new", task="place_a2b"), 1, 1, "", silent)
    with pytest.raises(ImoveError, match="unknown split of pick_spatial 'trian'"):
        synthesise(small_job(tmp_path / "new", suite="", split="trian"), 1, 1, "", silent)
    with pytest.raises(ImoveError, match="unknown planner 'rrt'"):
        synthesise(small_job(tmp_path / "new", planner="rrt"), 1, 1, "", silent)
    if importlib.util.find_spec("moveit") is None:
        with pytest.raises(ImoveError, match="planner moveit needs MoveItPy, which is not installed here"):
            synthesise(small_job(tmp_path / "new", planner="moveit"), 1, 1, "", silent)
    assert not (tmp_path / "new").exists()
    with pytest.raises(ImoveError, match="episodes is 999; suite pick_spatial/seen@franka_single has 1 to"):
        synthesise(small_job(tmp_path / "new"), 999, 1, "", silent)


def test_what_cannot_be_done_is_rejected_with_a_reason_and_leaves_no_bag(tmp_path: Path) -> None:
    shipped = open_suite(SUITE)
    good, bad = shipped.specs[:2]
    away = tuple(
        item.model_copy(update={"position": (0.95, item.position[1], item.position[2])})
        if item.id == bad.instruction("normal").target
        else item
        for item in bad.objects
    )
    suite = tmp_path / "far.jsonl"
    specs = (bad.model_copy(update={"objects": away}), good)
    write_suite(Suite(shipped.name, shipped.seed, shipped.asset_snapshot, specs), suite)
    out = tmp_path / "data"
    found = synthesise(small_job(out, suite=str(suite), image_size=None, depth=False), 2, 1, "", silent)
    assert (found.specs, found.kept, found.rate) == (2, 1, 0.5)
    (reason,) = found.rejections
    assert (reason.at, reason.kind, reason.count) == ("plan", "unreachable", 1)
    assert "cannot be picked" in reason.example
    rejected, kept = (Outcome.from_json(line) for line in (out / OUTCOMES).read_text().splitlines())
    assert rejected.bag is None and kept.bag == "pick_spatial/episode_000001"
    assert [path.name for path in (out / "pick_spatial").iterdir()] == ["episode_000001"]
    assert sum(share.tried for share in found.by_region.values()) == 2
    assert sum(share.kept for share in found.by_asset.values()) == 1
    assert found.balance["arms"] == {"arm": 1} and found.instructions == 1
    assert found.smoothness["peak_jerk_rad_s3"].largest > 0
    assert json.loads((out / YIELD).read_text())["kept"] == 1


def test_specs_are_drawn_and_certified_where_there_is_no_suite(tmp_path: Path) -> None:
    job = small_job(tmp_path, task="pick_category", suite="", image_size=None, depth=False)
    found = synthesise(job, 1, 1, "", silent)
    assert (found.specs, found.kept) == (1, 1), found.rejections
    bag = EpisodeBag(tmp_path / "pick_category" / "episode_000000")
    spec = EpisodeSpec.from_json(bag.attachments["spec.json"].decode())
    assert spec.split == bag.custom_data["split"] == "train" and spec.certificate is not None
    assert not any("camera" in topic.name for topic in bag.topics)


def test_a_success_is_kept(rollout: Rollout) -> None:
    assert judge_rollout(RIG, rollout) is None


def with_last(rollout: Rollout, object_id: str, **changes: object) -> Rollout:
    """The rollout with an object that ends otherwise."""
    last = rollout.steps[-1]
    objects = tuple(
        dataclasses.replace(item, **changes) if item.id == object_id else item for item in last.state.objects
    )
    ended = dataclasses.replace(last, state=dataclasses.replace(last.state, objects=objects))
    return dataclasses.replace(rollout, steps=(*rollout.steps[:-1], ended))


def test_what_is_no_demonstration_is_rejected(rollout: Rollout) -> None:
    rig, target = RIG, rollout.spec.instruction("normal").target
    assert target is not None
    dropped = judge_rollout(rig, with_last(rollout, target, held_by=""))
    assert dropped is not None and (dropped.at, dropped.kind) == ("end", "not held at the end")
    assert dropped.reason.endswith("held by nothing")
    other = next(item for item in rollout.steps[0].state.objects if item.id != target)
    shoved = with_last(rollout, other.id, position=other.position + [0.0, DISTURBED_M + 0.01, 0.0])
    moved = judge_rollout(rig, shoved)
    assert moved is not None and moved.at == "disturbed" and f"{other.id} was moved by 40 mm" in moved.reason
    toppled = judge_rollout(rig, with_last(rollout, other.id, quaternion_xyzw=np.array([0.5**0.5, 0, 0, 0.5**0.5])))
    assert toppled is not None and "tilted by 90 degrees" in toppled.reason
    step = rollout.steps[100]
    beyond = dataclasses.replace(step, targets=step.targets + np.eye(rig.size)[0] * 9)
    over = judge_rollout(rig, dataclasses.replace(rollout, steps=(*rollout.steps[:100], beyond, *rollout.steps[101:])))
    assert over is not None and over.at == "limits" and "joint 'joint1' is commanded at" in over.reason
    unlifted = tuple(event for event in rollout.score.events if event.stage != "lift")
    low = judge_rollout(rig, dataclasses.replace(rollout, score=dataclasses.replace(rollout.score, events=unlifted)))
    assert low is not None and (low.at, low.kind) == ("stages", "no Lift") and "it reached Reach" in low.reason


def test_places_are_named_as_the_robot_sees_them() -> None:
    workspace = Workspace(x=(0.2, 0.5), y=(-0.3, 0.3))
    assert region_of(0.21, 0.29, workspace) == "near left"
    assert region_of(0.35, 0.0, workspace) == "middle centre"
    assert region_of(0.9, -0.9, workspace) == "far right"


def test_workers_elsewhere_are_spoken_to_in_json_alone(data: Path, tmp_path: Path) -> None:
    job = small_job(tmp_path)
    remote = RemoteWorker(job.to_json(), Origin.of(job).to_json())
    text = remote.run(0)
    assert canonical_json(json.loads(text)) == text
    assert report_from(text).outcome == Outcome.from_json((data / OUTCOMES).read_text().splitlines()[0])
    assert bags(tmp_path) == {"episode_000000": bags(data)["episode_000000"]}


def test_a_worker_that_cannot_work_says_why(tmp_path: Path) -> None:
    job = small_job(tmp_path)
    origin = Origin.of(job)
    other = origin.model_copy(update={"simulator": {**origin.simulator, "engine": "mujoco 1.0"}})
    with pytest.raises(ImoveError, match="a worker has engine 'mujoco .*'; this run has 'mujoco 1.0'"):
        report_from(RemoteWorker(job.to_json(), other.to_json()).run(0))
    with pytest.raises(ImoveError, match="synthesis job: .*unknown key 'speed'"):
        report_from(RemoteWorker('{"speed":1}', origin.to_json()).run(0))
    with pytest.raises(ImoveError, match="answer of a worker: "):
        report_from("[]")


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is an extra: ./imove setup --ray")
def test_a_cluster_gives_the_same(data: Path, tmp_path: Path) -> None:
    synthesise(small_job(tmp_path), EPISODES, 2, "local", silent)
    assert (tmp_path / OUTCOMES).read_bytes() == (data / OUTCOMES).read_bytes()
    assert bags(tmp_path) == bags(data)


def test_the_command_prints_the_yield(data: Path) -> None:
    words = ["synth", "--task", "pick_spatial", "--suite", SUITE, "-n", str(EPISODES), "--image-size", "32x24"]
    result = CliRunner().invoke(app, [*words, "--out", str(data), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["kept"] == EPISODES
    shown = CliRunner().invoke(app, [*words, "--out", str(data)])
    assert f"{EPISODES} of {EPISODES} specs became demonstrations" in " ".join(shown.stdout.split())
    for title in ("motions of the kept set", "by place in the workspace", "peak jerk", "CPU-s a demonstration"):
        assert title in shown.stdout
