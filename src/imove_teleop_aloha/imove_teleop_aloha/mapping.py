"""From a leader's joints to its follower's: one to one, grippers in m.

Leader and follower are arms of one model, and a leader's states come in the joint names of the arm that follows, so
that nothing is scaled or turned here. What is checked is that all of it is there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.transforms import Array


def follower_positions(arm: Arm, names: Sequence[str], positions: Sequence[float]) -> Array:
    """Where a leader asks its follower to be.

    Args:
        arm: The arm that follows.
        names: Joints of the leader's state, in any order; the full joint set of `arm`.
        positions: One a name; rad, the gripper's opening in m.

    Returns:
        (size,) in the arm's joint order, within its limits: a leader may be turned farther than its follower can go.

    Raises:
        ImoveError: A joint is missing or unknown, or a position is not finite.
    """
    found = dict(zip(names, positions, strict=False))
    if len(names) != len(positions) or sorted(found) != sorted(arm.joint_names) or len(names) != len(found):
        raise ImoveError(
            f"leader of arm '{arm.name}' has {len(positions)} positions for {', '.join(names) or 'no joint'}; one for "
            f"each of {', '.join(arm.joint_names)} is needed"
        )
    values = np.array([found[name] for name in arm.joint_names], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise ImoveError(
            f"leader of arm '{arm.name}' has {values[bad[0]]} for joint '{arm.joint_names[bad[0]]}'; only finite "
            "numbers are allowed"
        )
    return np.clip(values, *arm.limits.T)
