"""The deadman: arms follow only while a person holds it."""

from __future__ import annotations

import math

NONE, PEDAL, KEY, CONSOLE = "none", "pedal", "key", "console"
DEADMANS = (NONE, PEDAL, KEY, CONSOLE)
"""What is held: nothing, a foot pedal, the space bar of a terminal, a button of the console."""


class Deadman:
    """Whether it is held; what holds it may do so for a while only, so that one that dies lets go."""

    def __init__(self, kind: str) -> None:
        """Is let go of, unless none is asked for."""
        self.kind = kind
        self._until_s = -math.inf

    def hold(self, now_s: float, hold_s: float = math.inf) -> None:
        """Holds it from now on.

        Args:
            now_s: Time of the loop's clock.
            hold_s: Lets go by itself after so long, unless it is held again meanwhile.
        """
        self._until_s = now_s + hold_s

    def release(self) -> None:
        """Lets go."""
        self._until_s = -math.inf

    def held(self, now_s: float) -> bool:
        """Whether arms may follow."""
        return self.kind == NONE or now_s <= self._until_s
