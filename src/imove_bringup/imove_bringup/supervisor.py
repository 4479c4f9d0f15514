"""Runs a graph as processes where ROS's own launch is not installed, and ends them all when it is over.

What a user of `ros2 launch` knows holds here too: output lines carry the node's label, SIGINT is passed on
and followed by SIGTERM and SIGKILL, a further Ctrl-C changes nothing, a node marked as required takes the
others down. Two things differ on purpose. The exit status is that of the job: `ros2 launch` returns 0 after
a Ctrl-C and after a crash as well. And nodes never outlive the supervisor, not even when it is killed.
"""

import contextlib
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from imove_bringup.console import Console
from imove_bringup.escalation import Escalation, Patience
from imove_bringup.exit_status import graph_exit_status
from imove_bringup.graphs.model import Graph, NodeDescription
from imove_bringup.guard import Guard
from imove_bringup.installed import executable_path
from imove_bringup.log_folder import log_parent, make_log_dir
from imove_bringup.node_command import (
    ExecutableFinder,
    node_command,
    node_environment,
    node_label,
    parameter_file_text,
)
from imove_bringup.node_process import NodeProcess, OutputStream
from imove_bringup.signals import SignalPipe

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_graph(
    graph: Graph,
    *,
    screen: IO[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    find_executable: ExecutableFinder = executable_path,
    patience: Patience | None = None,
    on_interrupt: Callable[[signal.Signals], None] = lambda number: None,
) -> int:
    """Runs a graph to its end; main thread only.

    Args:
        graph: What to run.
        screen: Where output is shown; None for stdout.
        environ: The environment that nodes start from.
        find_executable: Package and executable name to file.
        patience: How long nodes may take to stop; None for the times of `ros2 launch`.
        on_interrupt: Called at the end of a graph that was told to stop, with the signal that told it.

    Returns:
        The exit status for the shell, see `graph_exit_status`.

    Raises:
        ImoveError: An executable is not installed; nothing was started.
    """
    # Before the log folder is made, so that a mistake leaves nothing behind.
    for node in graph.nodes:
        find_executable(node.package, node.executable)
    patience = patience or Patience()
    log_dir = make_log_dir(graph.log_parent or log_parent(environ), datetime.now())
    console = Console(screen or sys.stdout, log_dir / "launch.log")
    # Under nohup a closed terminal is to change nothing.
    stops = [n for n in _STOP_SIGNALS if n != signal.SIGHUP or signal.getsignal(n) != signal.SIG_IGN]
    with (
        contextlib.closing(console),
        SignalPipe([*stops, signal.SIGCHLD]) as signals,
        Guard(patience.orphan_grace_s) as guard,
    ):
        console.message("INFO", "imove", f"logs are in {log_dir}")
        supervisor = Supervisor(console, guard, log_dir, node_environment(log_dir, environ), patience)
        status = supervisor.run(graph, signals, find_executable)
        if supervisor.interrupted_by is not None:
            on_interrupt(supervisor.interrupted_by)
        return status


class Supervisor:
    """The nodes of one run: starts, watches and stops them."""

    def __init__(
        self,
        console: Console,
        guard: Guard,
        log_dir: Path,
        environment: Mapping[str, str],
        patience: Patience,
    ) -> None:
        """Takes what a run needs; starts nothing.

        Args:
            console: Where messages and output lines go.
            guard: Stops the nodes should this process die.
            log_dir: Folder of this run.
            environment: The whole environment of every node.
            patience: How long nodes may take to stop.
        """
        self._console = console
        self._guard = guard
        self._log_dir = log_dir
        self._environment = environment
        self._patience = patience
        self._selector = selectors.DefaultSelector()
        self._running: dict[str, tuple[NodeDescription, NodeProcess]] = {}
        self._escalation: Escalation | None = None
        self._interrupted_by: signal.Signals | None = None
        self._required_status: int | None = None
        self._has_crash = False

    @property
    def interrupted_by(self) -> signal.Signals | None:
        """The signal that told the nodes to stop, None where none did."""
        return self._interrupted_by

    def run(self, graph: Graph, signals: SignalPipe, find_executable: ExecutableFinder) -> int:
        """Runs the nodes to their end, once; arguments and result as in `run_graph`."""
        with self._selector:
            self._selector.register(signals, selectors.EVENT_READ)
            for index, node in enumerate(graph.nodes, start=1):
                self._start(node, node_label(node, index), find_executable)
            while self._running:
                for key, _ in self._selector.select(self._time_left_s()):
                    if isinstance(key.data, OutputStream) and not key.data.pump():
                        self._selector.unregister(key.fileobj)
                for number in signals.read():
                    if number in _STOP_SIGNALS:
                        self._interrupt(number)
                self._collect()
                self._send_due_signals()
        return graph_exit_status(
            required=self._required_status, has_crash=self._has_crash, interrupted_by=self._interrupted_by
        )

    def _start(self, node: NodeDescription, label: str, find_executable: ExecutableFinder) -> None:
        if self._escalation is not None:
            return
        parameter_file = self._log_dir / f"{label}.yaml"
        parameter_file.write_text(parameter_file_text(node), encoding="utf-8")
        try:
            process = NodeProcess(
                node_command(node, parameter_file, find_executable),
                environment=self._environment,
                log_path=self._log_dir / f"{label}.log",
                show=partial(self._console.node_line, label),
                show_stdout=node.output == "screen",
            )
        except OSError as error:
            self._console.message("ERROR", label, f"could not be started: {error.strerror}")
            self._note_end(node, label, 1)
            return
        self._guard.watch(-process.pid)  # its group
        self._running[label] = (node, process)
        for stream in process.streams:
            self._selector.register(stream.pipe, selectors.EVENT_READ, stream)
        self._console.message("INFO", label, f"started with pid {process.pid}")

    def _collect(self) -> None:
        for label, (node, process) in list(self._running.items()):
            if not process.has_exited():
                continue
            for stream in process.streams:
                with contextlib.suppress(KeyError):
                    self._selector.unregister(stream.pipe)
            status = process.collect()
            self._guard.release(-process.pid)
            del self._running[label]
            how = f"{_meaning(status)} (pid {process.pid})"
            if status == 0 or self._escalation is not None:
                self._console.message("INFO", label, f"has ended with {how}")
            else:
                self._console.message("ERROR", label, f"has died with {how}, output in {process.log_path}")
            self._note_end(node, label, status)

    def _note_end(self, node: NodeDescription, label: str, status: int) -> None:
        if status != 0 and self._escalation is None:
            self._has_crash = True
        if node.required and self._required_status is None:
            self._required_status = status
            if self._running and self._escalation is None:
                self._console.message("INFO", label, "was required: stopping the other nodes")
            self._stop()

    def _interrupt(self, number: signal.Signals) -> None:
        if self._interrupted_by is not None:
            self._console.message("WARNING", "imove", f"{number.name} again: already stopping")
            return
        self._interrupted_by = number
        self._console.message("WARNING", "imove", f"{number.name} received: stopping all nodes")
        self._stop()

    def _stop(self) -> None:
        if self._escalation is None:
            self._escalation = Escalation(self._patience, time.monotonic())

    def _send_due_signals(self) -> None:
        if self._escalation is None:
            return
        for number in self._escalation.due(time.monotonic()):
            for label, (_, process) in self._running.items():
                if number != signal.SIGINT:
                    self._console.message("WARNING", label, f"does not stop: sending {number.name}")
                process.send(number)

    def _time_left_s(self) -> float | None:
        return None if self._escalation is None else self._escalation.time_left_s(time.monotonic())


def _meaning(status: int) -> str:
    return f"exit code {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"
