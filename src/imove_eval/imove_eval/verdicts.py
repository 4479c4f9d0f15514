"""What the operator of the real table says of a trial, and what becomes of its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from imove_analysis.records import COMPLETED, DISCARDED, REDONE, STOPPED, Execution

JUDGED_OUTCOMES = (COMPLETED, STOPPED)
"""Outcomes of trials that a person may keep: they ran, to the horizon or until somebody stopped them."""


@dataclass(frozen=True)
class Verdict:
    """A verdict.

    Attributes:
        decision: `keep`, `redo` or `discard`.
        operator: For the record: success (None where nobody judged), interventions, overruled stages, note.
    """

    decision: str
    operator: Mapping[str, Any]

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Verdict:
        """The verdict in the line that the conductor wrote of it."""
        return cls(record["decision"], record["operator"])


def judged(execution: Execution, verdict: Verdict) -> Execution:
    """The result of a trial after the operator's word.

    A trial that was stopped and is kept counts with the stages that it had reached: whoever stops a policy that is
    about to do harm has seen it fail.

    Args:
        execution: As the run came out.
        verdict: Of the operator.
    """
    told = replace(execution, operator=dict(verdict.operator))
    # A policy that was stopped before it had answered once has shown nothing.
    if verdict.decision == "keep" and execution.outcome in JUDGED_OUTCOMES and execution.inferences:
        return replace(told, outcome=COMPLETED)
    outcome = REDONE if verdict.decision == "redo" else DISCARDED
    message = execution.message or ("" if execution.outcome == COMPLETED else execution.outcome)
    return replace(told, outcome=outcome, message=message, next_may_work=True, bag=None)
