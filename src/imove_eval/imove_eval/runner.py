"""Runs scenes under conditions: skips what is finished, records each episode as it ends, stops when a node is lost."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from imove_analysis.chance import chance_level
from imove_analysis.records import COMPLETED, OPERATOR_OUTCOMES, Execution, episode_id, make_record, policy_seed
from imove_analysis.summary import summarise_run
from imove_core.episode_key import episode_key
from imove_core.spec import CONDITIONS, EpisodeSpec
from imove_eval.settings import Run
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
    """One episode to run.

    Attributes:
        spec: Scene.
        condition: What the policy is told.
        seed: Of the policy's own draws.
        label: Of the policy in a blinded comparison, "" where there is one policy.
    """

    spec: EpisodeSpec
    condition: str
    seed: int
    label: str = ""

    @property
    def key(self) -> str:
        """The id under which the episode is announced; records call it by scene and condition alone."""
        return episode_key(self.spec.id, self.condition, self.label)


FAILURES_IN_A_ROW = 3
"""Episodes lost one after another, whose policy failed, after which a run is not worth going on with."""


class Losses:
    """Which episodes were lost, and whether a run is still worth going on with."""

    def __init__(self) -> None:
        """Has seen none."""
        self._reasons: dict[str, str] = {}
        self._in_a_row = 0

    def note(self, job: Job, execution: Execution) -> str:
        """Takes note of an episode that has ended; one that is run again and finished is no longer lost.

        Returns:
            Why the run ends here, "" where it goes on.
        """
        if execution.outcome == COMPLETED:
            self._in_a_row = 0
            self._reasons.pop(job.key, None)
            return ""
        reason = execution.message or execution.outcome
        self._reasons[job.key] = reason
        if not execution.next_may_work:
            return reason
        self._in_a_row += execution.outcome not in OPERATOR_OUTCOMES
        if self._in_a_row == FAILURES_IN_A_ROW:
            return f"the policy failed in {self._in_a_row} episodes one after another: {reason}"
        return ""

    @property
    def count(self) -> int:
        """How many episodes are lost."""
        return len(self._reasons)

    def sentence(self, total: int) -> str:
        """What was lost of `total` episodes, "" for nothing."""
        if not self._reasons:
            return ""
        return f"{len(self._reasons)} of {total} episodes were aborted: {list(self._reasons.values())[-1]}"


SUMMARY_PERIOD_S = 5.0
"""Least time between two summaries of a run that goes on: each is over all its episodes."""

ExecuteJobs = Callable[[Sequence[Job]], Iterable[tuple[Job, Execution]]]
"""Runs jobs and yields each with what came of it, in any order."""


def jobs_of(run: Run) -> list[Job]:
    """The episodes of a run, scene by scene, so that a part of a run has whole sets of conditions.

    The policy's seed is that of the scene: conditions differ in the text alone.
    """
    seed = run.settings.seed
    return [Job(spec, condition, policy_seed(seed, spec)) for spec in run.specs for condition in run.conditions]


def run_suite(run: Run, execute: ExecuteJobs, store: RunStore, reporter: Reporter) -> str:
    """Runs the episodes that are not finished and writes records and summary.

    Args:
        run: What is to be run.
        execute: Runs the jobs.
        store: Output folder.
        reporter: Shows progress.

    Returns:
        "" when every episode is finished and valid, else one sentence about what was lost.

    Raises:
        ImoveError: The output folder cannot be written.
    """
    store.keep_suite(run.suite)
    jobs = jobs_of(run)
    wanted = {episode_id(job.spec, job.condition) for job in jobs}
    done = store.done
    todo = [job for job in jobs if episode_id(job.spec, job.condition) not in done]
    reporter.started(len(jobs), len(jobs) - len(todo))
    number = len(jobs) - len(todo)
    chance = {condition: chance_level(run.rig, run.specs, condition) for condition in run.conditions}

    def summary() -> dict[str, Any]:
        # An earlier call may have asked for more scenes or conditions.
        records = [record for record in store.records if record["episode_id"] in wanted]
        return summarise_run(records, run.specs, chance)

    losses, written_s = Losses(), -SUMMARY_PERIOD_S
    try:
        for job, execution in execute(todo):
            record = make_record(job.spec, job.condition, run.settings.seed, execution, run.settings.policy)
            store.note_simulator(execution.simulator)
            store.append(record, execution.trace)
            # What is run again keeps its number.
            number += execution.outcome not in OPERATOR_OUTCOMES
            reporter.episode(number, len(jobs), job.spec, record)
            reason = losses.note(job, execution)
            if reason or time.monotonic() - written_s >= SUMMARY_PERIOD_S:
                store.write_summary(summary())
                written_s = time.monotonic()
            if reason:
                return reason
    except KeyboardInterrupt:
        store.write_summary(summary())
        raise
    store.sort([episode_id(spec, condition) for spec in run.suite.specs for condition in CONDITIONS])
    final = summary()
    store.write_summary(final)
    reporter.summary(final)
    if lost := losses.sentence(len(jobs)):
        return lost
    return "" if final["valid"] else "the policy did not receive the texts of the specs: the evaluation is not valid"
