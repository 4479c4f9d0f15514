"""What the strict rubric asks about hands and rests, and the answers of a domain that senses contacts."""

from typing import Protocol

from imove_core.spec import StrictRubric
from imove_tasks.stages.geometry import View
from imove_tasks.stages.zones import Zone

TABLE = "table"
"""What `ObjectState.supported_by` calls the table."""


class Handling(Protocol):
    """Answers about the objects of one control step, by their index in the view."""

    def carried_alone(self, index: int) -> bool:
        """Whether an arm holds the object, and carries nothing else."""
        ...

    def released(self, index: int) -> bool:
        """Whether no arm holds or touches the object."""
        ...

    def rests_in(self, index: int, zone: Zone) -> bool:
        """Whether the zone's container bears the object, low enough not to be on its rim."""
        ...

    def rests_on_table(self, index: int) -> bool:
        """Whether the table alone bears the object."""
        ...


class SensedHandling:
    """Answers from contacts."""

    def __init__(self, view: View, rubric: StrictRubric) -> None:
        """Looks at one control step of a domain that knows contacts."""
        self._view = view
        self._rubric = rubric
        self._index = {item.id: index for index, item in enumerate(view.objects)}

    def carried_alone(self, index: int) -> bool:
        """Whether an arm's fingers press the object from both sides, and nothing else goes with that arm."""
        arm = self._view.objects[index].held_by
        return bool(arm) and self._load(arm) == {index}

    def _load(self, arm: str) -> set[int]:
        """Everything an arm carries: what it holds, what lies on its hand, and what lies on any of these.

        What another arm holds, or the table bears too, is not carried by this one.
        """
        objects, risen = self._view.objects, self._view.rise_m() >= self._rubric.lift_height_m
        load = {index for index, item in enumerate(objects) if item.held_by == arm}
        loose = [
            index
            for index, item in enumerate(objects)
            if not item.held_by and risen[index] and TABLE not in item.supported_by
        ]
        grew = True
        while grew:
            on_top = {
                index
                for index in loose
                if index not in load
                and (
                    any(self._index.get(name) in load for name in objects[index].supported_by)
                    or (arm in objects[index].touched_by and not objects[index].supported_by)
                )
            }
            load |= on_top
            grew = bool(on_top)
        return load

    def released(self, index: int) -> bool:
        """Whether no hand touches the object."""
        item = self._view.objects[index]
        return not item.held_by and not item.touched_by

    def rests_in(self, index: int, zone: Zone) -> bool:
        """Whether all that bears the object, directly or through others in the zone, is the container.

        What the container alone bears must lie low in it; what lies on others in it may be higher.
        """
        now, objects = self._view.now, self._view.objects
        container = now.poses[self._index[zone.destination_id]]
        stack, seen = [index], {index}
        borne = False
        while stack:
            member = stack.pop()
            supports = set(objects[member].supported_by)
            if not supports or TABLE in supports:
                return False
            if not zone.holds(now.centre[member], now.origins[member], container):
                return False
            if supports == {zone.destination_id}:
                floor_m = zone.floor_height_m(now.centre[member], container)
                if now.bottom_m[member] > floor_m + self._rubric.rest_height_m:
                    return False
            borne = borne or zone.destination_id in supports
            below = {self._index[name] for name in supports if name != zone.destination_id} - seen
            seen |= below
            stack += below
        return borne

    def rests_on_table(self, index: int) -> bool:
        """Whether the table alone bears the object."""
        return self._view.objects[index].supported_by == (TABLE,)
