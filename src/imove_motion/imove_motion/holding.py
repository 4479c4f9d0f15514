"""Whether a hand holds something, from its opening alone."""

from __future__ import annotations

MISSED_M = 0.002
"""An empty gripper comes as close to its target as this, in physics and by the precision of its encoder."""


def holds(opening_m: float, target_m: float) -> bool:
    """Whether something keeps the fingers from where they were told to go.

    Args:
        opening_m: Measured.
        target_m: Opening that they were told, below the width of what they should hold.
    """
    return opening_m > target_m + MISSED_M
