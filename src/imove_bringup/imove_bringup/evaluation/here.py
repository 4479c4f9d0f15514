"""The worker in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from imove_analysis.records import Execution
from imove_bringup.evaluation.steady_worker import SteadyWorker
from imove_bringup.in_process import WorkerSettings
from imove_core.errors import ImoveError
from imove_eval.runner import Job


class HereExecutor:
    """Runs jobs here, one after another; the worker is made with the first: where none is left, nothing is needed."""

    def __init__(self, settings: WorkerSettings, notice: Callable[[str], None]) -> None:
        """Makes nothing yet.

        Args:
            settings: Of the worker.
            notice: Called with what people should know, one sentence each.
        """
        self._settings, self._notice = settings, notice
        self._worker: SteadyWorker | None = None

    def __call__(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Execution]]:
        """Yields each job with what came of it.

        Raises:
            ImoveError: The worker cannot be made.
        """
        for job in jobs:
            self._worker = self._worker or SteadyWorker(self._settings)
            answer = self._worker.run(job)
            for note in answer.notes:
                self._notice(note)
            if answer.execution is None:
                raise ImoveError(answer.error)
            yield job, answer.execution

    def close(self) -> None:
        """Closes the worker."""
        if self._worker is not None:
            self._worker.close()
