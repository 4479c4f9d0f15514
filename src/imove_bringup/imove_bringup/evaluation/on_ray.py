"""Workers on a Ray cluster.

Ray pickles what crosses it, so a cluster must be trusted as a whole. What we send and get are texts of JSON, and they
are read as such. Every machine needs imove in the same version; the asset snapshot, the suite and everything else that
episodes depend on travel with them or are named by hashes.
"""

from __future__ import annotations

import importlib
from typing import Any

from imove_bringup.evaluation.steady_worker import Answer, SteadyWorker
from imove_bringup.evaluation.texts import answer_from, answer_text, job_from, job_text, settings_from, settings_text
from imove_bringup.in_process import WorkerSettings
from imove_core.errors import ImoveError
from imove_eval.runner import Job


class RemoteWorker:
    """A worker that is spoken to in texts; it is made with its first job, so that its errors come as answers."""

    def __init__(self, settings: str, index: int) -> None:
        """Keeps what it is to be made of.

        Args:
            settings: `WorkerSettings` as JSON.
            index: Of the worker, from 0.
        """
        self._settings, self._index = settings, index
        self._worker: SteadyWorker | None = None

    def run(self, job: str) -> str:
        """Runs an episode; returns an `Answer` as JSON."""
        try:
            self._worker = self._worker or SteadyWorker(settings_from(self._settings), self._index)
        except ImoveError as error:
            return answer_text(Answer(None, error=str(error)))
        return answer_text(self._worker.run(job_from(job)))


class RayFleet:
    """Actors of a cluster that is connected, each with one processor."""

    def __init__(self, ray: Any, settings: WorkerSettings, workers: int) -> None:
        """Starts nothing yet.

        Args:
            ray: The module, connected to a cluster.
            settings: Of every worker.
            workers: Actors side by side.
        """
        self._ray, self._size, self._settings = ray, workers, settings_text(settings)
        self._died = importlib.import_module("ray.exceptions").RayActorError
        self._remote = ray.remote(num_cpus=1)(RemoteWorker)
        self._actors: dict[int, Any] = {}
        self._running: dict[Any, int] = {}

    @property
    def size(self) -> int:
        """How many there are."""
        return self._size

    def start(self, slot: int) -> None:
        """Starts an actor, wherever the cluster has a processor."""
        self._actors[slot] = self._remote.remote(self._settings, slot)

    def submit(self, slot: int, job: Job) -> None:
        """Sends a job."""
        self._running[self._actors[slot].run.remote(job_text(job))] = slot

    def wait(self) -> tuple[int, Answer | None]:
        """The next answer, or the next death of an actor or of its machine."""
        (ready,), _ = self._ray.wait(list(self._running), num_returns=1)
        slot = self._running.pop(ready)
        try:
            return slot, answer_from(self._ray.get(ready))
        except self._died:
            return slot, None

    def close(self) -> None:
        """Lets all actors go."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors.clear()
