"""Whether every object of a drawn layout can be picked, before physics is asked."""

from collections.abc import Mapping

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.state import ObjectState
from imove_core.transforms import quaternion_from_rotation
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlanner
from imove_tasks.assets.model import TAG_GRASPABLE
from imove_tasks.layout import Placement


class PickFeasibility:
    """Plans a pick of every graspable object of a layout from the rig's home position."""

    def __init__(self, rig: Rig, planner: PickPlanner) -> None:
        """Works with a planner of the rig."""
        self._rig, self._planner = rig, planner

    def __call__(self, layout: Mapping[str, Placement]) -> str:
        """Returns "" when every graspable object can be picked, else why not."""
        states = {key: _at_rest(key, placement) for key, placement in layout.items()}
        for key, placement in layout.items():
            if TAG_GRASPABLE not in placement.asset.tags:
                continue
            others = [state for other, state in states.items() if other != key]
            grasps = grasp_candidates(placement.asset, placement.world_from_object, self._planner.palm)
            try:
                self._planner.plan(grasps, self._rig.home_positions, others)
            except ImoveError:
                return "no grasp is feasible"
        return ""


def _at_rest(object_id: str, placement: Placement) -> ObjectState:
    pose, asset, still = placement.world_from_object, placement.asset, np.zeros(3)
    return ObjectState(
        id=object_id,
        position=pose[:3, 3],
        quaternion_xyzw=quaternion_from_rotation(pose[:3, :3]),
        box_min=asset.box_min,
        box_max=asset.box_max,
        linear_velocity=still,
        angular_velocity=still,
    )
