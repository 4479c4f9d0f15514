"""Runs that need no worker and no graph any more: every episode of theirs is on disk."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from imove_analysis.records import episode_id
from imove_analysis.runs import DETAILS, PROVENANCE, open_run
from imove_bringup.evaluation.plan import PlannedRun
from imove_eval.console_report import ConsoleReporter
from imove_eval.details import rig_details
from imove_eval.output_folder import lock_folder
from imove_eval.runner import jobs_of, run_suite
from imove_eval.store import RunStore


def is_finished(planned: PlannedRun) -> bool:
    """Whether every episode of a run is on disk; nothing is written."""
    if not (planned.folder / PROVENANCE).is_file():
        return False
    done = {episode.key for episode in open_run(planned.folder).episodes}
    return all(episode_id(job.spec, job.condition) in done for job in jobs_of(planned.run))


def conclude_finished(planned: PlannedRun, name_of: Callable[[str], str], console: Console) -> str | None:
    """Writes the summary of a run whose episodes are all finished, and shows it.

    Args:
        planned: The run.
        name_of: Returns a person's word for an asset, by UUID.
        console: Where the result is shown.

    Returns:
        None where episodes are still to be run; else "" for a valid run, or one sentence about what is wrong with it.

    Raises:
        ImoveError: The folder holds another run, is in use, or cannot be written.
    """
    run, folder = planned.run, planned.folder
    if not is_finished(planned):
        return None
    with lock_folder(folder):
        store = RunStore(folder, run.settings, {DETAILS: rig_details(run.settings.safety, run.rig)})
        return run_suite(run, lambda jobs: (), store, ConsoleReporter(console, name_of, run.title, str(folder)))
