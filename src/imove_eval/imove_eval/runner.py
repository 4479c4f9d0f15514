"""Runs a suite: skips what is finished, records each episode as it ends, stops when policy or simulator is lost."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_eval.records import COMPLETED, Execution, episode_id, make_record, policy_seed
from imove_eval.statistics import chance_level, summarise
from imove_eval.store import RunStore


class Reporter(Protocol):
    """Shows how a run goes on."""

    def started(self, total: int, finished: int) -> None:
        """A run of `total` episodes begins, of which some are finished already."""
        ...

    def episode(self, number: int, total: int, spec: EpisodeSpec, record: dict[str, Any]) -> None:
        """Episode `number` of `total` has ended."""
        ...

    def summary(self, summary: dict[str, Any]) -> None:
        """The run is over."""
        ...


@dataclass(frozen=True)
class Job:
    """One episode to run."""

    spec: EpisodeSpec
    condition: str
    seed: int


ExecuteJobs = Callable[[Sequence[Job]], Iterable[tuple[Job, Execution]]]
"""Runs jobs and yields each with what came of it, in any order."""


def run_suite(
    specs: Sequence[EpisodeSpec],
    condition: str,
    seed: int,
    rig: Rig,
    execute: ExecuteJobs,
    store: RunStore,
    reporter: Reporter,
) -> str:
    """Runs the episodes that are not finished and writes records and summary.

    Args:
        specs: Episodes of the run.
        condition: Instruction condition of all of them.
        seed: Base of the policy's random draws.
        rig: For the chance level.
        execute: Runs the jobs.
        store: Output folder.
        reporter: Shows progress.

    Returns:
        "" when every episode is finished, else one sentence about what was lost.

    Raises:
        ImoveError: The output folder cannot be written.
    """
    wanted = {episode_id(spec, condition) for spec in specs}
    todo = [
        Job(spec, condition, policy_seed(seed, spec)) for spec in specs if episode_id(spec, condition) not in store.done
    ]
    reporter.started(len(specs), len(specs) - len(todo))
    number = len(specs) - len(todo)
    chance = chance_level(rig, specs, condition)
    for job, execution in execute(todo):
        record = make_record(job.spec, condition, seed, execution)
        store.append(record)
        store.note_simulator(execution.simulator)
        number += 1
        reporter.episode(number, len(specs), job.spec, record)
        store.write_summary(summarise(_of_run(store, wanted), chance))
        if execution.outcome != COMPLETED:
            return execution.message or execution.outcome
    store.sort([episode_id(spec, condition) for spec in specs])
    summary = summarise(_of_run(store, wanted), chance)
    store.write_summary(summary)
    reporter.summary(summary)
    return ""


def _of_run(store: RunStore, wanted: set[str]) -> list[dict[str, Any]]:
    """Finished records that belong to this call; an earlier call may have asked for more episodes."""
    return [record for record in store.records if record["episode_id"] in wanted]
