"""Nodes as processes in a ROS domain of their own, a listener among them, and small suites to run."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from imove_bringup.domain_lock import hold_domain
from imove_bringup.graphs import NodeDescription
from imove_bringup.node_command import node_command, parameter_file_text
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_ros.qos import ContractTopics
from imove_tasks.suites import Suite, open_suite, write_suite

DEADLINE_S = 60.0
POLL_S = 0.02
FAST_DDS_SHARED_MEMORY = "RTPS_TRANSPORT_SHM"
DOMAINS = range(1, 102)
IMAGE = {"image_width": 64, "image_height": 48}


def wait_until(done: Callable[[], Any], what: Callable[[], str], timeout_s: float = DEADLINE_S) -> Any:
    """The first true value of `done`; fails with `what` at the deadline."""
    deadline = time.monotonic() + timeout_s
    while not (value := done()):
        assert time.monotonic() < deadline, f"not within {timeout_s:.0f} s: {what()}"
        time.sleep(POLL_S)
    return value


class Process:
    """A command in a process group of its own, its output in files."""

    def __init__(
        self, name: str, command: list[str], folder: Path, environ: dict[str, str], others: "list[Process]"
    ) -> None:
        """Starts it; `others` are shown as well when it does not do what it should."""
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self._others = name, others
        self._out, self._err = folder / f"{name}.out", folder / f"{name}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(command, stdout=out, stderr=err, env=environ, start_new_session=True)

    @property
    def out(self) -> str:
        """What it has printed."""
        return self._out.read_text()

    @property
    def err(self) -> str:
        """What it has printed as errors, and logged, without what Fast DDS says of its own.

        A process that was killed leaves its shared memory port behind; Fast DDS tells of it and takes another one.
        """
        lines = self._err.read_text().splitlines(keepends=True)
        return "".join(line for line in lines if FAST_DDS_SHARED_MEMORY not in line)

    def wait_for(self, text: str) -> None:
        """Waits until it has printed or logged a text."""
        wait_until(
            lambda: text in self.out + self.err or self._process.poll() is not None,
            lambda: f"{self.name} did not print {text!r}\n{self.out}\n{self._stacks()}",
        )
        assert text in self.out + self.err, f"{self.name} ended without {text!r}\n{self.out}\n{self.err}"

    def wait(self, timeout_s: float = DEADLINE_S) -> int:
        """Waits for its end; its exit status, negative for a signal."""
        wait_until(
            lambda: self._process.poll() is not None,
            lambda: f"{self.name} still runs\n{self.out}\n{self._stacks()}",
            timeout_s,
        )
        return self._process.returncode

    def _stacks(self) -> str:
        """Ends the whole graph by SIGABRT, at which each process writes where its threads are."""
        running = [process for process in self._others if process.runs]
        for process in running:
            process.signal(signal.SIGABRT)
            process.kill(after_s=5.0)
        return "\n".join(f"{process.name}:\n{process.err}" for process in running)

    def signal(self, number: int) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def interrupt(self) -> int:
        """Interrupts it as Ctrl-C does; its exit status."""
        self.signal(signal.SIGINT)
        return self.wait()

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def kill(self, after_s: float = 0.0) -> None:
        """Kills its whole group when it does not end by itself in time."""
        try:
            self._process.wait(after_s)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class NodeProcesses:
    """Starts installed nodes in one ROS domain and kills what is left of them."""

    def __init__(self, folder: Path, domain: int) -> None:
        """Keeps logs in `folder`."""
        self.domain = domain
        self._folder = folder
        self._environ = {
            **os.environ,
            "ROS_DOMAIN_ID": str(domain),
            "ROS_LOG_DIR": str(folder),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
        }
        self._started: list[Process] = []

    def start(self, package: str, executable: str, **parameters: str | int) -> Process:
        """Starts a node."""
        described = NodeDescription(package, executable, executable, parameters={"use_sim_time": True, **parameters})
        return self.start_described(described)

    def start_described(self, node: NodeDescription) -> Process:
        """Starts a node as a graph describes it."""
        number = len(self._started)
        parameter_file = self._folder / f"{number}.json"
        parameter_file.write_text(parameter_file_text(node))
        return self.run(f"{number}-{node.name}", node_command(node, parameter_file))

    def run(self, name: str, command: list[str]) -> Process:
        """Starts any command."""
        self._started.append(Process(name, command, self._folder, self._environ, self._started))
        return self._started[-1]

    def simulator(self, **parameters: str | int) -> Process:
        """Starts the sim bridge."""
        return self.start("imove_sim_bridge", "sim_bridge", **IMAGE | parameters)

    def policy(self, name: str = "expert", **parameters: str | int) -> Process:
        """Starts the policy node."""
        return self.start("imove_policy_node", "policy_node", policy=name, **parameters)

    def evaluator(self, suite: Path, output: Path, **parameters: str | int) -> Process:
        """Starts the evaluator."""
        return self.start("imove_eval", "evaluator", suite=str(suite), output=str(output), **IMAGE | parameters)

    def close(self) -> None:
        """Kills what still runs."""
        for process in self._started:
            process.kill()


@contextmanager
def node_processes(folder: Path) -> Iterator[NodeProcesses]:
    """Nodes in a domain that nothing else of imove on this host is in; nothing is left of them at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    first = os.getpid() % len(DOMAINS)
    with ExitStack() as stack:
        for domain in (*DOMAINS[first:], *DOMAINS[:first]):
            try:
                stack.enter_context(hold_domain({"ROS_DOMAIN_ID": str(domain)}))
            except ImoveError:
                continue
            nodes = NodeProcesses(folder, domain)
            stack.callback(nodes.close)
            yield nodes
            return
    raise AssertionError("every ROS domain of this host is in use")


@contextmanager
def busy_processor() -> Iterator[None]:
    """Keeps one processor busy meanwhile."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


class Listener:
    """A node in this process that keeps what it hears."""

    def __init__(self, domain: int, rig_name: str = "piperx_dual") -> None:
        """Joins a domain."""
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self.node = Node("listener", context=self._context)
        self.rig = load_rig(rig_name)
        self.topics = ContractTopics(self.node, self.rig)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin)
        self._thread.start()

    def hear(self, message_type: type, topic: str) -> list[Any]:
        """Subscribes to a topic of the contract; the list grows with what arrives."""
        heard: list[Any] = []
        self.topics.subscribe(message_type, topic, heard.append)
        wait_until(lambda: self.node.count_publishers(topic), lambda: f"nobody publishes {topic}")
        return heard

    def call(self, service_type: type, name: str, request: Any) -> Any:
        """The answer of a service."""
        client = self.node.create_client(service_type, name)
        wait_until(client.service_is_ready, lambda: f"nobody serves {name}")
        future = client.call_async(request)
        wait_until(future.done, lambda: f"{name} did not answer")
        return future.result()

    def close(self) -> None:
        """Leaves the domain."""
        self._executor.shutdown()
        self._thread.join()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)


@contextmanager
def listener(domain: int) -> Iterator[Listener]:
    """A listener that leaves at the end."""
    hearing = Listener(domain)
    try:
        yield hearing
    finally:
        hearing.close()


def small_suite(path: Path, episodes: int, horizon_steps: int = 300) -> Path:
    """Writes a suite of the first scenes of a shipped one, with another horizon."""
    shipped = open_suite("pick_category/seen")
    specs = tuple(spec.model_copy(update={"horizon_steps": horizon_steps}) for spec in shipped.first(episodes))
    write_suite(Suite("pick_category/small", 0, shipped.asset_snapshot, specs), path)
    return path


def records(output: Path, name: str = "episodes.jsonl") -> list[dict[str, Any]]:
    """The records of a run without what depends on the machine's speed; for their traces, the hashes of the files."""
    lines = [json.loads(line) for line in (output / name).read_text().splitlines()]

    def content(trace: str | None) -> str | None:
        return hashlib.sha256((output / trace).read_bytes()).hexdigest() if trace else None

    return [
        {key: value for key, value in line.items() if key != "wall"} | {"trace": content(line["trace"])}
        for line in lines
    ]
