"""Carries out one run of a command: opens its folder, finds workers, goes through what is not finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from imove_analysis.runs import DETAILS
from imove_bringup.evaluation.details import run_details
from imove_bringup.evaluation.fleet import FleetExecutor
from imove_bringup.evaluation.here import HereExecutor
from imove_bringup.evaluation.plan import PlannedRun
from imove_bringup.evaluation.processes import ProcessFleet
from imove_bringup.in_process import WorkerSettings
from imove_bringup.ray_cluster import connected
from imove_core import provenance
from imove_eval.console_report import ConsoleReporter
from imove_eval.output_folder import lock_folder
from imove_eval.progress import ProgressReporter
from imove_eval.runner import ExecuteJobs, run_suite
from imove_eval.store import RunStore
from imove_tasks.assets.library import open_library


@dataclass(frozen=True)
class Means:
    """What episodes are carried out with; results depend on none of it.

    Attributes:
        workers: Processes side by side.
        ray: Address of a Ray cluster, "" for this machine.
        assets: Corpus folders with objects beside the shipped ones.
        traces: Whether the control steps of episodes are kept.
    """

    workers: int = 1
    ray: str = ""
    assets: tuple[Path, ...] = ()
    traces: bool = True


def carry_out(planned: PlannedRun, rig: str, means: Means, console: Console) -> str:
    """Runs what is not finished.

    Args:
        planned: The run.
        rig: Name or file of its rig.
        means: What it is carried out with.
        console: Where progress and result are shown.

    Returns:
        "" when every episode is finished and valid, else one sentence about what was lost.

    Raises:
        ImoveError: The folder holds another run or cannot be written, or a worker cannot be made.
    """
    run, folder = planned.run, planned.folder
    library = open_library(means.assets)
    facts = {
        **provenance.collect(),
        "asset_snapshot": run.suite.asset_snapshot,
        "runtime": "in-process",
        DETAILS: run_details(run.settings, run.rig),
    }
    settings = WorkerSettings.of(run.settings, rig, means.assets, planned.policy_url, means.traces)
    lines = ConsoleReporter(console, lambda uuid: library.get(uuid).phrase, run.title, str(folder))
    with lock_folder(folder), ProgressReporter(lines, console) as reporter:
        store = RunStore(folder, run.settings, facts)
        with executor(settings, means, reporter.notice) as execute:
            return run_suite(run, execute, store, reporter)


@contextmanager
def executor(settings: WorkerSettings, means: Means, notice: Callable[[str], None]) -> Iterator[ExecuteJobs]:
    """Workers here, in processes, or on a cluster, for as long as they are needed."""
    if means.ray:
        from imove_bringup.evaluation.on_ray import RayFleet

        with connected(means.ray, means.workers) as ray:
            fleet = FleetExecutor(RayFleet(ray, settings, means.workers), notice)
            try:
                yield fleet
            finally:
                fleet.close()
        return
    one = means.workers == 1
    execute = HereExecutor(settings, notice) if one else FleetExecutor(ProcessFleet(settings, means.workers), notice)
    try:
        yield execute
    finally:
        execute.close()


def carry_out_all(
    planned: Sequence[PlannedRun], rig: str, means: Means, console: Console
) -> list[tuple[PlannedRun, str]]:
    """Runs one after another; a run that is lost does not keep the next from being begun.

    Returns:
        The runs in which something was lost, each with one sentence about it.
    """
    lost = [(each, carry_out(each, rig or each.run.rig.name, means, console)) for each in planned]
    return [(each, reason) for each, reason in lost if reason]
