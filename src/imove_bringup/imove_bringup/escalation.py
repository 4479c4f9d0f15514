"""The sequence of signals that stops nodes: SIGINT, then SIGTERM, then SIGKILL."""

import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How long nodes may take to stop, seconds.

    Attributes:
        sigterm_after_s: From SIGINT to SIGTERM; the default is that of `ros2 launch`.
        sigkill_after_s: From SIGTERM to SIGKILL; likewise.
        orphan_grace_s: From SIGINT to SIGKILL when the supervisor itself was killed.
    """

    sigterm_after_s: float = 5.0
    sigkill_after_s: float = 5.0
    orphan_grace_s: float = 5.0


class Escalation:
    """The signals that are still to be sent, with the times at which they are due."""

    def __init__(self, patience: Patience, now_s: float) -> None:
        """Begins: SIGINT is due at once.

        Args:
            patience: How long nodes may take.
            now_s: Time of a monotonic clock.
        """
        sigterm_s = now_s + patience.sigterm_after_s
        self._waiting = [
            (now_s, signal.SIGINT),
            (sigterm_s, signal.SIGTERM),
            (sigterm_s + patience.sigkill_after_s, signal.SIGKILL),
        ]

    def due(self, now_s: float) -> tuple[signal.Signals, ...]:
        """The signals to send now, each returned once."""
        count = sum(time_s <= now_s for time_s, _ in self._waiting)
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return tuple(number for _, number in taken)

    def time_left_s(self, now_s: float) -> float | None:
        """Time until the next signal is due, at least 0; None when all were sent."""
        return max(0.0, self._waiting[0][0] - now_s) if self._waiting else None
