"""Runs evaluation graphs one after another, each under a supervisor of its own; what is finished is not started.

A process of the graph `sim_eval`, so that a series can be started, watched and interrupted as any graph can. Its words
are the launch arguments of that graph, completed.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console

from imove_analysis.runs import PROVENANCE
from imove_bringup.arguments import Values, parse_values, split_tokens
from imove_bringup.escalation import Patience
from imove_bringup.evaluation.finished import conclude_finished
from imove_bringup.evaluation.plan import PlannedRun
from imove_bringup.evaluation.protocol_file import write_protocol
from imove_bringup.evaluation.protocol_tables import print_tables
from imove_bringup.exit_status import SIGNAL_BASE
from imove_bringup.graphs import Graph, graph_definition, series
from imove_bringup.supervisor import run_graph
from imove_core.errors import ImoveError
from imove_eval.output_folder import lock_folder
from imove_tasks.assets.library import folders_from, open_library

GRAPH = "sim_eval"
EXIT_INCOMPLETE = 1
EXIT_USER_ERROR = 2
ROS_ARGUMENTS = "--ros-args"
# Shorter than that of whoever runs this process, which would kill it, and leave nodes to the watchdog, otherwise.
PATIENCE = Patience(sigterm_after_s=4.0, sigkill_after_s=4.0)
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(Exception):
    """A signal told the series to stop."""

    def __init__(self, number: int) -> None:
        """Takes the signal."""
        super().__init__(number)
        self.number = number


def run_series(values: Values, start: Callable[[Graph], int], console: Console) -> list[tuple[PlannedRun, str]]:
    """Carries out what is not finished, and prints the tables of all.

    Args:
        values: Completed ones of a series.
        start: Runs a graph to its end and returns its exit status.
        console: Where progress and results are shown.

    Returns:
        The runs in which something was lost, each with one sentence about it; none keeps the next from being begun.

    Raises:
        ImoveError: The output folder is in use, cannot be written, or holds something else.
    """
    planned, output = series.plan(values), Path(values.text("output"))
    library = open_library(folders_from(values.text("assets")))
    lost: list[tuple[PlannedRun, str]] = []
    with lock_folder(output):
        write_protocol(output, planned)
        for number, each in enumerate(planned, start=1):
            heading = f"run {number} of {len(planned)}: {each.run.title}, seed {each.run.settings.seed}"
            console.print(heading, markup=False, highlight=False, soft_wrap=True)
            try:
                reason = conclude_finished(each, lambda uuid: library.get(uuid).phrase, console)
                if reason is None:
                    status = start(graph_definition(GRAPH).build(series.single(values, each)))
                    reason = f"its graph ended with exit status {status}" if status else ""
            except ImoveError as error:
                reason = str(error)
            if reason:
                lost.append((each, reason))
                _complain(f"{each.folder}: {reason}")
    print_tables([each.folder for each in planned if (each.folder / PROVENANCE).is_file()], console)
    return lost


def _start(graph: Graph) -> int:
    interrupted: list[signal.Signals] = []
    status = run_graph(graph, patience=PATIENCE, on_interrupt=interrupted.append)
    if interrupted:
        raise Interrupted(interrupted[0])
    return status


def _interrupt(number: int, frame: FrameType | None) -> None:
    _ignore_signals()
    raise Interrupted(number)


def _ignore_signals() -> None:
    for number in _STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _complain(sentence: str) -> None:
    print(f"imove: {sentence}", file=sys.stderr, flush=True)


def _values(words: Sequence[str]) -> Values:
    own = words[: words.index(ROS_ARGUMENTS)] if ROS_ARGUMENTS in words else words
    return parse_values(graph_definition(GRAPH).arguments, split_tokens(own))


def main() -> None:
    """Runs the series; exits 0 only when every run is finished, 128 + N when signal N stopped it."""
    for number in _STOP_SIGNALS:
        signal.signal(number, _interrupt)
    console = Console(force_terminal=sys.stdout.isatty(), width=None if sys.stdout.isatty() else 160)
    go_on = ""
    try:
        values = _values(sys.argv[1:])
        go_on = f"the same command with output:={values.text('output')} goes on from here"
        lost = run_series(values, _start, console)
        status = EXIT_INCOMPLETE if lost else 0
        for run, reason in lost:
            _complain(f"{run.folder}: {reason}")
        if lost:
            _complain(go_on)
    except ImoveError as error:
        _complain(str(error))
        status = EXIT_USER_ERROR
    except Interrupted as interrupted:
        _ignore_signals()
        _complain(f"interrupted; {go_on}")
        status = SIGNAL_BASE + interrupted.number
    sys.exit(status)
