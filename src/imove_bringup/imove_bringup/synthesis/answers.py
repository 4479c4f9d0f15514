"""How jobs reach workers elsewhere, and what comes back: texts of JSON alone, whatever carries them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pydantic import ValidationError

from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.origin import Origin
from imove_bringup.synthesis.worker import Report, Worker, open_worker
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault

RunJobs = Callable[[Iterable[int]], Iterator[Report]]
"""Makes the demonstrations of specs by number, and yields what became of each, in any order."""


class Answer(FrozenValue):
    """What a remote worker says: a report, or one sentence about why it could not work at all."""

    report: Report | None = None
    error: str = ""


class RemoteWorker:
    """A worker that is spoken to in texts."""

    def __init__(self, job: str, origin: str) -> None:
        """Keeps what is to be done; the worker is made with the first spec, so that its errors come as answers.

        Args:
            job: A `SynthesisJob` as JSON.
            origin: An `Origin` as JSON: that of whoever asks.
        """
        self._job, self._origin = job, origin
        self._worker: Worker | None = None

    def run(self, index: int) -> str:
        """Makes the demonstration of a spec; returns an `Answer` as JSON."""
        try:
            if self._worker is None:
                self._worker = open_checked_worker(self._job, self._origin)
            answer = Answer(report=self._worker.run(index))
        except ImoveError as error:
            answer = Answer(error=str(error))
        return canonical_json(answer.model_dump(mode="json"))


def open_checked_worker(job_text: str, origin_text: str) -> Worker:
    """A worker that makes the same demonstrations as any other of the job.

    Raises:
        ImoveError: A part cannot be made here, or this machine has another engine or library.
    """
    job, origin = SynthesisJob.from_json(job_text), Origin.from_json(origin_text)
    origin.check_same(Origin.of(job), "a worker")
    return open_worker(job, origin)


def report_from(text: str) -> Report:
    """The report in an answer.

    Raises:
        ImoveError: The worker could not work, or the text is no answer.
    """
    try:
        answer = Answer.model_validate_json(text)
    except ValidationError as error:
        raise ImoveError(f"answer of a worker: {first_fault(error, 'the answer')}") from error
    if answer.report is None:
        raise ImoveError(answer.error or "a worker answered nothing")
    return answer.report
