"""Where the robot itself is in a scene: its arms hang over the table and are nothing to be picked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from imove_core.clouds import Cloud
from imove_core.kinematics import link_poses, tool_pose
from imove_core.rig import Rig
from imove_core.transforms import Array, apply
from imove_motion.hand import Hand, surface

ROBOT_MARGIN_M = 0.03
"""Nearer points are the robot's own: its shells are wider than its collision shapes, and calibration is not exact."""


class RobotPoints:
    """The collision shapes of a rig's arms as points."""

    def __init__(self, rig: Rig) -> None:
        """Samples the shapes once."""
        self._rig = rig
        self._hands = {arm.name: Hand(arm.arm_model) for arm in rig.arms}

    def at(self, positions: Array) -> Array:
        """World points (N, 3) on the arms at joint positions (D,), m."""
        parts, found = self._rig.split(np.asarray(positions, float)), []
        for arm in self._rig.arms:
            model, joints = arm.arm_model, parts[arm.name][:-1]
            base = arm.world_from_base.matrix
            found.append(apply(base @ tool_pose(model, joints), self._hands[arm.name].points(parts[arm.name][-1])))
            poses = link_poses(model, joints)
            for link in model.links:
                # The fingers, which move with the opening, are among the hand's points.
                if link.name in poses:
                    found.extend(apply(base @ poses[link.name], surface(shape)) for shape in link.collision)
        return np.vstack(found)

    def without(self, cloud: Cloud, positions: Array) -> Cloud:
        """The cloud without what belongs to the arms at joint positions (D,)."""
        points = cloud.points.copy()
        seen = np.isfinite(points[..., 2])
        distances, _ = cKDTree(self.at(positions)).query(points[seen], distance_upper_bound=ROBOT_MARGIN_M)
        rows, columns = np.nonzero(seen)
        own = np.isfinite(distances)
        points[rows[own], columns[own]] = np.nan
        return replace(cloud, points=points)
