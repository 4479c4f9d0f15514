"""What is wrong with a Franka: what it says of itself, and a target that is not followed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from imove_core.transforms import Array


class RobotMode(IntEnum):
    """What the arm's controller does, numbered as in franka_msgs/FrankaRobotState."""

    OTHER = 0
    IDLE = 1
    MOVE = 2
    GUIDING = 3
    REFLEX = 4
    USER_STOPPED = 5
    AUTOMATIC_ERROR_RECOVERY = 6


_FAULTS = {
    RobotMode.OTHER: "is in a mode of its own; look at Desk",
    RobotMode.GUIDING: "is being guided by hand",
    RobotMode.REFLEX: "has stopped by a reflex",
    RobotMode.USER_STOPPED: "is stopped by its activation device, the button beside it",
    RobotMode.AUTOMATIC_ERROR_RECOVERY: "recovers from an error",
}
"""Modes in which it does not follow, after "arm 'arm' "."""


@dataclass(frozen=True)
class RobotHealth:
    """What the arm says of itself.

    Attributes:
        mode: Of its controller.
        errors: Names of the errors that are set, such as `joint_reflex`.
        last_errors: Those that ended its last motion.
    """

    mode: RobotMode
    errors: tuple[str, ...] = ()
    last_errors: tuple[str, ...] = ()


def fault_of(arm: str, health: RobotHealth) -> str:
    """What is wrong with an arm, one sentence; "" where nothing is."""
    what = _FAULTS.get(health.mode, "")
    errors = health.errors or (health.last_errors if health.mode is RobotMode.REFLEX else ())
    if not what and not errors:
        return ""
    named = f" ({', '.join(errors)})" if errors else ""
    return f"arm '{arm}' {what or 'reports an error'}{named}"


class Apart:
    """Notices that two things that should be the same stay apart."""

    def __init__(self, allowed_rad: float, patience_s: float, sentence: str) -> None:
        """Looks at nothing yet.

        Args:
            allowed_rad: How far they may be apart for longer.
            patience_s: For how long they may be further apart.
            sentence: What that means, with {joint}, {angle} and {seconds}.
        """
        self._allowed_rad, self._patience_s, self._sentence = allowed_rad, patience_s, sentence
        self._since_s: float | None = None

    def start(self) -> None:
        """Forgets what was."""
        self._since_s = None

    def look(self, joint_names: tuple[str, ...], first: Array, second: Array, now_s: float) -> str:
        """What is wrong, "" where nothing is.

        Args:
            joint_names: Of the n joints.
            first: (n,) rad.
            second: (n,) rad.
            now_s: Steady time.
        """
        distances = np.abs(first - second)
        worst = int(np.argmax(distances))
        if distances[worst] <= self._allowed_rad:
            self._since_s = None
            return ""
        if self._since_s is None:
            self._since_s = now_s
        if now_s - self._since_s < self._patience_s:
            return ""
        return self._sentence.format(
            joint=joint_names[worst], angle=f"{distances[worst]:.2f}", seconds=f"{self._patience_s:g}"
        )
