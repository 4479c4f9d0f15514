"""A Franka Hand: fingers that move at a speed, stop at an object, and press on it."""

from __future__ import annotations

from enum import Enum

_SAME_M = 1e-6


class Outcome(Enum):
    """What became of an action."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class EmulatedHand:
    """Does one action at a time; a new one ends the one before. Not safe for several threads."""

    def __init__(self, most_m: float, object_m: float, now_ns: int) -> None:
        """Is open.

        Args:
            most_m: Largest opening.
            object_m: Width of what lies between the fingers, 0 for nothing.
            now_ns: The present.
        """
        self._most_m, self._now_ns = most_m, now_ns
        self.object_m = object_m
        """Width of what lies between the fingers."""
        self.opening_m = most_m
        """Between the fingers."""
        self.force_n = 0.0
        """With which they press."""
        self.outcome = Outcome.SUCCEEDED
        """Of the last action."""
        self._ways: list[float] = []
        self._speed_m_s = self._asked_n = 0.0
        self._grasped: tuple[float, float] | None = None

    def move(self, opening_m: float, speed_m_s: float) -> None:
        """Begins to move the fingers; fails where an object is in the way."""
        self._begin([opening_m], speed_m_s, 0.0, None)

    def grasp(self, opening_m: float, speed_m_s: float, force_n: float, inner_m: float, outer_m: float) -> None:
        """Begins to close on something; succeeds where it is `opening_m` wide, within inner and outer tolerance."""
        self._begin([opening_m], speed_m_s, force_n, (opening_m - inner_m, opening_m + outer_m))

    def home(self, speed_m_s: float = 0.1) -> None:
        """Begins to close and open all the way."""
        self._begin([0.0, self._most_m], speed_m_s, 0.0, None)

    def stop(self) -> None:
        """Ends the action that runs, where it is."""
        if self.outcome is Outcome.RUNNING:
            self._ways, self.outcome = [], Outcome.FAILED

    def advance(self, now_ns: int) -> None:
        """Lets time pass until now."""
        passed_s, self._now_ns = max(0, now_ns - self._now_ns) / 1e9, max(self._now_ns, now_ns)
        way_m = passed_s * self._speed_m_s
        while self._ways and way_m > 0.0:
            goal_m = min(max(self._ways[0], self.object_m), self._most_m)
            step_m = min(way_m, abs(goal_m - self.opening_m))
            self.opening_m += step_m if goal_m > self.opening_m else -step_m
            way_m -= step_m
            if abs(self.opening_m - goal_m) > _SAME_M:
                return
            self._ways.pop(0)
            if not self._ways:
                self._end(goal_m)

    def _begin(self, ways: list[float], speed_m_s: float, force_n: float, grasped: tuple[float, float] | None) -> None:
        self._ways, self._speed_m_s, self._asked_n, self._grasped = ways, speed_m_s, force_n, grasped
        self._wanted_m = ways[-1]
        self.force_n, self.outcome = 0.0, Outcome.RUNNING

    def _end(self, goal_m: float) -> None:
        met = goal_m > self._wanted_m + _SAME_M
        if self._grasped is None:
            self.outcome = Outcome.FAILED if met else Outcome.SUCCEEDED
            return
        low_m, high_m = self._grasped
        self.force_n = self._asked_n if met else 0.0
        self.outcome = Outcome.SUCCEEDED if low_m <= self.opening_m <= high_m else Outcome.FAILED
