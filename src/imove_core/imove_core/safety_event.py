"""What is reported when commands are changed or arms are stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "not_finite",
    "shape",
    "joint_limit",
    "velocity",
    "acceleration",
    "step",
    "workspace",
    "table",
    "self_collision",
    "watchdog",
    "fault",
    "emergency_stop",
]
Action = Literal["clamped", "held", "refused", "stopped"]


@dataclass(frozen=True)
class SafetyEvent:
    """One thing that was not let through as it was asked for.

    Attributes:
        stamp_ns: When the first command concerned was due.
        kind: What was violated.
        arm: Name of the arm, "" where all are concerned.
        joint: Name of the joint, "" where a place, an arm or everything is concerned.
        value: What was asked for: rad, m, rad/s, rad/s^2 or s; NaN where there is no number.
        limit: What is allowed, in the same unit; NaN where there is no number.
        action: What was done instead.
        sentence: For people.
        count: Rows of the same answer that are concerned.
    """

    stamp_ns: int
    kind: Kind
    arm: str
    joint: str
    value: float
    limit: float
    action: Action
    sentence: str
    count: int = 1
