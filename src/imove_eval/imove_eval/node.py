"""The evaluator: runs a suite over the graph, prints the result, exits with what came of it."""

import signal
import sys
import threading
from pathlib import Path

import rclpy
from imove_interfaces.msg import EpisodeResult
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rich.console import Console

from imove_core import contract, provenance
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_eval.console_report import ConsoleReporter
from imove_eval.ros_executor import RosExecutor
from imove_eval.runner import run_suite
from imove_eval.settings import run_from
from imove_eval.store import RunStore, lock_folder
from imove_ros.parameters import CLOCKS, LOCKSTEP, declare, declare_choice
from imove_ros.qos import ContractTopics
from imove_tasks.assets.library import AssetLibrary, folders_from, open_library

EXIT_INCOMPLETE = 1
EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130
DEFAULTS: dict[str, str | int] = {
    "suite": "pick_category/seen",
    "episodes": 10,
    "policy": "expert",
    "condition": "normal",
    "rig": "",
    "seed": 0,
    "scheduler": "receding",
    "sim": "mujoco",
    "image_width": 640,
    "image_height": 480,
    "assets": "",
    "output": "runs/evaluation",
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
        self.output = Path(given["output"])
        self._results = ContractTopics(self, self.run.rig).publisher(EpisodeResult, contract.RESULT_TOPIC)

    def publish_result(self, record: dict) -> None:
        """Announces the end of an episode."""
        message = EpisodeResult(
            episode_id=record["episode_id"], outcome=record["outcome"], record_json=canonical_json(record)
        )
        message.header.stamp = self.get_clock().now().to_msg()
        self._results.publish(message)


class _AnnouncingReporter(ConsoleReporter):
    """Also publishes each record."""

    def __init__(self, evaluator: Evaluator, console: Console, library: AssetLibrary) -> None:
        super().__init__(console, lambda uuid: library.get(uuid).phrase, evaluator.run.title, str(evaluator.output))
        self._evaluator = evaluator

    def episode(self, number: int, total: int, spec: EpisodeSpec, record: dict) -> None:
        super().episode(number, total, spec, record)
        self._evaluator.publish_result(record)


def evaluate(evaluator: Evaluator) -> int:
    """Runs the suite while another thread spins the node; returns the exit status."""
    run = evaluator.run
    facts = {**provenance.collect(), "asset_snapshot": run.suite.asset_snapshot, "runtime": "ros"}
    console = Console(force_terminal=sys.stdout.isatty(), width=None if sys.stdout.isatty() else 160)
    with lock_folder(evaluator.output):
        store = RunStore(evaluator.output, run.settings, facts)
        execute = RosExecutor(evaluator, run.rig, lockstep=run.settings.clock == LOCKSTEP)
        lost = run_suite(run, execute, store, _AnnouncingReporter(evaluator, console, evaluator.library))
    if lost:
        print(f"imove: {lost}; the same command goes on from here", file=sys.stderr, flush=True)
        return EXIT_INCOMPLETE
    return 0


def main() -> None:
    """Runs the node; exits 0 only when every episode is finished."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    executor = SingleThreadedExecutor()
    spinner = threading.Thread(target=executor.spin)
    evaluator = None
    status = EXIT_USER_ERROR
    try:
        evaluator = Evaluator()
        executor.add_node(evaluator)
        spinner.start()
        status = evaluate(evaluator)
    except ImoveError as error:
        print(f"imove: {error}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        executor.shutdown()
        if spinner.is_alive():
            spinner.join()
        if evaluator is not None:
            evaluator.destroy_node()
        rclpy.try_shutdown()
    sys.exit(status)
