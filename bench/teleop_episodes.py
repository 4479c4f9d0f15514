"""Teleoperates episodes one after another, a leader moving by itself: what is kept, invalid, dropped; lag and jitter.

    ./imove shell python bench/teleop_episodes.py [--episodes N] [--seconds S] [--out DIR] [--json]
    ./imove shell python bench/teleop_episodes.py --attach RUN   # the graph runs already: its output folder

Without --attach it starts the graph of teleop.launch.py with the simulated rig. Exits with 1 when an episode was not
kept, a bag is invalid, or a message is not in its bag.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import rclpy
from imove_interfaces.msg import RecorderStatus, TeleopState, TrialState
from imove_interfaces.srv import OperatorCommand
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from imove_bringup.domain_lock import hold_domain
from imove_bringup.graphs import graph_definition
from imove_bringup.node_command import node_command, node_environment, parameter_file_text
from imove_core import contract
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.verify import verify
from imove_core.rig import load_rig
from imove_ros.qos import ContractTopics
from imove_teleop_aloha.log import FILE, KEPT

TIMEOUT_S = 120.0
POLL_S = 0.02
RETRY_S = 0.2
# The arms of an episode that has ended may cover an object that is laid out for the next.
PATIENCE_S = 8.0


@dataclass(frozen=True)
class Report:
    """What came of the episodes; of times by episode, the median of all and the worst.

    Attributes:
        episodes: Asked for.
        kept: Of them.
        not_kept: Aborted or thrown away on the way, e.g. since rates were too low.
        interruptions: Times that the arms held in kept episodes.
        invalid: Kept bags that `imove bag verify` finds fault with.
        messages: In the bags.
        dropped: Messages that were sent and are not in the bags.
        seconds: From the first start to the last bag.
        lag_ms_p50: From a leader's state to its command: median.
        lag_ms_p99: Likewise, 99th percentile of an episode: median of the episodes.
        lag_ms_p99_worst: Likewise, the worst episode.
        jitter_ms_p50: By how much periods of the loop differ from 5 ms: median.
        jitter_ms_p99: Likewise, 99th percentile of an episode: median of the episodes.
        jitter_ms_p99_worst: Likewise, the worst episode.
        loop_hz: Mean rate of the loop.
    """

    episodes: int
    kept: int
    not_kept: int
    interruptions: int
    invalid: int
    messages: int
    dropped: int
    seconds: float
    lag_ms_p50: float
    lag_ms_p99: float
    lag_ms_p99_worst: float
    jitter_ms_p50: float
    jitter_ms_p99: float
    jitter_ms_p99_worst: float
    loop_hz: float


@contextmanager
def graph(out: Path, episodes: int, least_rate: float, image_size: str) -> Iterator[None]:
    """The graph of teleop.launch.py as processes, its leader scripted."""
    definition = graph_definition("teleop")
    texts = {"leader": "scripted", "output": str(out), "operator": "bench", "seed": "1", "console": "false"}
    texts |= {"episodes": str(episodes), "image_size": image_size}
    logs = out / "log"
    logs.mkdir(parents=True, exist_ok=True)
    started = []
    with hold_domain():
        try:
            for node in definition.graph(texts).nodes:
                parameters = dict(node.parameters)
                if node.name == "teleop":
                    parameters["least_rate"] = least_rate
                file = logs / f"{node.name}.json"
                described = type(node)(node.package, node.executable, node.name, parameters)
                file.write_text(parameter_file_text(described))
                with (logs / f"{node.name}.txt").open("wb") as log:
                    command, environment = node_command(node, file), node_environment(logs)
                    started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            yield
        finally:
            for process in started:
                process.send_signal(signal.SIGINT)
            for process in started:
                process.wait(TIMEOUT_S)


class Person:
    """Commands teleoperation."""

    def __init__(self, node: Node, rig: str) -> None:
        """Listens."""
        topics = ContractTopics(node, load_rig(rig))
        self.state, self._trial, self._laid_out_s = TeleopState(), TrialState(), time.monotonic()
        self.dropped: dict[str, int] = {}
        topics.subscribe(TeleopState, contract.TELEOP_TOPIC, self._on_state)
        topics.subscribe(RecorderStatus, contract.RECORDER_STATUS_TOPIC, self._on_recorder)
        topics.subscribe(TrialState, contract.TRIAL_TOPIC, self._on_trial)
        self._conductor = node.create_client(OperatorCommand, contract.TRIAL_COMMAND_SERVICE)
        self._client = node.create_client(OperatorCommand, contract.TELEOP_COMMAND_SERVICE)

    def _on_state(self, state: TeleopState) -> None:
        self.state = state

    def _on_trial(self, trial: TrialState) -> None:
        if trial.phase not in ("laying_out", "checking"):
            self._laid_out_s = time.monotonic()
        self._trial = trial

    def accept_layout(self) -> None:
        """Accepts a layout that is not found to be right for a while, as a person at the table may."""
        if "start" in self._trial.commands and time.monotonic() - self._laid_out_s > PATIENCE_S:
            self._laid_out_s = time.monotonic()
            self._conductor.call_async(OperatorCommand.Request(command="start"))

    def _on_recorder(self, status: RecorderStatus) -> None:
        if status.episode_id:
            self.dropped[status.episode_id] = sum(status.dropped)

    def wait(self, done: Callable[[], bool]) -> None:
        """Waits until something is so."""
        deadline = time.monotonic() + TIMEOUT_S
        while not done():
            if time.monotonic() > deadline:
                raise SystemExit(f"teleoperation stands still: {self.state.phase}: {self.state.message}")
            time.sleep(POLL_S)

    def ask(self, command: str) -> bool:
        """Sends a command; returns whether it was taken."""
        self.wait(self._client.service_is_ready)
        future = self._client.call_async(OperatorCommand.Request(command=command))
        self.wait(future.done)
        return bool(future.result().ok)

    def episode(self, seconds: float) -> None:
        """One episode: started, driven for a while, kept."""
        ended, began, asked = self.ended, 0.0, 0.0
        deadline = time.monotonic() + seconds + TIMEOUT_S
        while self.ended == ended or self.state.phase not in ("ready", "waiting"):
            if time.monotonic() > deadline:
                raise SystemExit(f"teleoperation stands still: {self.state.phase}: {self.state.message}")
            self.accept_layout()
            commands, now = self.state.commands, time.monotonic()
            began = began or (now if self.state.phase == "running" else 0.0)
            if now - asked > RETRY_S and self.ended == ended:
                asked = now
                if "resume" in commands or "start" in commands:
                    # Refused while topics come too seldom, as they do when nodes have just been started.
                    self.ask("resume" if "resume" in commands else "start")
                elif "success" in commands and began and now - began > seconds:
                    self.ask("success")
            time.sleep(POLL_S)

    @property
    def ended(self) -> int:
        """Episodes that have come to an end, whatever that was."""
        return self.state.episodes_kept + self.state.episodes_discarded


def drive(out: Path, rig: str, episodes: int, seconds: float) -> float:
    """Has episodes driven until so many are kept, or twice as many have ended; returns how long that took, s."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node, executor = Node("bench"), SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(target=executor.spin, daemon=True)
    try:
        person = Person(node, rig)
        spinner.start()
        person.wait(lambda: person.state.phase == "ready")
        began = time.monotonic()
        while person.state.episodes_kept < episodes and person.ended < 2 * episodes:
            person.episode(seconds)
            print(f"{person.state.episodes_kept} of {episodes} kept: {person.state.message}", file=sys.stderr)
        return time.monotonic() - began
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()


def report(out: Path, episodes: int, seconds: float) -> Report:
    """What the log and the bags say."""
    records = [json.loads(line) for line in (out / FILE).read_text().splitlines()]
    kept = [record for record in records if record["outcome"] == KEPT]
    faults = {record["bag"]: verify(out / record["bag"]) for record in kept}
    for bag, said in faults.items():
        for fault in said:
            print(f"{bag}: {fault}", file=sys.stderr)
    bags = [EpisodeBag(out / record["bag"]) for record in kept]

    def by_episode(what: str, quantity: str) -> list[float]:
        return [record[what][quantity] * 1e3 for record in kept]

    def told(what: str, quantity: str, of: Callable[[Any], float] = statistics.median) -> float:
        return round(of(by_episode(what, quantity)), 2) if kept else float("nan")

    return Report(
        episodes=episodes,
        kept=len(kept),
        not_kept=len(records) - len(kept),
        interruptions=sum(len(record["interruptions"]) for record in kept),
        invalid=sum(bool(said) for said in faults.values()),
        messages=sum(sum(bag.message_counts.values()) for bag in bags),
        dropped=sum(int(bag.custom_data["lost_messages"]) + int(bag.custom_data["dropped_messages"]) for bag in bags),
        seconds=round(seconds, 1),
        lag_ms_p50=told("lag_s", "p50"),
        lag_ms_p99=told("lag_s", "p99"),
        lag_ms_p99_worst=told("lag_s", "p99", max),
        jitter_ms_p50=told("jitter_s", "p50"),
        jitter_ms_p99=told("jitter_s", "p99"),
        jitter_ms_p99_worst=told("jitter_s", "p99", max),
        loop_hz=round(statistics.fmean(record["loop_rate_hz"] for record in kept), 1) if kept else 0.0,
    )


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0, help="that each episode is followed")
    parser.add_argument("--rig", default="piperx_dual")
    parser.add_argument("--image-size", default="224x224", help="of the simulated cameras")
    parser.add_argument("--least-rate", type=float, default=0.84, help="share of nominal rates that is enough")
    parser.add_argument("--out", type=Path, help="new folder that keeps the bags; by default they are thrown away")
    parser.add_argument("--attach", type=Path, help="output folder of a graph that runs already")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with ExitStack() as stack:
        if given.attach is None:
            out = (given.out or Path(stack.enter_context(tempfile.TemporaryDirectory()))).absolute() / "run"
            os.environ.update(node_environment(out / "log"))
            with graph(out, given.episodes, given.least_rate, given.image_size):
                seconds = drive(out, given.rig, given.episodes, given.seconds)
        else:
            out = given.attach.absolute()
            seconds = drive(out, given.rig, given.episodes, given.seconds)
        found = report(out, given.episodes, seconds)
    if given.json:
        print(json.dumps(asdict(found)))
    else:
        for name, value in asdict(found).items():
            print(f"{name:20} {value}")
    return 0 if found.kept == given.episodes and found.invalid == found.dropped == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
