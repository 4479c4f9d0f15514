"""The reference rubric: the released checker of RoboOrchardSim v1.0.0, evaluated for every object and destination."""

from collections.abc import Iterator, Sequence

import numpy as np

from imove_core.spec import ReferenceRubric
from imove_tasks.stages.events import Claim
from imove_tasks.stages.geometry import View
from imove_tasks.stages.zones import IN, Zone


class ReferenceJudge:
    """Says which stages hold under the reference rubric at a control step; none has to last."""

    def __init__(self, rubric: ReferenceRubric, zones: Sequence[Zone]) -> None:
        """Takes the thresholds and the zones of an episode."""
        self._rubric = rubric
        self._zones = tuple(zones)

    def claims(self, view: View) -> Iterator[Claim]:
        """Yields what holds at a control step, in the order of the stages."""
        rubric, now = self._rubric, view.now
        for index in np.flatnonzero((now.hand_root_distance_m < rubric.reach_distance_m).any(axis=0)):
            yield Claim("reach", view.objects[index].id)
        rise_m = now.origins[:, 2] - view.settled.origins[:, 2]
        for index in np.flatnonzero(rise_m > rubric.lift_height_m):
            yield Claim("lift", view.objects[index].id)
        over = [
            (item.id, zone.destination_id)
            for index, item in enumerate(view.objects)
            for zone in self._zones
            if item.id != zone.destination_id and self._over(view, index, zone)
        ]
        for pair in over:
            yield Claim("reach_place", *pair)
        if (now.open_share >= rubric.open_fraction).all():
            for pair in over:
                yield Claim("place", *pair)

    def _over(self, view: View, index: int, zone: Zone) -> bool:
        """Whether an object's centre is within the destination's oriented box seen from above, or has the relation."""
        now, destination = view.now, view.index(zone.destination_id)
        if zone.relation != IN:
            return zone.holds(now.centre[index], now.origins[index], now.poses[destination])
        container = view.objects[destination]
        local = now.poses[destination, :3, :3].T @ (now.centre[index] - now.origins[destination])
        return bool(np.all((container.box_min[:2] <= local[:2]) & (local[:2] <= container.box_max[:2])))
