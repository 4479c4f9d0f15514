"""For how long something that has to go on speaking has been silent."""

LOOP_SHARE_S = 0.02
"""Silence that one round of the watching loop can count at most: a process that was not run for a while has frames
waiting, and would take its own sleep for the bus's silence."""


class SilenceWatch:
    """Measures for how long nothing has come, on the steady clock and not by time stamps, which may jump."""

    def __init__(self, limit_s: float) -> None:
        """Allows a silence of `limit_s`."""
        self._limit_s = limit_s
        self._heard, self._looked_s = -1, 0.0
        self.silent_s = 0.0
        """Silence so far."""

    def start(self, heard: int, now_s: float) -> None:
        """Begins with a silence of nothing."""
        self._heard, self._looked_s, self.silent_s = heard, now_s, 0.0

    def look(self, heard: int, now_s: float) -> bool:
        """Whether it has been silent for too long; called in every round of a loop.

        Args:
            heard: How many readings have come in all.
            now_s: Steady time.
        """
        passed_s, self._looked_s = now_s - self._looked_s, now_s
        if heard != self._heard:
            self._heard, self.silent_s = heard, 0.0
        else:
            self.silent_s += min(passed_s, LOOP_SHARE_S)
        return self.silent_s >= self._limit_s
