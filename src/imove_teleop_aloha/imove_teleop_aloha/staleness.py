"""How long ago something was heard of."""

from __future__ import annotations

import math
from collections.abc import Sequence


class Freshness:
    """Ages of the newest state of several sources; one that has never been heard of is infinitely old."""

    def __init__(self, names: Sequence[str], stale_s: float) -> None:
        """Has heard of nobody.

        Args:
            names: Of the sources.
            stale_s: A state older than this is stale.
        """
        self._stale_s = stale_s
        self.newest_s = dict.fromkeys(names, -math.inf)
        """When the newest state of each was true; -inf before the first."""

    def heard(self, name: str, at_s: float) -> None:
        """Takes note of a state that was true at a time; one that is older than the newest changes nothing."""
        self.newest_s[name] = max(at_s, self.newest_s[name])

    def forget(self) -> None:
        """Has heard of nobody."""
        self.newest_s = dict.fromkeys(self.newest_s, -math.inf)

    def age_s(self, name: str, now_s: float) -> float:
        """Age of the newest state of a source."""
        return max(0.0, now_s - self.newest_s[name])

    def ages_s(self, now_s: float) -> dict[str, float]:
        """Ages of all."""
        return {name: self.age_s(name, now_s) for name in self.newest_s}

    def stale(self, now_s: float) -> tuple[str, ...]:
        """Sources whose newest state is too old."""
        return tuple(name for name, age_s in self.ages_s(now_s).items() if age_s > self._stale_s)
