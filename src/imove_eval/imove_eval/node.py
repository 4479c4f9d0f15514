"""The evaluator: runs a suite over the graph, prints the result, exits with what came of it."""

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from imove_interfaces.action import RunEpisode
from imove_interfaces.msg import EpisodeResult
from rclpy.action import ActionClient
from rclpy.node import Node
from rich.console import Console

from imove_analysis.records import Execution, make_record, public_record
from imove_analysis.runs import DETAILS
from imove_core import contract, provenance
from imove_core.canonical import canonical_json
from imove_eval.blinded.report import TerminalReporter
from imove_eval.blinded.runner import run_study
from imove_eval.blinded.study import Study
from imove_eval.conducting import Conductor, bag_name, dossier_of, unjudged
from imove_eval.console_report import ConsoleReporter
from imove_eval.details import rig_details
from imove_eval.output_folder import lock_folder
from imove_eval.providers import SceneProvider, Simulator, TrialTable, judged_by
from imove_eval.ros_executor import RosExecutor
from imove_eval.runner import Job, run_suite
from imove_eval.settings import run_from
from imove_eval.store import RunStore
from imove_ros.node_main import run_work
from imove_ros.parameters import CLOCKS, LOCKSTEP, declare, declare_choice
from imove_ros.qos import ContractTopics
from imove_ros.recorder_client import RecorderClient
from imove_tasks.assets.library import folders_from, open_library

EXIT_INCOMPLETE = 1
DEFAULTS: dict[str, str | int | bool] = {
    "suite": "pick_category/seen",
    "episodes": 10,
    "policy": "expert",
    "policy_config": "",
    "policies": "",
    "condition": "normal",
    "rig": "",
    "seed": 0,
    "scheduler": "receding",
    "execute_steps": 0,
    "latency": "0",
    "safety": "default",
    "sim": "mujoco",
    "image_width": 640,
    "image_height": 480,
    "assets": "",
    "output": "runs/evaluation",
    "record": False,
    "traces": True,
}


class Evaluator(Node):
    """Parameters of a run or of a blinded comparison, and the result topic."""

    def __init__(self) -> None:
        """Reads the parameters; raises ImoveError when one is wrong."""
        super().__init__("evaluator")

        given = {name: declare(self, name, default) for name, default in DEFAULTS.items()}
        given["clock"] = declare_choice(self, "clock", CLOCKS)
        self.domain = declare_choice(self, "domain", contract.DOMAINS)
        self.study = Study.of(given) if given["policies"] else None
        self.runs = self.study.runs if self.study else {"": run_from(given)}
        self.run = next(iter(self.runs.values()))
        self.library = open_library(folders_from(given["assets"]))
        self.output = Path(given["output"]).absolute()
        self.traces = bool(given["traces"])
        self.recorder = RecorderClient(self) if given["record"] else None
        self.topics = ContractTopics(self, self.run.rig)
        self._results = self.topics.publisher(EpisodeResult, contract.RESULT_TOPIC)
        # Before the node is spun: rclpy shows an action client to the executor before the client is complete.
        self.policies = {label: ActionClient(self, RunEpisode, contract.policy_action(label)) for label in self.runs}

    def announce(self, job: Job, execution: Execution) -> None:
        """Announces the end of an episode; of a blinded one what tells nothing of the policy."""
        settings = self.runs[job.label].settings
        record = make_record(job.spec, job.condition, settings.seed, execution, settings.policy)
        if job.label:
            record = public_record(record, job.label)
        message = EpisodeResult(episode_id=job.key, outcome=record["outcome"], record_json=canonical_json(record))
        message.header.stamp = self.get_clock().now().to_msg()
        self._results.publish(message)


def evaluate(evaluator: Evaluator) -> int:
    """Runs the suite while another thread spins the node; returns the exit status."""
    console = Console(force_terminal=sys.stdout.isatty(), width=None if sys.stdout.isatty() else 160)
    facts = {
        **provenance.collect(),
        "asset_snapshot": evaluator.run.suite.asset_snapshot,
        "runtime": "ros",
        "domain": evaluator.domain,
        DETAILS: rig_details(evaluator.run.settings.safety, evaluator.run.rig),
    }
    with lock_folder(evaluator.output):
        lost = (_run_one if evaluator.study is None else _run_study)(evaluator, console, facts)
    if lost:
        print(f"imove: {lost}; the same command goes on from here", file=sys.stderr, flush=True)
        return EXIT_INCOMPLETE
    return 0


def _run_one(evaluator: Evaluator, console: Console, facts: Mapping[str, Any]) -> str:
    run, library = evaluator.run, evaluator.library
    store = RunStore(evaluator.output, run.settings, dict(facts))
    reporter = ConsoleReporter(console, lambda uuid: library.get(uuid).phrase, run.title, str(evaluator.output))
    return run_suite(run, _conductor(evaluator, facts), store, reporter)


def _run_study(evaluator: Evaluator, console: Console, facts: Mapping[str, Any]) -> str:
    study, output = evaluator.study, evaluator.output
    assert study is not None
    stores = study.open(output, facts)
    return run_study(study, _conductor(evaluator, facts), stores, TerminalReporter(console, study.title, output))


def _conductor(evaluator: Evaluator, facts: Mapping[str, Any]) -> Conductor:
    """Runs episodes over the graph, on the real table with a person's word on each."""
    run, topics = evaluator.run, evaluator.topics
    settings = run.settings.to_record()
    if evaluator.study is not None:
        # Bags are looked at before the labels are lifted.
        settings |= {"policy": "blinded", "policy_config": ""}
    if evaluator.domain == contract.REAL:
        table = TrialTable(evaluator, topics)
        provider: SceneProvider = table
        judge = partial(judged_by, table)
    else:
        provider = Simulator(evaluator, lockstep=run.settings.clock == LOCKSTEP)
        judge = unjudged
    return Conductor(
        RosExecutor(evaluator, run.rig, topics, provider, evaluator.policies, traces=evaluator.traces).run,
        evaluator.announce,
        evaluator.recorder,
        lambda job: bag_name(job, run.suite.specs),
        partial(dossier_of, asset=evaluator.library.get, provenance={"settings": settings, **facts}),
        evaluator.output,
        judge,
    )


def main() -> None:
    """Runs the node; exits 0 only when every episode is finished."""
    run_work(Evaluator, evaluate)
