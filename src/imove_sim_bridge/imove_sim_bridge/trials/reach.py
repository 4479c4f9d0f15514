"""Which grasp a rig would choose for an object at some place of its workspace."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from imove_core.inverse_kinematics import InverseKinematics, inverse_kinematics
from imove_core.rig import Arm, Rig
from imove_core.transforms import Array, apply, inverse
from imove_motion.grasps import Grasp, grasp_candidates
from imove_motion.hand import Hand
from imove_sim_bridge.trials.report import Reason
from imove_sim_bridge.trials.settings import GraspSettings
from imove_tasks.assets.model import Asset


@dataclass(frozen=True)
class _Reacher:
    """An arm and what is computed of it once."""

    arm: Arm
    base_from_world: Array
    solver: InverseKinematics


class Chooser:
    """Finds the first feasible grasp among those of `grasp_candidates`, straight ones first.

    Where the object lies on the table changes what can be reached, not what fits: width and table are tested once.
    """

    def __init__(self, rig: Rig, settings: GraspSettings) -> None:
        """Measures the arms of `rig`."""
        self._settings = settings
        self._reachers = [
            _Reacher(arm, inverse(arm.world_from_base.matrix), inverse_kinematics(arm.arm_model)) for arm in rig.arms
        ]
        self._hand = Hand(rig.arms[0].arm_model)
        self._max_opening_m = float(rig.arms[0].limits[-1, 1])

    def opening_m(self, grasp: Grasp) -> float:
        """Opening with which the hand goes in."""
        return min(grasp.opening_m + self._settings.opening_margin_m, self._max_opening_m)

    def fitting(self, asset: Asset) -> tuple[list[Grasp], Reason]:
        """Grasps, in the frame of the object where it rests, that the jaw and the table allow; why there are none."""
        if not asset.grips:
            return [], "no grip"
        resting = np.eye(4)
        resting[2, 3] = -asset.box_min[2]
        fit = [g for g in grasp_candidates(asset, resting, self._hand.palm) if g.opening_m <= self._max_opening_m]
        if not fit:
            return [], "too wide"
        clouds = {opening: self._hand.points(opening) for opening in {self.opening_m(grasp) for grasp in fit}}
        clear = [
            grasp
            for grasp in fit
            if apply(grasp.world_from_tool, clouds[self.opening_m(grasp)])[:, 2].min()
            >= self._settings.table_clearance_m
        ]
        return sorted(clear, key=lambda grasp: grasp.tilt_rad), "table" if not clear else "unreachable"

    def first_reachable(self, grasps: list[Grasp], world_from_resting: Array) -> Grasp | None:
        """The first of some grasps whose standoff, grasp and lifted poses one arm can take.

        As when picks are planned, less tilted grasps come first, and of those what the nearest arm can do.

        Args:
            grasps: In the frame in which the object rests, by tilt.
            world_from_resting: (4, 4) place and yaw of that frame.
        """
        place = world_from_resting[:2, 3]
        nearest = sorted(
            self._reachers, key=lambda r: float(np.linalg.norm(r.arm.world_from_base.matrix[:2, 3] - place))
        )
        for _, alike in groupby(grasps, key=lambda grasp: grasp.tilt_rad):
            group = [(grasp, world_from_resting @ grasp.world_from_tool) for grasp in alike]
            for reacher in nearest:
                for grasp, world_from_tool in group:
                    if self._reaches(reacher, world_from_tool):
                        return grasp
        return None

    def _reaches(self, reacher: _Reacher, world_from_tool: Array) -> bool:
        offsets = (
            -world_from_tool[:3, 2] * self._settings.standoff_m,
            np.array([0.0, 0.0, self._settings.lift_m]),
            np.zeros(3),
        )
        for offset in offsets:
            target = world_from_tool.copy()
            target[:3, 3] += offset
            if not reacher.solver.solve(reacher.base_from_world @ target):
                return False
        return True
