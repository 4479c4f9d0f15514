"""An arm's hand with what it holds, on its way over other objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.inverse_kinematics import InverseKinematics
from imove_core.kinematics import tool_pose
from imove_core.rig import Arm
from imove_core.transforms import Array, apply, inverse, rotation_about_axis
from imove_motion.clearance import Boxes
from imove_motion.paths import shortest_path
from imove_motion.pick import MOST_STEP_RAD

STEP_RAD = 0.03
"""Joint travel between the points of a curve at which a load is looked at: 15 mm half a metre from a joint."""
FIRST_LOOK = 6
"""Every so many of these points are looked at first, since most curves that are not clear are so for long."""
TABLE_CLEARANCE_M = 0.010
"""Least height above the table of anything that is carried."""
VIA_HEIGHTS_M = (0.05, 0.12)
VIA_TILTS_RAD = (0.0, 0.35, 0.7)
"""A detour is so much higher than its ends, with the hand leaning out so far: many arms reach higher that way."""


@dataclass(frozen=True, eq=False)
class Carrier:
    """One arm and what moves with its tool.

    Attributes:
        arm: The arm.
        solver: Its inverse kinematics.
        points: (N, 3) on the hand and on what it holds, tool frame, m.
        boxes: What they must stay clear of.
        clearance_m: By how much.
    """

    arm: Arm
    solver: InverseKinematics
    points: Array
    boxes: Boxes
    clearance_m: float

    def world_from_tool(self, joints: Array) -> Array:
        """Pose (4, 4) of the tool at joint positions (n,)."""
        pose: Array = self.arm.world_from_base.matrix @ tool_pose(self.arm.arm_model, joints)
        return pose

    def solutions(self, world_from_tool: Array) -> Array:
        """Joint vectors (k, n) that bring the tool to a pose (4, 4)."""
        found = self.solver.solve(inverse(self.arm.world_from_base.matrix) @ world_from_tool)
        return np.array(found).reshape(-1, self.arm.size - 1)

    def is_clear(self, world_from_tool: Array) -> bool:
        """Whether everything at a tool pose is clear of table and boxes."""
        points = apply(world_from_tool, self.points)
        return bool(points[:, 2].min() >= TABLE_CLEARANCE_M) and not self.boxes.closer_than(points, self.clearance_m)

    def raised(self, joints: Array, height_m: float) -> Array | None:
        """Joint vectors (k, n) straight up from one by a height; the last one is up there. None out of reach."""
        if not height_m:
            return joints[None]
        pose = self.world_from_tool(joints)
        choices = []
        for share in (0.5, 1.0):
            higher = pose.copy()
            higher[2, 3] += share * height_m
            choices.append(self.solutions(higher))
        found = shortest_path(joints, choices, MOST_STEP_RAD) if all(map(len, choices)) else None
        return None if found is None else np.vstack([joints, found[1]])

    def way(self, start: Array, goal: Array) -> Array | None:
        """A clear curve (S, n) from one joint vector to another, straight or by one detour; None without."""
        for curve in self._curves(start, goal):
            low, high = self.arm.limits[:-1].T
            within = np.all((curve >= low) & (curve <= high))
            looks = (curve[FIRST_LOOK::FIRST_LOOK], curve[1:])
            if within and all(self.is_clear(self.world_from_tool(joints)) for look in looks for joints in look):
                return curve
        return None

    def _curves(self, start: Array, goal: Array) -> Iterator[Array]:
        straight = _shares(start, goal)
        yield start + straight * (goal - start)
        for via in self._vias(start, goal):
            # The parabola through the three joint vectors.
            shares = _shares(start, via, goal)
            bend = 4 * via - 2 * (start + goal)
            yield start + shares * (goal - start) + shares * (1 - shares) * bend

    def _vias(self, start: Array, goal: Array) -> Iterator[Array]:
        middle = (start + goal) / 2
        between = self.world_from_tool(middle)
        top_m = max(self.world_from_tool(joints)[2, 3] for joints in (start, goal))
        outwards = between[:2, 3] - self.arm.world_from_base.matrix[:2, 3]
        across = [-outwards[1], outwards[0], 0.0]
        for height_m in VIA_HEIGHTS_M:
            for tilt_rad in VIA_TILTS_RAD:
                pose = between.copy()
                pose[2, 3] = top_m + height_m
                pose[:3, :3] = rotation_about_axis(across, -tilt_rad) @ between[:3, :3]
                found = self.solutions(pose)
                if len(found):
                    yield found[np.abs(found - middle).max(axis=1).argmin()]


def _shares(*joints: Array) -> Array:
    """(S, 1) from 0 to 1, as many as the travel through joint vectors asks for."""
    travel = float(np.abs(np.diff(joints, axis=0)).max(axis=1).sum())
    return np.linspace(0.0, 1.0, int(np.ceil(travel / STEP_RAD)) + 2)[:, None]


def hand_boxes(hands: Sequence[tuple[Array, Array]]) -> Boxes:
    """Boxes about hands.

    Args:
        hands: Pose of the tool (4, 4) and points (N, 3) in its frame, of each.
    """
    poses = np.array([pose for pose, _ in hands]).reshape(-1, 4, 4)
    low = np.array([points.min(axis=0) for _, points in hands]).reshape(-1, 3)
    high = np.array([points.max(axis=0) for _, points in hands]).reshape(-1, 3)
    return Boxes(poses[:, :3, :3], poses[:, :3, 3], low, high)
