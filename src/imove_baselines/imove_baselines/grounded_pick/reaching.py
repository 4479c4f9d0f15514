"""From a thing in a depth image to a motion: grasps from above, then the planner of picks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_baselines.grounded_pick.candidates import Candidate, grasp_candidates
from imove_baselines.grounded_pick.things import Thing
from imove_core.clouds import Cloud
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_motion.pick import PickPlan, PickPlanner, PickSettings

AT_ONCE = 8
"""Grasps of like quality are handed to the planner together: among them the shortest way decides."""
HANDS_ON = PickSettings(joint_speed_rad_s=1.5, close_s=0.4)
"""Brisk enough for a second try within ten seconds."""


class Reacher:
    """Plans picks of things in depth images for a rig."""

    def __init__(self, rig: Rig) -> None:
        """Measures the rig's arms; raises ImoveError where one has no closed-form inverse kinematics."""
        self._planner = PickPlanner(rig, HANDS_ON)

    def plan(
        self, cloud: Cloud, thing: Thing, others: Sequence[Thing], start: Array, skip: int = 0, arms: Sequence[str] = ()
    ) -> PickPlan:
        """The best feasible pick.

        Args:
            cloud: The scene.
            thing: What is to be picked.
            others: What the hand must keep clear of.
            start: (D,) present joint positions in rig order.
            skip: How many of the best grasps have been tried in vain.
            arms: That may do it; all when empty.

        Raises:
            ImoveError: No grasp from above is seen, or none of them can be reached.
        """
        found = grasp_candidates(cloud, thing)
        if not found:
            raise ImoveError("no grasp from above: nothing of the thing fits between the fingers")
        neighbours = [item.as_neighbour(f"thing_{number}", cloud.pixel_m) for number, item in enumerate(others)]
        # What was tried in vain comes last.
        order = [*range(skip, len(found)), *range(min(skip, len(found)))]
        failure = ImoveError("no grasp")
        for first in range(0, len(order), AT_ONCE):
            group = order[first : first + AT_ONCE]
            try:
                return self._plan([found[number] for number in group], start, neighbours, arms)
            except ImoveError as error:
                failure = error
        raise failure

    def _plan(
        self, group: Sequence[Candidate], start: Array, neighbours: Sequence[ObjectState], arms: Sequence[str]
    ) -> PickPlan:
        grasps = [grasp for candidate in group for grasp in candidate.grasps()]
        return self._planner.plan(grasps, np.asarray(start, float), neighbours, arms)
