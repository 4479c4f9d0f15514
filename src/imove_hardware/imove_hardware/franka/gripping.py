"""What the hand is told: one action at a time, only where the wanted opening changes, and the newest one wins.

The actions of a Franka Hand take their time and block each other, while policies want another opening thirty times a
second. Opening is a move. Closing is a grasp: it presses with a force on whatever it meets, at any width.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

CHANGE_M = 0.004
"""Smaller changes of the wanted opening are not worth an action, unless they lead to an end of the range."""
SAME_M = 0.0005
HELD_M = 0.002
"""Fingers that a grasp left this much wider than it was to close hold something."""
RETRY_S = 1.0


class OrderKind(Enum):
    """What the hand can be told."""

    MOVE = "move"
    GRASP = "grasp"
    HOME = "home"


@dataclass(frozen=True)
class HandOrder:
    """One action of the hand.

    Attributes:
        kind: Which.
        opening_m: To which opening.
        speed_m_s: Of the opening.
        force_n: To press with, of a grasp.
    """

    kind: OrderKind
    opening_m: float
    speed_m_s: float
    force_n: float


@dataclass(frozen=True)
class HandLimits:
    """What a hand can do.

    Attributes:
        low_m: Least opening.
        high_m: Largest opening.
        speed_m_s: Of the opening.
        force_n: To press with.
    """

    low_m: float
    high_m: float
    speed_m_s: float
    force_n: float


class Gripping:
    """Decides what the hand does next; whoever asks carries it out and says how it went."""

    def __init__(self, limits: HandLimits) -> None:
        """Has ordered nothing."""
        self._limits = limits
        self._ordered_m: float | None = None
        self._next_try_s = 0.0
        self._holds = False
        self.running: HandOrder | None = None
        """What the hand is doing."""
        self.failure = ""
        """Why the last order failed, "" where it did not."""

    @property
    def holds(self) -> bool:
        """Whether the last grasp has closed on something."""
        return self._holds

    def opening(self, measured_m: float) -> float:
        """The opening that keeps the hand as it is, with what it holds: the one ordered last, or the present one."""
        return measured_m if self._ordered_m is None else self._ordered_m

    def next_order(self, wanted_m: float, measured_m: float, now_s: float) -> HandOrder | None:
        """What the hand is to do now, None where there is nothing new or it is busy.

        Args:
            wanted_m: Opening that is wanted.
            measured_m: Opening that there is.
            now_s: Steady time.
        """
        if self.running is not None or now_s < self._next_try_s:
            return None
        wanted_m = self._clipped(wanted_m)
        before_m = self.opening(measured_m)
        at_end = min(wanted_m - self._limits.low_m, self._limits.high_m - wanted_m) < SAME_M
        if abs(wanted_m - before_m) < (SAME_M if at_end else CHANGE_M):
            return None
        if self._holds and wanted_m < measured_m:
            return None
        closes = wanted_m < (measured_m if self._ordered_m is None or self._holds else before_m)
        kind = OrderKind.GRASP if closes else OrderKind.MOVE
        return self._begin(HandOrder(kind, wanted_m, self._limits.speed_m_s, self._limits.force_n))

    def home(self) -> HandOrder | None:
        """The order that finds the largest opening, None while the hand is busy."""
        if self.running is not None:
            return None
        return self._begin(HandOrder(OrderKind.HOME, self._limits.high_m, self._limits.speed_m_s, 0.0))

    def outdated(self, wanted_m: float) -> bool:
        """Whether what the hand is doing leads away from what is wanted by now, so that it is to be cancelled."""
        order, wanted_m = self.running, self._clipped(wanted_m)
        if order is None or order.kind is OrderKind.HOME:
            return False
        away_m = wanted_m - order.opening_m
        return away_m > CHANGE_M if order.kind is OrderKind.GRASP else -away_m > CHANGE_M

    def finished(self, measured_m: float, failure: str, now_s: float) -> None:
        """The hand has done what it was told, or not.

        Args:
            measured_m: Opening that there is.
            failure: Why not, "" where all went well; `CANCELLED` where it was cancelled.
            now_s: Steady time.
        """
        order, self.running = self.running, None
        if order is None:
            return
        self.failure = failure
        self._holds = order.kind is OrderKind.GRASP and not failure and measured_m > order.opening_m + HELD_M
        if failure:
            self._ordered_m = None
            self._next_try_s = now_s if failure == CANCELLED else now_s + RETRY_S

    def _begin(self, order: HandOrder) -> HandOrder:
        self.running, self._ordered_m, self._holds = order, order.opening_m, False
        return order

    def _clipped(self, wanted_m: float) -> float:
        return min(max(wanted_m, self._limits.low_m), self._limits.high_m)


CANCELLED = "cancelled"
"""Failure of an order that was cancelled: the next may follow at once."""
