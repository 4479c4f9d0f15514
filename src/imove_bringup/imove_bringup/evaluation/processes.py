"""Workers in processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from imove_bringup.evaluation.steady_worker import Answer, SteadyWorker
from imove_bringup.in_process import WorkerSettings
from imove_core.errors import ImoveError
from imove_eval.runner import Job

END_TIMEOUT_S = 5.0
"""How long a worker may take to end after its pipe was closed; then it is killed."""


class ProcessFleet:
    """Processes, each spoken to through a pipe of its own, so that one that dies takes nothing with it."""

    def __init__(self, settings: WorkerSettings, workers: int) -> None:
        """Starts nothing yet.

        Args:
            settings: Of every worker.
            workers: Processes side by side.
        """
        self._settings, self._size = settings, workers
        self._context = get_context("spawn")
        self._workers: dict[int, tuple[BaseProcess, Connection]] = {}
        self._busy: set[int] = set()

    @property
    def size(self) -> int:
        """How many there are."""
        return self._size

    def start(self, slot: int) -> None:
        """Starts a process; one that had the place before is dead."""
        self._end(slot)
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._settings, slot), daemon=True)
        process.start()
        # The other end is the child's alone: its death closes the pipe.
        theirs.close()
        self._workers[slot] = process, ours

    def submit(self, slot: int, job: Job) -> None:
        """Sends a job; a worker that is dead already shows at the next `wait`."""
        self._busy.add(slot)
        try:
            self._workers[slot][1].send(job)
        except OSError:
            pass

    def wait(self) -> tuple[int, Answer | None]:
        """The next answer, or the next death; that of a worker without a job concerns nobody."""
        pipes = {self._workers[slot][1]: slot for slot in self._busy}
        pipe = wait(list(pipes))[0]
        assert isinstance(pipe, Connection)
        slot = pipes[pipe]
        self._busy.remove(slot)
        try:
            answer: Answer = pipe.recv()
        except (EOFError, OSError):
            return slot, None
        return slot, answer

    def close(self) -> None:
        """Ends all processes; one in the middle of an episode is killed."""
        for slot in list(self._workers):
            self._end(slot)

    def _end(self, slot: int) -> None:
        if slot not in self._workers:
            return
        process, pipe = self._workers.pop(slot)
        pipe.close()
        process.terminate()
        process.join(END_TIMEOUT_S)
        if process.is_alive():
            process.kill()
            process.join()


def _serve(pipe: Connection, settings: WorkerSettings, index: int) -> None:
    """Answers jobs until the pipe is closed."""
    # An interrupt from the keyboard reaches this process too; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    worker: SteadyWorker | None = None
    while True:
        try:
            job: Job = pipe.recv()
        except (EOFError, OSError):
            break
        try:
            worker = worker or SteadyWorker(settings, index)
        except ImoveError as error:
            pipe.send(Answer(None, error=str(error)))
            continue
        pipe.send(worker.run(job))
    if worker is not None:
        worker.close()


def _end_with_parent() -> None:
    """Ends this process, in the middle of an episode too, when the one that started it is gone."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
