"""What a hand carries after a pick, and the hands that stay out of its way."""

from __future__ import annotations

import numpy as np

from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, inverse
from imove_motion.carrying import Carrier, hand_boxes
from imove_motion.clearance import Boxes
from imove_motion.hand import Hand, box_surface
from imove_motion.pick import PickRoute
from imove_motion.transfer import Load


class LoadMaker:
    """Makes the loads of a rig's arms; keeps their hands and inverse kinematics."""

    def __init__(self, rig: Rig, clearance_m: float) -> None:
        """Measures the arms of `rig`; a load stays `clearance_m` clear of everything.

        Raises:
            ImoveError: An arm has no closed-form inverse kinematics.
        """
        self._rig = rig
        self._clearance_m = clearance_m
        self._solvers = {arm.name: inverse_kinematics(arm.arm_model) for arm in rig.arms}
        self._hands = {arm.name: Hand(arm.arm_model) for arm in rig.arms}

    def other_hands(self, arm: Arm, positions: Array) -> Boxes:
        """Boxes about the hands of all other arms at joint positions (D,), rad and m."""
        parts = self._rig.split(positions)
        return hand_boxes(
            [
                (
                    other.world_from_base.matrix @ tool_pose(other.arm_model, parts[other.name][:-1]),
                    self._hands[other.name].points(parts[other.name][-1]),
                )
                for other in self._rig.arms
                if other is not arm
            ]
        )

    def load(self, route: PickRoute, target: ObjectState, obstacles: Boxes, around: Boxes) -> Load:
        """An object in the hand at the end of a route.

        Args:
            route: How it was picked.
            target: The object as it was picked.
            obstacles: What it must stay clear of when it is carried.
            around: What is beside a spot: the same without the container itself.
        """
        arm, hand = route.arm, self._hands[route.arm.name]
        surface = box_surface(target.box_min, target.box_max)
        tool_from_object = inverse(route.grasp.world_from_tool) @ target.world_from_object
        points = np.vstack([hand.points(route.grasp.width_m), apply(tool_from_object, surface)])
        carrier = Carrier(arm, self._solvers[arm.name], points, obstacles, self._clearance_m)
        return Load(carrier, tool_from_object, hand.points(route.opening_m), surface, around)
