"""Runs a function over many jobs in processes side by side."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from imove_tasks.assets.errors import AssetError

Job = TypeVar("Job")
Result = TypeVar("Result")


def results_as_done(function: Callable[[Job], Result], jobs: Sequence[Job], workers: int) -> Iterator[Result]:
    """Yields the result of every job in the order in which they are done.

    The first job that raises ends all others. Ctrl-C is left to the caller's process.

    Args:
        function: At the top level of a module, so that processes find it.
        jobs: Values that can be sent to a process.
        workers: Processes side by side; with 1 all is done here.

    Raises:
        AssetError: A process was killed.
        Exception: What a job raised.
    """
    if workers == 1:
        yield from map(function, jobs)
        return
    # Not a fork: it would copy threads and open windows of the caller.
    with ProcessPoolExecutor(
        workers,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as pool:
        try:
            for future in as_completed([pool.submit(function, job) for job in jobs]):
                yield future.result()
        except BrokenProcessPool as error:
            raise AssetError(f"one of {workers} processes was killed; try again with fewer workers") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
