"""Runs the trials of a blinded comparison: skips what is finished, and keeps each result in the folder of its label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from imove_analysis.chance import chance_level
from imove_analysis.records import OPERATOR_OUTCOMES, episode_id, make_record, public_outcome
from imove_analysis.summary import summarise_run
from imove_eval.blinded.comparison import compare_policies
from imove_eval.blinded.study import Study
from imove_eval.runner import ExecuteJobs, Losses
from imove_eval.store import RunStore


class StudyReporter(Protocol):
    """Shows how a comparison goes on, without a word on who acts."""

    def started(self, total: int, finished: int) -> None:
        """A comparison of `total` trials begins, of which some are finished already."""
        ...

    def trial(self, number: int, total: int, label: str, instruction: str, outcome: str) -> None:
        """Trial `number` of `total`, of the policy of a label, has ended."""
        ...

    def comparison(self, comparison: Mapping[str, Any]) -> None:
        """All trials are finished: labels may be lifted."""
        ...


def run_study(study: Study, execute: ExecuteJobs, stores: Mapping[str, RunStore], reporter: StudyReporter) -> str:
    """Runs the trials that are not finished, and compares the policies when all are.

    Args:
        study: What is to be run.
        execute: Runs jobs in the order in which they are given.
        stores: Results by label.
        reporter: Shows progress.

    Returns:
        "" when every trial is finished and valid, else one sentence about what was lost.

    Raises:
        ImoveError: The output folder cannot be written.
    """
    for label, store in stores.items():
        store.keep_suite(study.runs[label].suite)
    jobs = study.jobs
    todo = [job for job in jobs if episode_id(job.spec, job.condition) not in stores[job.label].done]
    number = len(jobs) - len(todo)
    reporter.started(len(jobs), number)
    some = study.runs["A"]
    chance = {condition: chance_level(some.rig, some.specs, condition) for condition in some.conditions}

    def summarise(label: str) -> dict[str, Any]:
        summary = summarise_run(stores[label].records, some.specs, chance)
        stores[label].write_summary(summary)
        return summary

    losses = Losses()
    for job, execution in execute(todo):
        settings = study.runs[job.label].settings
        record = make_record(job.spec, job.condition, settings.seed, execution, settings.policy)
        stores[job.label].append(record, execution.trace)
        stores[job.label].note_simulator(execution.simulator)
        # What is run again keeps its number.
        number += execution.outcome not in OPERATOR_OUTCOMES
        reporter.trial(number, len(jobs), job.label, record["prompt_sent"], public_outcome(execution.outcome))
        summarise(job.label)
        if losses.note(job, execution):
            # Why a policy failed may tell which it is; the folder of its label has the whole sentence.
            return f"trial {number} of policy {job.label} was {public_outcome(execution.outcome)}"
    if losses.count:
        return f"{losses.count} of {len(jobs)} trials are not finished"
    order = [episode_id(job.spec, job.condition) for job in jobs]
    for store in stores.values():
        store.sort(order)
    summaries = {label: summarise(label) for label in stores}
    records = {label: store.records for label, store in stores.items()}
    reporter.comparison(compare_policies(study, records, summaries))
    if not all(summary["valid"] for summary in summaries.values()):
        return "a policy did not receive the texts of the specs: the comparison is not valid"
    return ""
