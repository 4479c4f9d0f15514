"""How an episode comes to an early end."""

from __future__ import annotations


class Aborted(Exception):
    """The episode ends here.

    Attributes:
        outcome: `aborted: REASON`.
        next_may_work: Whether only this episode is lost.
    """

    def __init__(self, outcome: str, message: str, *, next_may_work: bool = False) -> None:
        """Ends it with an outcome and one sentence for people."""
        super().__init__(message)
        self.outcome, self.next_may_work = outcome, next_may_work
