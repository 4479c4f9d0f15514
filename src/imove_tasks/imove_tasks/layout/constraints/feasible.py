"""The constraint that asks a motion planner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from imove_tasks.layout.arrangement import Arrangement
from imove_tasks.layout.constraint import Constraint, Feasibility, Violation


@dataclass(frozen=True)
class Reachable(Constraint):
    """Whoever plans the motions finds the whole layout feasible.

    Attributes:
        feasibility: Returns "" or the reason why not.
    """

    feasibility: Feasibility

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "reachable"

    @property
    def costly(self) -> bool:
        """Planning takes longer than everything else."""
        return True

    def __str__(self) -> str:
        """The constraint in words."""
        return "every object can be reached and grasped"

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields the planner's reason; nothing before the layout is complete."""
        if layout.is_complete:
            reason = self.feasibility(layout.placements())
            if reason:
                yield Violation("", reason)
