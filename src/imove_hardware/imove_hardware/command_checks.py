"""What is wrong with a command that an arm's driver is given: too old, from another clock, beyond the joints' ends."""

from __future__ import annotations

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.safety_event import SafetyEvent
from imove_core.trajectory import JointCommand
from imove_motion.safety.following import TOLERANCE

NS = 1_000_000_000
STALE_S = 0.5
"""A command whose last point was due longer ago was meant for another situation."""
AHEAD_S = 2.0
"""A command from further in the future comes from a machine with another clock."""


def check_times(arm: Arm, command: JointCommand, now_ns: int) -> None:
    """Raises ImoveError where a command for an arm is too old, or from too far in the future."""
    age_s, ahead_s = (now_ns - int(command.times_ns[-1])) / NS, (command.stamp_ns - now_ns) / NS
    if age_s > STALE_S:
        raise ImoveError(
            f"command for arm '{arm.name}' ended {age_s:.2f} s ago; at most {STALE_S:g} s is allowed: is its sender "
            "late, or is its clock another one?"
        )
    if ahead_s > AHEAD_S:
        raise ImoveError(
            f"command for arm '{arm.name}' begins {ahead_s:.2f} s ahead; at most {AHEAD_S:g} s is allowed: is its "
            "sender's clock another one?"
        )


def beyond_limits(arm: Arm, command: JointCommand) -> list[SafetyEvent]:
    """What of a command lies beyond the joints' ends and will be held to them, the first of each joint."""
    low, high = arm.limits.T
    beyond = (command.positions < low - TOLERANCE) | (command.positions > high + TOLERANCE)
    events = []
    for column in np.flatnonzero(beyond.any(axis=0)):
        row = int(np.argmax(beyond[:, column]))
        value = float(command.positions[row, column])
        limit = float(np.clip(value, low[column], high[column]))
        name = arm.joint_names[column]
        sentence = f"{name} was to go to {value:.3f}; its limit is {limit:.3f}"
        count = int(beyond[:, column].sum())
        stamp_ns = int(command.times_ns[row])
        events.append(SafetyEvent(stamp_ns, "joint_limit", arm.name, name, value, limit, "clamped", sentence, count))
    return events
