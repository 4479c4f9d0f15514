"""The start gate: a follower is brought to its leader slowly, and follows only when it is there."""

from __future__ import annotations

import numpy as np

from imove_core.rig import Arm, Rig
from imove_core.transforms import Array
from imove_teleop_aloha.limiting import Pace
from imove_teleop_aloha.settings import FollowingSettings

LAG_SHARE = 4.0
"""Of the tolerance by which followers may lag behind their targets when the gate opens."""


class StartGate:
    """Says how far leaders and followers are apart, and how fast one is brought to the other."""

    def __init__(self, rig: Rig, settings: FollowingSettings) -> None:
        """Serves one rig."""
        self._rig = rig
        self._grippers = np.cumsum([arm.size for arm in rig.arms]) - 1
        self._tolerance = _per_joint(rig, settings.tolerance_rad, settings.tolerance_opening_m)
        speeds = _per_joint(rig, settings.align_speed_rad_s, settings.align_speed_m_s)
        self.pace = Pace.of(rig, settings.rate_hz, speeds)
        """How fast followers are brought to their leaders."""

    def is_open(self, leaders: Array, targets: Array, followers: Array) -> bool:
        """Whether the followers may follow: told to be where their leaders are, and on the way there.

        Args:
            leaders: (D,) where the leaders are.
            targets: (D,) where the followers are told to be.
            followers: (D,) where they are; they lag a little behind a leader that is not kept still.
        """
        told = np.all(np.abs(leaders - targets) <= self._tolerance)
        return bool(told and np.all(np.abs(targets - followers) <= LAG_SHARE * self._tolerance))

    def misalignment_rad(self, leaders: Array, followers: Array) -> dict[str, float]:
        """Largest difference of a joint, by arm; grippers, which are in m, are left out."""
        apart = self._rig.split(np.abs(leaders - followers))
        return {arm.name: float(apart[arm.name][:-1].max()) for arm in self._rig.arms}

    def worst(self, leaders: Array, followers: Array) -> str:
        """Names the joint that is farthest from its tolerance, for people."""
        apart = np.abs(leaders - followers)
        index = int(np.argmax(apart / self._tolerance))
        unit = "m" if index in self._grippers else "rad"
        return f"{self._rig.joint_names[index]} is {apart[index]:.3f} {unit} from its leader"


def _per_joint(rig: Rig, joint: float, opening: float) -> Array:
    def of(arm: Arm) -> list[float]:
        return [joint] * (arm.size - 1) + [opening]

    return np.concatenate([of(arm) for arm in rig.arms])
