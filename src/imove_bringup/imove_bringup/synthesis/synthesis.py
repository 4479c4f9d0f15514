"""Synthesises a data set: claims its folder, makes what is not there yet, and says what the yield is."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager

from imove_bringup.synthesis.answers import RunJobs
from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.journal import Journal
from imove_bringup.synthesis.on_ray import run_on_ray
from imove_bringup.synthesis.origin import Origin, claim_folder
from imove_bringup.synthesis.outcome import Outcome
from imove_bringup.synthesis.running import run_here, run_side_by_side
from imove_bringup.synthesis.source import check_job
from imove_bringup.synthesis.yields import Yield, summarise
from imove_core.canonical import write_text_atomically
from imove_eval.output_folder import check_free_space, lock_folder

YIELD = "yield.json"
NEEDED_BYTES = 512 * 1024 * 1024
"""What the disk must have free before anything starts: twice the reserve that bag writers leave."""


def synthesise(
    job: SynthesisJob, episodes: int, workers: int, ray: str, on_outcome: Callable[[Outcome], None]
) -> Yield:
    """Makes the demonstrations of the first specs of a job, but for those that an earlier call has made.

    Neither bags nor outcomes depend on how many workers there are, where they run, or how often the run was stopped.

    Args:
        job: What is to be made.
        episodes: Number of specs.
        workers: Processes side by side.
        ray: Address of a Ray cluster, "" for processes of this machine.
        on_outcome: Called for every spec that is finished, those of earlier calls first.

    Raises:
        ImoveError: The job cannot be done here, or the folder is another data set's, in use or on a full disk.
    """
    check_job(job, episodes)
    check_free_space(job.folder, NEEDED_BYTES)
    origin = Origin.of(job)
    with lock_folder(job.folder):
        claim_folder(job.folder, origin)
        journal = Journal(job.folder)
        wanted = range(episodes)
        for index in wanted:
            if index in journal.outcomes:
                on_outcome(journal.outcomes[index])
        missing = [index for index in wanted if index not in journal.outcomes]
        if missing:
            with _executor(job, origin, min(workers, len(missing)), ray) as run:
                for report in run(missing):
                    journal.add(report)
                    on_outcome(report.outcome)
        journal.finish()
        found = summarise([journal.outcomes[index] for index in wanted], journal.costs)
        write_text_atomically(
            job.folder / YIELD, json.dumps(found.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"
        )
    return found


def _executor(job: SynthesisJob, origin: Origin, workers: int, ray: str) -> AbstractContextManager[RunJobs]:
    if ray:
        return run_on_ray(job, origin, workers, ray)
    return run_here(job, origin) if workers == 1 else run_side_by_side(job, origin, workers)
