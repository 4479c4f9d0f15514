"""Episodes with a recorder that keeps what it is told: order of events, and what a failure does to an episode."""

import json
from pathlib import Path

import pytest

from imove_analysis.records import COMPLETED, POLICY_LOST, RECORDER_LOST, Execution
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.errors import ImoveError
from imove_core.recording import BagName, Dossier
from imove_eval.conducting import Conductor, bag_name, dossier_of
from imove_eval.runner import Job
from imove_tasks.assets.library import open_library
from imove_tasks.suites import open_suite

OUTPUT = Path("/results")
DOSSIER = Dossier({"success": "true"}, "{}", "{}")
NAME = BagName("test", 3)


class MemoryRecorder:
    """Writes nothing; one of its methods may fail."""

    def __init__(self, log, failing=""):
        self._log, self._failing = log, failing

    def _note(self, name, *what):
        self._log.append((name, *what))
        if name == self._failing:
            raise ImoveError(f"{name} went wrong")

    def start(self, key, name):
        self._note("start", key, name)
        return OUTPUT / "bags" / name.task / f"episode_{name.number:06d}"

    def finish(self, key, dossier):
        self._note("finish", key, dossier)

    def discard(self):
        self._note("discard")


@pytest.fixture
def job():
    """One episode."""
    return Job(make_spec(3), "normal", 7)


@pytest.fixture
def conduct(job):
    """Runs the episode with a recorder; returns what came of it and what happened in which order."""

    def go(outcome=COMPLETED, failing="", recorded=True):
        log = []

        def run(job):
            log.append(("run",))
            return make_execution(outcome=outcome)

        conductor = Conductor(
            run,
            lambda job, execution: log.append(("announce", execution.outcome, execution.bag)),
            MemoryRecorder(log, failing) if recorded else None,
            lambda job: NAME,
            lambda job, execution: DOSSIER,
            OUTPUT,
        )
        ((_, execution),) = conductor([job])
        return execution, log

    return go


def test_result_is_announced_while_the_recording_still_runs(conduct):
    execution, log = conduct()
    bag = "bags/test/episode_000003"
    key = "test/scene/003/normal"
    assert log == [("start", key, NAME), ("run",), ("announce", COMPLETED, bag), ("finish", key, DOSSIER)]
    assert (execution.outcome, execution.bag) == (COMPLETED, bag)


def test_without_a_recorder(conduct):
    execution, log = conduct(recorded=False)
    assert log == [("run",), ("announce", COMPLETED, None)]
    assert execution.bag is None


def test_aborted_episode_is_thrown_away(conduct):
    execution, log = conduct(outcome=POLICY_LOST)
    assert [name for name, *_ in log] == ["start", "run", "announce", "discard"]
    assert (execution.outcome, execution.bag) == (POLICY_LOST, None)


@pytest.mark.parametrize(("failing", "last"), [("start", "start"), ("finish", "finish")])
def test_recorder_that_fails_aborts_the_episode(conduct, failing, last):
    execution, log = conduct(failing=failing)
    assert log[-1][0] == last
    assert (execution.outcome, execution.message) == (RECORDER_LOST, f"{failing} went wrong")
    assert execution.bag is None


def test_what_ended_the_episode_first_is_what_is_said(conduct):
    execution, _ = conduct(outcome=POLICY_LOST, failing="discard")
    assert execution.outcome == POLICY_LOST


def test_bags_are_named_by_scene_and_condition():
    scenes = [make_spec(index) for index in range(4)]
    assert bag_name(Job(scenes[2], "normal", 0), scenes) == BagName("test", 2)
    assert bag_name(Job(scenes[0], "empty", 0), scenes) == BagName("test-empty", 0)


def test_dossier_has_labels_and_where_they_are_from():
    spec = open_suite("pick_category/seen").first(1)[0]
    target = spec.instruction("normal").target
    score = make_score(("strict", "reach", target), ("strict", "lift", target), target=target)
    phases = ("idle",) * 3 + ("approach",) * 2
    execution = make_execution(score, simulator={"engine": "mujoco 4.0.0"}, phases=phases)
    dossier = dossier_of(Job(spec, "normal", 9), execution, open_library(()).get, {"settings": {"seed": 1}})
    assert dossier.facts == {
        "success": "true",
        "stages": "reach,lift",
        "engine": "mujoco 4.0.0",
        "policy": "test",
    }
    labels = json.loads(dossier.labels_json)
    assert labels["instruction"] == spec.instruction("normal").text
    assert labels["phases"] == [
        {"phase": "idle", "first_step": 0, "last_step": 2},
        {"phase": "approach", "first_step": 3, "last_step": 4},
    ]
    provenance = json.loads(dossier.provenance_json)
    assert (provenance["settings"], provenance["policy_seed"]) == ({"seed": 1}, 9)
    assert provenance["simulator"] == {"engine": "mujoco 4.0.0"}


def test_episode_that_was_never_scored_has_no_dossier(job):
    with pytest.raises(ValueError, match="never scored"):
        dossier_of(job, Execution(COMPLETED, None), open_library(()).get, {})
