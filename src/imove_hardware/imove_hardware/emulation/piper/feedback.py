"""Which frames an arm sends of its own accord, and how often."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from imove_core.values import FrozenValue

#: Periods that are made up for, as a busy machine needs it to keep the mean rate.
MOST_MISSED = 5

Rate = Annotated[float, Field(ge=0.0, le=1000.0)]


class FeedbackRates(FrozenValue):
    """Rates of feedback in Hz, 0 for never.

    The defaults are those of an arm, except where a comment says otherwise; four arms on two cores need less of what
    nobody reads: `FeedbackRates.light()`.

    Attributes:
        status_hz: 0x2A1.
        joints_hz: 0x2A5-0x2A7.
        gripper_hz: 0x2A8.
        pose_hz: 0x2A2-0x2A4; 200 Hz on an arm.
        motors_hz: 0x251-0x256.
        drivers_hz: 0x261-0x266; the rate of an arm is not documented.
        leading_hz: 0x151, 0x155-0x157 and 0x159 of a leader.
    """

    status_hz: Rate = 200.0
    joints_hz: Rate = 200.0
    gripper_hz: Rate = 200.0
    pose_hz: Rate = 50.0
    motors_hz: Rate = 200.0
    drivers_hz: Rate = 40.0
    leading_hz: Rate = 200.0

    @classmethod
    def light(cls) -> FeedbackRates:
        """Full rate of joints, gripper and leader, and little else."""
        return cls(status_hz=50.0, pose_hz=0.0, motors_hz=50.0, drivers_hz=10.0)


class Schedule:
    """Says which kinds of feedback are due."""

    def __init__(self, rates: FeedbackRates) -> None:
        """Creates the schedule; everything is due at once."""
        names = ("status", "joints", "gripper", "pose", "motors", "drivers", "leading")
        self._periods_s = {name: 1.0 / rate for name in names if (rate := getattr(rates, f"{name}_hz")) > 0.0}
        self._due_s: dict[str, float] = dict.fromkeys(self._periods_s, float("-inf"))

    def due(self, now_s: float) -> set[str]:
        """Names of what is due at `now_s`; what was missed is made up for, unless it is more than a few periods."""
        due = {name for name, at_s in self._due_s.items() if at_s <= now_s}
        for name in due:
            period_s = self._periods_s[name]
            behind = now_s - self._due_s[name] > MOST_MISSED * period_s
            self._due_s[name] = (now_s if behind else self._due_s[name]) + period_s
        return due

    @property
    def next_s(self) -> float:
        """When something is due next."""
        return min(self._due_s.values(), default=float("inf"))
