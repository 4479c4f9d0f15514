"""The hand beside the arm: what is wanted becomes orders, and orders that lead the wrong way are cancelled."""

from __future__ import annotations

from typing import Protocol

from imove_core.rig import Arm
from imove_hardware.franka.gripping import Gripping, HandLimits, HandOrder

AHEAD_NS = 200_000_000
"""How long before the hand is to have another opening it is told: an action takes about as long to begin."""


class Hand(Protocol):
    """Carries out the hand's orders."""

    def start(self, order: HandOrder) -> None:
        """Begins to; how it went is told by `HandControl.finished`."""

    def cancel(self) -> None:
        """Stops what the hand does."""


class HandControl:
    """Has one hand do what is wanted."""

    def __init__(self, arm: Arm, hand: Hand, force_n: float) -> None:
        """Orders nothing yet.

        Args:
            arm: Of the rig, with the hand.
            hand: Carries out orders.
            force_n: With which it closes.
        """
        low_m, high_m = arm.limits[-1]
        self._gripping = Gripping(HandLimits(low_m, high_m, float(arm.velocity_limits[-1]), force_n))
        self._hand, self._cancelling = hand, False

    @property
    def report(self) -> str:
        """What the hand does or holds, or why its last order failed."""
        if self._gripping.running is not None:
            return self._gripping.running.kind.value
        return self._gripping.failure or ("holds" if self._gripping.holds else "")

    def opening(self, measured_m: float) -> float:
        """The opening that keeps the hand as it is, with what it holds."""
        return self._gripping.opening(measured_m)

    def home(self) -> None:
        """Lets the hand find its largest opening, unless it is busy."""
        order = self._gripping.home()
        if order is not None:
            self._hand.start(order)

    def want(self, wanted_m: float, measured_m: float, now_s: float) -> None:
        """Has the hand go to an opening.

        Args:
            wanted_m: Opening that is wanted.
            measured_m: Opening that there is.
            now_s: Steady time.
        """
        if self._gripping.outdated(wanted_m):
            self.cancel()
        order = self._gripping.next_order(wanted_m, measured_m, now_s)
        if order is not None:
            self._hand.start(order)

    def cancel(self) -> None:
        """Stops what the hand does; what it has grasped it keeps."""
        if self._gripping.running is not None and not self._cancelling:
            self._cancelling = True
            self._hand.cancel()

    def finished(self, measured_m: float, failure: str, now_s: float) -> None:
        """The hand has done what it was told, or why not (`Gripping.finished`)."""
        self._cancelling = False
        self._gripping.finished(measured_m, failure, now_s)
