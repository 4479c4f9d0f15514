"""Spreads episodes over workers that may die: each is run to its end by one of them, whoever that is."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from imove_analysis.records import Execution
from imove_bringup.evaluation.steady_worker import Answer
from imove_core.errors import ImoveError
from imove_eval.runner import Job

WORKER_LOST = "aborted: worker lost"
ATTEMPTS = 3
"""Workers that an episode may cost before it is given up: the episode itself may be what kills them."""


class Fleet(Protocol):
    """Workers side by side, each with one job at a time."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def start(self, slot: int) -> None:
        """Puts a new worker in a place, instead of one that died or for the first time."""
        ...

    def submit(self, slot: int, job: Job) -> None:
        """Gives a job to a worker that has none."""
        ...

    def wait(self) -> tuple[int, Answer | None]:
        """The next of the workers that have a job that has answered, with its answer; None for one that died before."""
        ...

    def close(self) -> None:
        """Ends all workers."""
        ...


class FleetExecutor:
    """Runs jobs on a fleet; what comes of them does not depend on its size or on deaths."""

    def __init__(self, fleet: Fleet, notice: Callable[[str], None]) -> None:
        """Takes a fleet that no worker was started of.

        Args:
            fleet: Closed with this.
            notice: Called with what people should know, one sentence each.
        """
        self._fleet, self._notice = fleet, notice

    def __call__(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Execution]]:
        """Yields jobs as they end; a worker that dies is replaced, and its episode begins anew.

        Raises:
            ImoveError: A worker cannot be made.
        """
        waiting, busy, deaths = deque(jobs), dict[int, Job](), Counter[str]()

        def occupy(slot: int) -> None:
            if waiting:
                busy[slot] = waiting.popleft()
                self._fleet.submit(slot, busy[slot])

        for slot in range(min(self._fleet.size, len(jobs))):
            self._fleet.start(slot)
            occupy(slot)
        while busy:
            slot, answer = self._fleet.wait()
            job = busy.pop(slot)
            ended: Execution | None = None
            if answer is None:
                deaths[job.key] += 1
                if deaths[job.key] < ATTEMPTS:
                    self._notice(f"a worker died; episode {job.key} is run again")
                    waiting.appendleft(job)
                else:
                    message = f"{ATTEMPTS} workers died in episode {job.key}; the machine may be short of memory"
                    ended = Execution(WORKER_LOST, None, message=message, next_may_work=True)
                if waiting:
                    self._fleet.start(slot)
            elif answer.execution is None:
                raise ImoveError(answer.error)
            else:
                for note in answer.notes:
                    self._notice(note)
                ended = answer.execution
            # Before what has ended is written: workers do not wait for the disk.
            occupy(slot)
            if ended is not None:
                yield job, ended

    def close(self) -> None:
        """Ends the workers."""
        self._fleet.close()
