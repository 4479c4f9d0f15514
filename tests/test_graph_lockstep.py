"""Evaluation over the graph in lockstep: results, repetition, lost nodes, interrupts."""

import json
import subprocess
import sys

import pytest

from imove_analysis.runs import open_run
from imove_tasks.suites import open_suite

from .graph_helpers import busy_processor, node_processes, records, small_suite

pytestmark = pytest.mark.graph
EPISODES = 3


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of a few episodes."""
    return small_suite(tmp_path_factory.mktemp("suite") / "small.jsonl", EPISODES)


@pytest.fixture(scope="module")
def in_process(suite, tmp_path_factory):
    """Runs the suite without a graph and returns its records."""

    def run(workers=1, condition="normal"):
        output = tmp_path_factory.mktemp("in-process") / "run"
        words = ["--suite", str(suite), "--episodes", str(EPISODES), "--out", str(output), "--workers", str(workers)]
        words += ["--condition", condition]
        command = [sys.executable, "-m", "imove_bringup.cli", "eval", *words, "--image-size", "64x48"]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return records(output)

    return run


@pytest.fixture(scope="module")
def expected(in_process):
    """What every run of the suite must come to."""
    return in_process()


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Processes in one domain."""
    with node_processes(tmp_path_factory.mktemp("graph")) as nodes:
        yield nodes


class Servers:
    """Simulator and policy node, started again when they were lost."""

    def __init__(self, graph):
        self._graph = graph
        self.simulator, self.policy = graph.simulator(), graph.policy()

    def lose(self, name):
        """Kills one of them and starts another."""
        getattr(self, name).kill()
        setattr(self, name, getattr(self._graph, name)())


@pytest.fixture(scope="module")
def servers(graph):
    """A simulator and a policy node."""
    return Servers(graph)


@pytest.fixture
def evaluate(graph, servers, suite, tmp_path):
    """Starts the evaluator on this test's output folder."""
    return lambda: graph.evaluator(suite, tmp_path / "run", episodes=EPISODES)


def test_every_episode_is_run_and_scored(evaluate, suite, expected, tmp_path):
    run = evaluate()
    assert (run.wait(), run.err) == (0, "")
    found = records(tmp_path / "run")
    assert found == expected
    assert len(found) == EPISODES
    assert all(record["trace"] for record in found)
    assert open_run(tmp_path / "run").suite == open_suite(str(suite))
    assert all(record["prompt_verified"] for record in found)
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert summary["rubrics"]["strict"]["s_pick"]["mean"] == 1.0
    assert summary["language"]["prompt_verified"]["k"] == EPISODES
    provenance = json.loads((tmp_path / "run/provenance.json").read_text())
    assert provenance["settings"]["clock"] == "lockstep"
    assert provenance["simulator"]["engine"].startswith("mujoco ")
    for number in range(1, EPISODES + 1):
        assert f"{number}/{EPISODES}  " in run.out
    assert f"written: {tmp_path / 'run'}" in run.out


def test_busy_machine_changes_nothing(evaluate, expected, tmp_path):
    with busy_processor():
        assert evaluate().wait() == 0
    assert records(tmp_path / "run") == expected


def test_number_of_workers_changes_nothing(in_process, expected):
    assert in_process(workers=2) == expected


def test_conditions_of_a_scene_are_run_one_after_another(graph, servers, suite, in_process, tmp_path):
    conditions = "normal,alternative,empty"
    run = graph.evaluator(suite, tmp_path / "run", episodes=EPISODES, condition=conditions)
    assert (run.wait(), run.err) == (0, "")
    found = records(tmp_path / "run")
    assert found == in_process(condition=conditions)
    assert [record["condition"] for record in found] == conditions.split(",") * EPISODES
    assert all(record["prompt_verified"] for record in found)
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert summary["by_condition"]["alternative"]["rubrics"]["strict"]["s_pick"]["mean"] == 1.0
    assert summary["counterfactual"]["conditions"]["empty"]["rubrics"]["strict"]["any_object"]["lift"]["k"] == 0
    assert "Any object" in run.out


def test_interrupted_run_goes_on_with_the_same_command(evaluate, expected, tmp_path):
    run = evaluate()
    run.wait_for(f"1/{EPISODES}  ")
    assert (run.interrupt(), run.err) == (130, "")
    assert records(tmp_path / "run") == expected[: len(records(tmp_path / "run"))]
    assert len(records(tmp_path / "run")) < EPISODES
    again = evaluate()
    assert (again.wait(), again.err) == (0, "")
    assert "finished before" in again.out
    assert records(tmp_path / "run") == expected


@pytest.mark.parametrize("lost", ["policy", "simulator"])
def test_lost_node_ends_the_run_and_its_episode_is_run_again(evaluate, servers, expected, tmp_path, lost):
    run = evaluate()
    run.wait_for(f"1/{EPISODES}  ")
    servers.lose(lost)
    assert run.wait() == 1
    assert run.err.startswith(f"imove: the {lost} node ")
    assert run.err.endswith("the same command goes on from here\n")
    assert run.err.count("\n") == 1
    *finished, aborted = records(tmp_path / "run")
    assert finished == expected[: len(finished)]
    assert (aborted["outcome"], aborted["prompt_verified"]) == (f"aborted: {lost} lost", False)
    again = evaluate()
    assert (again.wait(), again.err) == (0, "")
    assert records(tmp_path / "run") == expected
    assert records(tmp_path / "run", "aborted.jsonl") == [aborted]


def test_nodes_end_quietly_in_the_middle_of_an_episode(evaluate, servers):
    run = evaluate()
    run.wait_for(f"1/{EPISODES}  ")
    for process in (servers.policy, servers.simulator):
        assert process.interrupt() == 0
    assert run.wait() == 1
    run.interrupt()
    for process in (servers.policy, servers.simulator, run):
        assert "Traceback" not in process.err
