"""Runs synthesis jobs in this process or in several of this machine; what comes does not depend on how many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from imove_bringup.synthesis.answers import RemoteWorker, RunJobs, report_from
from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.origin import Origin
from imove_bringup.synthesis.worker import Report, open_worker
from imove_core.errors import ImoveError


@contextmanager
def run_here(job: SynthesisJob, origin: Origin) -> Iterator[RunJobs]:
    """One worker in this process."""
    worker = open_worker(job, origin)
    try:
        yield lambda indices: (worker.run(index) for index in indices)
    finally:
        worker.close()


@contextmanager
def run_side_by_side(job: SynthesisJob, origin: Origin, workers: int) -> Iterator[RunJobs]:
    """Several workers, each in a process of its own."""
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start, initargs=(job.to_json(), origin.to_json())
    )
    try:
        yield lambda indices: _reports(pool, indices)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _reports(pool: ProcessPoolExecutor, indices: Iterable[int]) -> Iterator[Report]:
    futures = [pool.submit(_run, index) for index in indices]
    try:
        for future in as_completed(futures):
            yield report_from(future.result())
    except BrokenProcessPool as error:
        raise ImoveError(
            "a worker process was killed (the machine may be short of memory); the same command goes on from here"
        ) from error


_worker: list[RemoteWorker] = []


def _start(job: str, origin: str) -> None:
    _worker[:] = [RemoteWorker(job, origin)]


def _run(index: int) -> str:
    return _worker[0].run(index)
