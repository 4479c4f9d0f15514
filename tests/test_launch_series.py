"""A series of evaluation graphs: which runs launch arguments mean, with which graphs, and what becomes of failures."""

import io
import signal

import pytest
from rich.console import Console
from typer.testing import CliRunner

from imove_analysis import testing
from imove_analysis.records import make_record
from imove_bringup import evaluation_series
from imove_bringup.arguments import parse_values, split_tokens
from imove_bringup.cli import app
from imove_bringup.evaluation import protocol_tables, running
from imove_bringup.evaluation_series import Interrupted, run_series
from imove_bringup.graphs import graph_definition, series
from imove_core.errors import ImoveError
from imove_eval.runner import jobs_of
from imove_eval.store import RunStore
from imove_tasks.suites import Suite, open_suite, write_suite

DEFINITION = graph_definition("sim_eval")
BRIEF = {"repeats": "2", "episodes": "1", "image_size": "64x48"}


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    """Two suites of a scene each, for different rigs, as files."""
    folder, files = tmp_path_factory.mktemp("suites"), []
    for name in ("pick_category/seen", "pick_spatial/seen@franka_single"):
        shipped = open_suite(name)
        files.append(folder / f"{shipped.rig}.jsonl")
        write_suite(Suite(f"small/{shipped.rig}", 0, shipped.asset_snapshot, shipped.first(1)), files[-1])
    return tuple(map(str, files))


def completed(tmp_path, **texts):
    """Completed values, whose results go to `run`."""
    return DEFINITION.complete(parse_values(DEFINITION.arguments, {"output": str(tmp_path / "run"), **texts}))


def refusal(**texts):
    """The sentence with which arguments are refused."""
    with pytest.raises(ImoveError) as caught:
        DEFINITION.graph(texts)
    return str(caught.value)


def test_a_series_is_one_process_that_is_told_everything(tmp_path, suites):
    values = completed(tmp_path, suites=",".join(suites), conditions="counterfactual", record="true", **BRIEF)
    graph = DEFINITION.build(values)
    (process,) = graph.nodes
    assert (process.package, process.executable, process.required) == ("imove_bringup", "evaluation_series", True)
    assert (process.output, graph.log_parent) == ("screen", tmp_path / "run" / "log")
    assert parse_values(DEFINITION.arguments, split_tokens(process.arguments)) == values


def test_the_paper_is_seven_suites_on_their_own_rigs(tmp_path):
    planned = series.plan(completed(tmp_path, suites="paper", conditions="counterfactual", episodes="100"))
    assert len(planned) == 7
    assert {each.run.rig.name for each in planned} == {"piperx_dual", "franka_single"}
    assert {len(jobs_of(each.run)) for each in planned} == {500}


def test_runs_and_folders_are_those_of_the_command(tmp_path, suites, monkeypatch):
    asked = []
    monkeypatch.setattr(running, "carry_out_all", lambda planned, *others: asked.extend(planned) or [])
    monkeypatch.setattr(protocol_tables, "print_tables", lambda *given: None)
    words = ["eval", "--suites", ",".join(suites), "--policies", "hold=set/up.yaml,openpi@ws://127.0.0.1:9000"]
    words += ["--conditions", "counterfactual", "--repeats", "2", "--episodes", "1", "--image-size", "64x48"]
    words += ["--seed", "3", "--latency", "0.2", "--policy-url", "ws://b", "--out", str(tmp_path / "run")]
    assert CliRunner().invoke(app, words).exit_code == 0
    texts = {
        "policies": words[4],
        "conditions": "counterfactual",
        "seed": "3",
        "latency": "0.2",
        "policy_url": "ws://b",
    }
    planned = series.plan(completed(tmp_path, suites=",".join(suites), **texts, **BRIEF))
    assert len(planned) == 8
    assert planned == asked


def test_each_run_has_the_graph_it_would_have_alone(tmp_path, suites):
    shared = {"condition": "normal,empty", "clock": "realtime", "record": "true", "console": "true", "view": "rerun"}
    shared |= {"policy_url": "ws://b", "traces": "false", "answer_timeout": "5", "episodes": "1", "image_size": "64x48"}
    values = completed(tmp_path, suites=",".join(suites), policies="hold,openpi@ws://a", repeats="2", **shared)
    planned = series.plan(values)
    folders = [each.folder.relative_to(tmp_path / "run") for each in planned]
    assert str(folders[-1]) == "small/franka_single/openpi/seed_1"
    alone = {
        (suite, policy, seed): completed(
            tmp_path,
            suite=suite, policy=policy, seed=seed, **{**shared, "policy_url": url},
            output=str(tmp_path / "run" / folder / policy / f"seed_{seed}"),
        )
        for suite, folder in zip(suites, ("small/piperx_dual", "small/franka_single"), strict=True)
        for policy, url in (("hold", "ws://b"), ("openpi", "ws://a"))
        for seed in ("0", "1")
    }  # fmt: skip
    graphs = [DEFINITION.build(series.single(values, each)) for each in planned]
    assert graphs == [DEFINITION.build(each) for each in alone.values()]
    assert {node.name for node in graphs[0].nodes} >= {"sim_bridge", "policy_node", "evaluator", "recorder", "console"}


def test_repeats_alone_make_a_series_of_the_suite_of_the_task(tmp_path):
    planned = series.plan(completed(tmp_path, repeats="2", policy="hold", seed="5"))
    assert [str(each.folder.relative_to(tmp_path / "run")) for each in planned] == [
        "pick_category/seen/hold/seed_5",
        "pick_category/seen/hold/seed_6",
    ]


def test_policies_alone_are_still_compared_blindly(tmp_path):
    graph = DEFINITION.build(completed(tmp_path, policies="hold,expert", conditions="normal,empty"))
    evaluator = {node.name: node.parameters for node in graph.nodes}["evaluator"]
    assert evaluator["policies"] in ("hold,expert", "expert,hold")
    assert evaluator["condition"] == "normal,empty"


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"suites": "nope"}, "unknown suite 'nope'; allowed: a .jsonl file, paper, "),
        ({"suites": "paper,pick_category/seen"}, "suites 'paper,pick_category/seen' name pick_category/seen more than"),
        (
            {"suites": "paper", "suite": "pick_category/seen"},
            "suite:=pick_category/seen and suites:=paper cannot go together; name all suites in suites:=",
        ),
        (
            {"suites": "pick_category/seen", "rig": "franka_single"},
            "suite pick_category/seen is for rig piperx_dual; rig franka_single was given",
        ),
        ({"suites": "paper", "policies": "hold,nope"}, "launch argument policies:=hold,nope must be empty, or"),
        ({"suites": "paper", "conditions": "loud"}, "launch argument conditions:=loud must be empty, or one of"),
        (
            {"conditions": "empty", "condition": "generic"},
            "condition:=generic and conditions:=empty are two names for one thing; give one of them",
        ),
        (
            {"suites": "pick_category/seen", "policies": "hold,onnx"},
            "nothing was run: pick_category/seen with policy onnx: ",
        ),
        ({"repeats": "0"}, "launch argument repeats:=0 must be a whole number of at least 1"),
        ({"repeats": "2", "policies": "hold,hold"}, "two runs would be written to "),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_before_anything_starts(texts, sentence, tmp_path):
    assert refusal(output=str(tmp_path / "run"), **texts).startswith(sentence)
    assert not (tmp_path / "run").exists()


def test_a_folder_with_another_run_is_refused_before_anything_starts(tmp_path, suites):
    (each, *_) = series.plan(completed(tmp_path, suites=suites[0], **BRIEF))
    finish(each, latency="0.2")
    texts = {"suites": suites[0], "output": str(tmp_path / "run"), **BRIEF}
    assert "its latency is '0.2', this run's is '0'; give another folder" in refusal(**texts)


class OtherSettings:
    """The settings of a run but for some."""

    def __init__(self, settings, changes):
        self._record = settings.to_record() | changes

    def to_record(self):
        return self._record


def finish(planned, **changes):
    """Writes results of a planned run, all made up."""
    run = planned.run
    store = RunStore(planned.folder, OtherSettings(run.settings, changes), {})
    for job in jobs_of(run):
        told = job.spec.instruction(job.condition)
        execution = testing.make_execution(testing.make_score(target=told.target), told.text)
        store.append(make_record(job.spec, job.condition, run.settings.seed, execution, run.settings.policy))


class Graphs:
    """Stands for the supervisor: each graph ends at once, some with a status of their own."""

    def __init__(self, planned, statuses):
        self._planned = {str(each.folder): each for each in planned}
        self._statuses, self.started = statuses, []

    def __call__(self, graph):
        (output,) = [node.parameters["output"] for node in graph.nodes if node.name == "evaluator"]
        self.started.append(output)
        outcome = self._statuses.get(len(self.started), 0)
        if isinstance(outcome, Exception):
            raise outcome
        if outcome == 0:
            finish(self._planned[output])
        return outcome


@pytest.fixture
def run_all(tmp_path, suites):
    """Runs the same four runs, with graphs of which some fail; returns folders that were started, losses, and text."""
    values = completed(tmp_path, suites=",".join(suites), policy="hold", **BRIEF)
    planned = series.plan(values)

    def run(statuses):
        graphs, screen = Graphs(planned, statuses), io.StringIO()
        lost = run_series(values, graphs, Console(file=screen, width=160))
        return graphs.started, lost, screen.getvalue()

    return [str(each.folder) for each in planned], run


def test_a_run_that_fails_is_told_and_the_others_go_on(run_all, capsys):
    folders, run = run_all
    started, lost, shown = run({2: 1})
    assert started == folders
    assert [(str(each.folder), reason) for each, reason in lost] == [(folders[1], "its graph ended with exit status 1")]
    assert capsys.readouterr().err == f"imove: {folders[1]}: its graph ended with exit status 1\n"
    assert "run 2 of 4: small/piperx_dual, normal, policy hold, seed 1\n" in shown
    assert "Table" in shown
    # The same again: what is finished is not started.
    started, lost, shown = run({})
    assert (started, lost) == ([folders[1]], [])
    assert shown.count("1 episode, 1 finished before") == 3


def test_an_interrupt_ends_the_series(run_all):
    folders, run = run_all
    with pytest.raises(Interrupted):
        run({2: Interrupted(signal.SIGINT)})
    assert run({})[0] == folders[1:]


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["suites:=nope"], 2, "imove: unknown suite 'nope'; allowed: "),
        (["nope:=1", "--ros-args", "-r", "__node:=x"], 2, "imove: unknown launch argument 'nope'; allowed: "),
    ],
)
def test_the_process_ends_with_a_sentence(words, status, sentence, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evaluation_series.sys, "argv", ["evaluation_series", *words])
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with pytest.raises(SystemExit) as caught:
        evaluation_series.main()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    assert caught.value.code == status
    assert capsys.readouterr().err.startswith(sentence)
