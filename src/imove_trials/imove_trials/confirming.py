"""Who gives the operator's commands: a person, or for emulated rigs and practice a rule."""

from __future__ import annotations

from dataclasses import dataclass

from imove_trials.machine import COMPLETED, Phase

STEADY_S = 1.0
"""How long a layout must have been right before the rule confirms it."""
PATIENCE_S = 15.0
"""How long the rule waits for a layout to be right before it accepts it as it is: one object may hide another."""
MOST_ATTEMPTS = 3
"""After so many attempts that were lost the rule gives a trial up."""


@dataclass(frozen=True)
class Situation:
    """What the rule looks at.

    Attributes:
        phase: Of the trial.
        commands: That are taken.
        match: Share of the objects that lie right.
        outcome: Of the run that is to be judged, "" before it ended.
        attempt: Of the trial, from 1.
    """

    phase: Phase
    commands: tuple[str, ...]
    match: float
    outcome: str
    attempt: int


class AutomaticOperator:
    """Confirms layouts that have been right for a second, starts, keeps what ran to its end, and judges nothing.

    A layout that is not found to be right for long is measured once more and then accepted as it is, which its record
    says. It never resumes after a stop: that is a person's word.
    """

    def __init__(self) -> None:
        """Has seen nothing yet."""
        self._right_since_s: float | None = None
        self._laid_out_since_s: float | None = None

    def command(self, seen: Situation, now_s: float) -> str:
        """The command to give now, "" for none.

        Args:
            seen: How things stand.
            now_s: Monotonic time.
        """
        if seen.phase != "laying_out" or seen.match < 1.0:
            self._right_since_s = None
        elif self._right_since_s is None:
            self._right_since_s = now_s
        if seen.phase not in ("laying_out", "checking"):
            self._laid_out_since_s = None
        elif self._laid_out_since_s is None:
            self._laid_out_since_s = now_s
        wanted = ""
        match seen.phase:
            case "laying_out":
                steady = self._right_since_s is not None and now_s - self._right_since_s >= STEADY_S
                patient = self._laid_out_since_s is not None and now_s - self._laid_out_since_s < PATIENCE_S
                if steady:
                    wanted = "confirm_layout"
                elif not patient:
                    # Taken only after a measurement has said what is wrong.
                    wanted = "start" if "start" in seen.commands else "confirm_layout"
            case "ready":
                wanted = "start"
            case "asking" if seen.outcome == COMPLETED:
                wanted = "accept"
            case "asking" if seen.outcome:
                wanted = "redo" if seen.attempt < MOST_ATTEMPTS else "discard"
        return wanted if wanted in seen.commands else ""
