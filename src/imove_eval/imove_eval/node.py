"""The evaluator: runs a suite over the graph, prints the result, exits with what came of it."""

import sys
from functools import partial
from pathlib import Path

from imove_interfaces.msg import EpisodeResult
from rclpy.node import Node
from rich.console import Console

from imove_core import contract, provenance
from imove_core.canonical import canonical_json
from imove_eval.conducting import Conductor, bag_name, dossier_of
from imove_eval.console_report import ConsoleReporter
from imove_eval.records import Execution, make_record
from imove_eval.ros_executor import RosExecutor
from imove_eval.runner import Job, run_suite
from imove_eval.settings import run_from
from imove_eval.store import RunStore, lock_folder
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
}


class Evaluator(Node):
    """Parameters of a run, and the result topic."""

    def __init__(self) -> None:
        """Reads the parameters; raises ImoveError when one is wrong."""
        super().__init__("evaluator")

        given = {name: declare(self, name, default) for name, default in DEFAULTS.items()}
        given["clock"] = declare_choice(self, "clock", CLOCKS)
        self.run = run_from(given)
        self.library = open_library(folders_from(given["assets"]))
        self.output = Path(given["output"]).absolute()
        self.recorder = RecorderClient(self) if given["record"] else None
        self._results = ContractTopics(self, self.run.rig).publisher(EpisodeResult, contract.RESULT_TOPIC)

    def announce(self, job: Job, execution: Execution) -> None:
        """Announces the end of an episode."""
        settings = self.run.settings
        record = make_record(job.spec, job.condition, settings.seed, execution, settings.policy)
        message = EpisodeResult(
            episode_id=record["episode_id"], outcome=record["outcome"], record_json=canonical_json(record)
        )
        message.header.stamp = self.get_clock().now().to_msg()
        self._results.publish(message)


def evaluate(evaluator: Evaluator) -> int:
    """Runs the suite while another thread spins the node; returns the exit status."""
    run, library = evaluator.run, evaluator.library
    facts = {**provenance.collect(), "asset_snapshot": run.suite.asset_snapshot, "runtime": "ros"}
    console = Console(force_terminal=sys.stdout.isatty(), width=None if sys.stdout.isatty() else 160)
    with lock_folder(evaluator.output):
        store = RunStore(evaluator.output, run.settings, facts)
        execute = Conductor(
            RosExecutor(evaluator, run.rig, lockstep=run.settings.clock == LOCKSTEP).run,
            evaluator.announce,
            evaluator.recorder,
            lambda job: bag_name(job, run.suite.specs),
            partial(dossier_of, asset=library.get, provenance={"settings": run.settings.to_record(), **facts}),
            evaluator.output,
        )
        reporter = ConsoleReporter(console, lambda uuid: library.get(uuid).phrase, run.title, str(evaluator.output))
        lost = run_suite(run, execute, store, reporter)
    if lost:
        print(f"imove: {lost}; the same command goes on from here", file=sys.stderr, flush=True)
        return EXIT_INCOMPLETE
    return 0


def main() -> None:
    """Runs the node; exits 0 only when every episode is finished."""
    run_work(Evaluator, evaluate)
