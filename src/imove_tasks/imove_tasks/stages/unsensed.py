"""What stands in for contacts in a domain that does not sense them: distances and heights alone."""

import numpy as np
from numpy.typing import NDArray

from imove_core.spec import StrictRubric
from imove_tasks.stages.geometry import View
from imove_tasks.stages.zones import Zone


class UnsensedHandling:
    """Answers of `Handling` from geometry.

    Held is what is nearest to a tool and as near as a reach asks. It is not alone when something else has risen too and
    the sphere around that meets its box. Released is what is farther from every tool than a reach asks. Borne by a
    container is what is low in it, and by the table what is low above it.
    """

    def __init__(self, view: View, rubric: StrictRubric) -> None:
        """Looks at one control step."""
        self._view = view
        self._rubric = rubric
        self._near: NDArray[np.bool_] = np.logical_or.reduce(view.near(rubric.reach_distance_m))

    def carried_alone(self, index: int) -> bool:
        """Whether the object is at a tool, and nothing that has risen is at the object."""
        if not self._near[index]:
            return False
        now, item = self._view.now, self._view.objects[index]
        goes_along = (self._view.rise_m() >= self._rubric.lift_height_m) & ~self._near
        # Seen from the object's own frame: its box is upright there.
        inside = (now.centre - now.origins[index]) @ now.poses[index, :3, :3]
        distance_m = np.linalg.norm(inside - np.clip(inside, item.box_min, item.box_max), axis=1)
        goes_along &= distance_m <= now.half_diagonal_m
        goes_along[index] = False
        return not goes_along.any()

    def released(self, index: int) -> bool:
        """Whether every tool is away from the object."""
        return bool((self._view.now.tool_box_distance_m[:, index] > self._rubric.reach_distance_m).all())

    def rests_in(self, index: int, zone: Zone) -> bool:
        """Whether the object's lowest point is low in the container, and its middle above the floor."""
        now = self._view.now
        floor_m = zone.floor_height_m(now.centre[index], now.poses[self._view.index(zone.destination_id)])
        return bool(now.bottom_m[index] <= floor_m + self._rubric.rest_height_m and now.centre[index, 2] > floor_m)

    def rests_on_table(self, index: int) -> bool:
        """Whether the object's lowest point is low above the table."""
        return bool(self._view.now.bottom_m[index] <= self._rubric.rest_height_m)
