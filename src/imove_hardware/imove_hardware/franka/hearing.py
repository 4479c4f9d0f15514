"""What is heard of a Franka: its arm, its hand, its state and its controller, and for how long each has been silent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array
from imove_hardware.frame_rate import FrameRate
from imove_hardware.franka.watching import RobotHealth
from imove_hardware.silence import SilenceWatch

NS = 1_000_000_000
ARM, HAND, ROBOT, CONTROLLER = "joint state", "opening of the hand", "robot state", "controller state"
LEAST_PERIOD_NS = 4_500_000
"""Between two joint states that are handed on: the contract has 200 a second, the arm sends up to 1000."""
_HAND_SMOOTHING_NS = 500_000_000


@dataclass(frozen=True, eq=False)
class Reading:
    """Joints at one time, (7,) each; with the hand (8,).

    Attributes:
        stamp_ns: When.
        positions: rad, opening in m.
        velocities: rad/s, m/s.
        efforts: N m, N.
    """

    stamp_ns: int
    positions: Array
    velocities: Array
    efforts: Array


class Hearing:
    """Keeps the newest of everything; each source has to go on speaking."""

    def __init__(self, silence_s: float, hand_silence_s: float) -> None:
        """Has heard nothing.

        Args:
            silence_s: Allowed to arm, state and controller, and allowed to a joint state as its age.
            hand_silence_s: Allowed to the hand, which speaks 15 times a second unless told otherwise.
        """
        self._silence_s = silence_s
        self._allowed_s = {source: silence_s for source in (ARM, ROBOT, CONTROLLER)} | {HAND: hand_silence_s}
        self._watches = {source: SilenceWatch(allowed_s) for source, allowed_s in self._allowed_s.items()}
        self._counts = dict.fromkeys(self._allowed_s, 0)
        self._rate = FrameRate()
        self._handed_on_ns, self._late_s = -NS, 0.0
        self._opening_ns, self._opening_speed = 0, 0.0
        self.arm: Reading | None = None
        """Newest joints (7,)."""
        self.opening_m: float | None = None
        """Newest opening of the hand."""
        self.robot: RobotHealth | None = None
        """What the arm said of itself last."""
        self.reference: tuple[Array, Array] | None = None
        """Where the controller wants the arm: position and velocity, (7,) each."""
        self.silent_s = 0.0
        """For how long the one that has been silent longest is."""

    @property
    def robot_silent(self) -> bool:
        """Whether the arm no longer says what it does."""
        return self._watches[ROBOT].silent_s >= self._silence_s

    @property
    def states_hz(self) -> float:
        """Joint states a second."""
        return self._rate.hz

    def hear_arm(self, reading: Reading, now_ns: int) -> Reading | None:
        """Takes joints (7,); returns those of arm and hand (8,) that are to be handed on, if any are.

        Joints that are old when they come, or from the future, do not count as heard.
        """
        age_s = (now_ns - reading.stamp_ns) / NS
        if abs(age_s) > self._silence_s:
            self._late_s = age_s
            return None
        self._count(ARM)
        self.arm, self._late_s = reading, 0.0
        if self.opening_m is None or reading.stamp_ns - self._handed_on_ns < LEAST_PERIOD_NS:
            return None
        self._handed_on_ns = reading.stamp_ns
        return Reading(
            reading.stamp_ns,
            np.append(reading.positions, self.opening_m),
            np.append(reading.velocities, self._opening_speed),
            # The hand does not tell its force.
            np.append(reading.efforts, 0.0),
        )

    def hear_hand(self, stamp_ns: int, opening_m: float) -> None:
        """Takes the opening; its speed is that since the one before, as the hand does not tell it."""
        self._count(HAND)
        passed_ns = stamp_ns - self._opening_ns
        known = self.opening_m is not None and 0 < passed_ns < _HAND_SMOOTHING_NS
        self._opening_speed = (opening_m - (self.opening_m or 0.0)) * NS / passed_ns if known else 0.0
        self.opening_m, self._opening_ns = opening_m, stamp_ns

    def hear_robot(self, health: RobotHealth) -> None:
        """Takes what the arm says of itself."""
        self._count(ROBOT)
        self.robot = health

    def hear_controller(self, positions: Array, velocities: Array) -> None:
        """Takes where the controller wants the arm (7,), rad and rad/s."""
        self._count(CONTROLLER)
        self.reference = (positions, velocities)

    def look(self, now_s: float, controlled: bool) -> str:
        """Who is silent, one sentence, "" where nobody is; called in every round of a loop.

        Args:
            now_s: Steady time.
            controlled: Whether the controller is to be heard: it ends with the arm's motion where that has a fault.
        """
        self._rate.look(self._counts[ARM], now_s)
        silent = [source for source, watch in self._watches.items() if watch.look(self._counts[source], now_s)]
        # Who has never spoken is not there, however short the time.
        silent += [source for source, count in self._counts.items() if not count and source not in silent]
        if not controlled and self._counts[CONTROLLER]:
            silent = [source for source in silent if source != CONTROLLER]
        self.silent_s = max(watch.silent_s for watch in self._watches.values())
        if not silent:
            return ""
        source = silent[0]
        if source == ARM and self._late_s:
            return (
                f"joint states are {self._late_s:.2f} s old when they come; {self._silence_s:g} s is allowed: is the "
                "clock of the machine that controls the arm another one?"
            )
        if not self._counts[source]:
            return f"no {source} has come yet"
        return (
            f"no {source} has come for {self._watches[source].silent_s:.2f} s; {self._allowed_s[source]:g} s is allowed"
        )

    def _count(self, source: str) -> None:
        self._counts[source] += 1
