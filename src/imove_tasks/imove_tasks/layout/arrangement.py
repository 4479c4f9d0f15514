"""The objects that have been placed so far, and what of the rig matters to where they may lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from imove_core.rig import Rig
from imove_tasks.layout.hands import HandShape, Prisms, arms_at_home, hands_of
from imove_tasks.layout.placement import Placement
from imove_tasks.layout.sight import FixedView, fixed_views
from imove_tasks.layout.solids import Placed, Solid


class Station:
    """A rig as layouts see it; everything is measured once, when it is first asked for."""

    def __init__(self, rig: Rig) -> None:
        """Stands for `rig`."""
        self.rig = rig

    @cached_property
    def views(self) -> tuple[FixedView, ...]:
        """The fixed cameras."""
        return fixed_views(self.rig)

    @cached_property
    def hands(self) -> tuple[HandShape, ...]:
        """The grippers."""
        return hands_of(self.rig)

    @cached_property
    def arms_at_home(self) -> dict[str, Prisms]:
        """Where the arms are at the start of an episode, by name."""
        return arms_at_home(self.rig.arms)


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Objects on the table, all or some of those that are to be placed.

    Attributes:
        station: The rig.
        solids: Everything that is to be placed, by id, in the order in which it was asked for.
        placed: What has been placed so far, by id.
        slack_m: How far every object may still move; constraints must hold wherever it ends.
    """

    station: Station
    solids: Mapping[str, Solid]
    placed: Mapping[str, Placed]
    slack_m: float = 0.0

    def adding(self, object_id: str, placed: Placed) -> Arrangement:
        """This arrangement with one more object."""
        return replace(self, placed={**self.placed, object_id: placed})

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to place."""
        return len(self.placed) == len(self.solids)

    def others(self, object_id: str) -> Iterator[tuple[str, Placed]]:
        """All placed objects but one, with their ids."""
        return ((key, placed) for key, placed in self.placed.items() if key != object_id)

    def placements(self) -> dict[str, Placement]:
        """Assets and poses, in the order in which they were asked for."""
        return {
            key: Placement(solid.asset, self.placed[key].world_from_object)
            for key, solid in self.solids.items()
            if key in self.placed
        }
