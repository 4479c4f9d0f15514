"""Checks many assets, in several processes, going on where an earlier run stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

from imove_bringup.quality.gate import GATE, check_entry
from imove_bringup.quality.results import Result, ResultsFile, latest
from imove_core.rig import Rig, load_rig
from imove_tasks.assets.library import Entry


@dataclass(frozen=True)
class GateRun:
    """How assets are checked.

    Attributes:
        rig: Shipped rig, or path of a .yaml file.
        trials: Trial grasps an asset.
        workers: Processes side by side.
    """

    rig: str
    trials: int
    workers: int


@dataclass(frozen=True)
class Checked:
    """What came of one entry.

    Attributes:
        result: The gate's word.
        kept: True when it is from an earlier run.
    """

    result: Result
    kept: bool


def check_entries(entries: Sequence[Entry], run: GateRun, file: ResultsFile) -> Iterator[Checked]:
    """Checks entries and adds their results to a file; those that it has already are not checked again.

    Results are known again by the content of the asset, not by its id: an asset that has changed is checked anew.

    Args:
        entries: What to check.
        run: How.
        file: Of this run and of earlier ones.

    Yields:
        One result an entry, as they come.

    Raises:
        ImoveError: No such rig, or the file cannot be written.
    """
    rig = load_rig(run.rig)
    known = {uuid: r for uuid, r in latest(file.results).items() if r.answers(GATE, rig.name, run.trials)}
    jobs = []
    for entry in entries:
        before = known.get(entry.uuid)
        if before is not None and entry.row is not None and entry.row.content_hash == before.content_hash:
            yield Checked(before, kept=True)
        else:
            jobs.append((entry, before.content_hash if before is not None else ""))
    for entry, result in _run(jobs, run, rig):
        if result is None:
            yield Checked(known[entry.uuid], kept=True)
        else:
            file.add(result)
            yield Checked(result, kept=False)


Job = tuple[Entry, str]
"""An entry, and the content hash of which the result is known."""


def _run(jobs: Sequence[Job], run: GateRun, rig: Rig) -> Iterator[tuple[Entry, Result | None]]:
    if run.workers == 1:
        yield from ((job[0], _check(job, rig, run.trials)) for job in jobs)
        return
    with ProcessPoolExecutor(run.workers, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(_check, job, rig, run.trials): job[0] for job in jobs}
        try:
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _check(job: Job, rig: Rig, trials: int) -> Result | None:
    """The result on an entry, None when its content is the known one."""
    entry, known_hash = job
    if known_hash and entry.row is None and entry.load().content_hash() == known_hash:
        return None
    return check_entry(entry, rig, trials)
