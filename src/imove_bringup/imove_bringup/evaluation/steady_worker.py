"""A worker that goes on with the next policy server where one fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from imove_analysis.records import POLICY_FAILED, Execution
from imove_bringup.in_process import Worker, WorkerSettings
from imove_core.errors import ImoveError
from imove_eval.runner import Job


@dataclass(frozen=True)
class Answer:
    """What a worker says of a job.

    Attributes:
        execution: What came of it, None where the worker could not be made.
        notes: What people should know besides, one sentence each.
        error: Why the worker could not be made, "" where it was.
    """

    execution: Execution | None
    notes: tuple[str, ...] = ()
    error: str = ""


def parse_servers(text: str) -> tuple[str, ...]:
    """Addresses separated by commas; one empty address, the usual one of the protocol, for an empty text.

    Raises:
        ImoveError: One of several is empty, or one comes twice.
    """
    servers = tuple(part.strip() for part in text.split(","))
    if len(servers) > 1 and (not all(servers) or len(set(servers)) < len(servers)):
        raise ImoveError(f"policy_url is '{text}'; several addresses are separated by commas, each named once")
    return servers


def servers_of(servers: Sequence[str], index: int) -> tuple[str, ...]:
    """The servers in the order in which a worker turns to them.

    Workers begin with different ones, and those that lose the same server do not all turn to the same next.

    Args:
        servers: At least one.
        index: Of the worker, from 0.
    """
    start, turn = index % len(servers), index // len(servers)
    others = [*servers[start + 1 :], *servers[:start]]
    turn %= max(1, len(others))
    return (servers[start], *others[turn:], *others[:turn])


class SteadyWorker:
    """Runs one job after another; a question is never asked before the last one was answered."""

    def __init__(self, settings: WorkerSettings, index: int = 0) -> None:
        """Makes the worker.

        Args:
            settings: With the addresses of all policy servers in `policy_url`.
            index: Of the worker, from 0.

        Raises:
            ImoveError: Simulator or policy cannot be made.
        """
        self._servers = list(servers_of(parse_servers(settings.policy_url), index))
        self._worker = Worker(replace(settings, policy_url=self._servers[0]))

    def run(self, job: Job) -> Answer:
        """Runs one episode, again on the next server where one fails, until each has failed once."""
        notes: list[str] = []
        for _ in self._servers[1:]:
            execution = self._worker.run(job)
            if execution.outcome != POLICY_FAILED:
                return Answer(execution, tuple(notes))
            failed = self._servers.pop(0)
            self._servers.append(failed)
            notes.append(f"{execution.message}; episode {job.key} goes to {self._servers[0]}")
            self._worker.use_server(self._servers[0])
        return Answer(self._worker.run(job), tuple(notes))

    def close(self) -> None:
        """Closes simulator and policy."""
        self._worker.close()
