"""The strict rubric: reached, lifted, and put down where it was to be put, for long enough to be meant."""

from collections.abc import Iterator, Sequence

import numpy as np

from imove_core.spec import StrictRubric
from imove_tasks.stages.events import Chain, Claim
from imove_tasks.stages.geometry import View
from imove_tasks.stages.handling import Handling, SensedHandling
from imove_tasks.stages.unsensed import UnsensedHandling
from imove_tasks.stages.zones import IN, Zone


class StrictJudge:
    """Says which stages hold under the strict rubric at each control step of an episode."""

    def __init__(self, rubric: StrictRubric, zones: Sequence[Zone], control_rate_hz: float) -> None:
        """Prepares for the first control step."""
        self._rubric = rubric
        self._zones = tuple(zones)
        self._dwell_steps = max(1, round(rubric.dwell_s * control_rate_hz))
        self._lasted: dict[Claim, int] = {}

    def claims(self, view: View, chain: Chain) -> list[Claim]:
        """What holds at the next control step, in the order of the stages.

        Args:
            view: The control step.
            chain: What was reached before it.
        """
        sensed = all(item.contacts_known for item in view.objects)
        handling: Handling = (SensedHandling if sensed else UnsensedHandling)(view, self._rubric)
        carried = [index for index in range(len(view.objects)) if handling.carried_alone(index)]
        picked = self._dwelt([*self._reached(view), *self._lifted(view, carried)])
        placed = self._dwelt(list(self._placed(view, handling, chain)))
        self._lasted = {**picked, **placed}
        # A condition that holds at n + 1 consecutive steps has held for n control periods.
        done = [claim for claim, steps in picked.items() if steps > self._dwell_steps]
        done += self._over(view, carried)
        return done + [claim for claim, steps in placed.items() if steps > self._dwell_steps]

    def _dwelt(self, now: Sequence[Claim]) -> dict[Claim, int]:
        """For how many steps in a row what holds now has held."""
        return {claim: self._lasted.get(claim, 0) + 1 for claim in now}

    def _reached(self, view: View) -> Iterator[Claim]:
        for index in np.flatnonzero(view.near(self._rubric.reach_distance_m).any(axis=0)):
            yield Claim("reach", view.objects[index].id)

    def _lifted(self, view: View, carried: Sequence[int]) -> Iterator[Claim]:
        rise_m = view.rise_m()
        for index in carried:
            if rise_m[index] >= self._rubric.lift_height_m:
                yield Claim("lift", view.objects[index].id)

    def _over(self, view: View, carried: Sequence[int]) -> Iterator[Claim]:
        for index in carried:
            for zone in self._zones:
                if self._in_zone(view, index, zone):
                    yield Claim("reach_place", view.objects[index].id, zone.destination_id)

    def _placed(self, view: View, handling: Handling, chain: Chain) -> Iterator[Claim]:
        for index, item in enumerate(view.objects):
            for zone in self._zones:
                # Asked first since it is cheap, and true of one pair at most times.
                if (
                    chain.reached("reach_place", item.id, zone.destination_id)
                    and handling.released(index)
                    and self._at_rest(view, index)
                    and self._in_zone(view, index, zone)
                    and (handling.rests_in(index, zone) if zone.relation == IN else handling.rests_on_table(index))
                ):
                    yield Claim("place", item.id, zone.destination_id)

    def _at_rest(self, view: View, index: int) -> bool:
        item = view.objects[index]
        return bool(
            np.linalg.norm(item.linear_velocity) < self._rubric.rest_speed_m_s
            and np.linalg.norm(item.angular_velocity) < self._rubric.rest_turn_rad_s
        )

    def _in_zone(self, view: View, index: int, zone: Zone) -> bool:
        """Whether an object is in a zone whose destination is still where and as it stood."""
        destination = view.index(zone.destination_id)
        return (
            index != destination
            and self._stands(view, destination, zone)
            and zone.holds(view.now.centre[index], view.now.origins[index], view.now.poses[destination])
        )

    def _stands(self, view: View, destination: int, zone: Zone) -> bool:
        """Whether a destination was not lifted or carried off, and a container not toppled."""
        rubric, now = self._rubric, view.now
        shift_m = np.linalg.norm((now.origins - view.settled.origins)[destination, :2])
        upright = zone.relation != IN or now.poses[destination, 2, 2] >= np.cos(rubric.destination_tilt_rad)
        return bool(
            shift_m <= rubric.destination_shift_m and view.rise_m()[destination] < rubric.lift_height_m and upright
        )
