"""What came of trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal["no grip", "too wide", "table", "unreachable", "blocked", "not lifted", "slipped", "turned"]
"""Why a trial failed."""

REASONS: dict[Reason, str] = {
    "no grip": "the asset has none",
    "too wide": "the jaw cannot open far enough for any grip",
    "table": "every grip that fits brings the hand too close to the table",
    "unreachable": "no arm reaches any grip there",
    "blocked": "the hand hits the object on its way in",
    "not lifted": "dropped, or never picked up",
    "slipped": "moved between the pads",
    "turned": "turned between the pads",
}
"""What each reason means."""


@dataclass(frozen=True)
class GripTally:
    """Trials of one annotated grip.

    Attributes:
        grip: Its number, best first.
        tried: Trials in which it was executed.
        held: Those that succeeded.
    """

    grip: int
    tried: int
    held: int


@dataclass(frozen=True)
class TrialReport:
    """Trial grasps of one asset.

    Attributes:
        trials: How many.
        successes: Those in which the object was lifted and held.
        failures: Reasons and their numbers, most frequent first.
        grips: Of the grips that were tried, by number.
        slip_m: Largest slip of a success.
    """

    trials: int
    successes: int
    failures: tuple[tuple[Reason, int], ...]
    grips: tuple[GripTally, ...]
    slip_m: float

    @property
    def share(self) -> float:
        """Share of successes, 0 without trials."""
        return self.successes / self.trials if self.trials else 0.0


@dataclass(frozen=True)
class PoseTrial:
    """One resting pose, put on the table.

    Attributes:
        pose: Number in the asset's `stable_poses`.
        holds: It stayed.
        tilt_rad: Largest change of its upright direction.
        drift_m: How far its origin has moved sideways.
    """

    pose: int
    holds: bool
    tilt_rad: float
    drift_m: float


@dataclass(frozen=True)
class StabilityReport:
    """All resting poses of one asset.

    Attributes:
        poses: In the asset's order.
    """

    poses: tuple[PoseTrial, ...]

    @property
    def failing(self) -> tuple[PoseTrial, ...]:
        """The poses that do not hold."""
        return tuple(pose for pose in self.poses if not pose.holds)
