"""Zones: where an object counts as put, in a container or in a relation to a reference object."""

from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec, PlaceRegion
from imove_core.transforms import Array
from imove_tasks.relations import judge

IN = "in"


@dataclass(frozen=True)
class Zone:
    """Where an object counts as put, seen from a destination in its present pose.

    Attributes:
        destination_id: Container or reference object.
        relation: `in`, or a relation of `imove_core.meaning.SPATIAL_RELATIONS`.
        region: The container's floor; None for a relation to a reference object, which is on the table.
    """

    destination_id: str
    relation: str
    region: PlaceRegion | None

    def holds(self, centre: Array, origin: Array, world_from_destination: Array) -> bool:
        """Whether an object is over the region, or has the relation, seen from above.

        Args:
            centre: (3,) middle of the object's box, world frame, m: what must be over a region.
            origin: (3,) origin of the object, world frame, m: what relations are judged by.
            world_from_destination: (4, 4) pose of the destination.
        """
        if self.region is None:
            return judge(self.relation, origin[:2], world_from_destination[:2, 3]).holds
        below = self._floor_below(centre, world_from_destination)
        if below is None:
            return False
        # The destination's rotation turns a world vector into its frame by its transpose.
        local = world_from_destination[:3, :3].T @ (below - world_from_destination[:3, 3])
        share = np.abs(local[:2] - self.region.center[:2]) / self.region.half_extents
        return bool(np.hypot(*share) <= 1.0 if self.region.round else share.max() <= 1.0)

    def floor_height_m(self, centre: Array, world_from_destination: Array) -> float:
        """World height of the region's floor below a point (3,), m; infinite where the region does not face up."""
        below = self._floor_below(centre, world_from_destination)
        return float("inf") if below is None else float(below[2])

    def _floor_below(self, point: Array, world_from_destination: Array) -> Array | None:
        """Where the vertical through a point meets the plane of the floor; None when the floor does not face up."""
        assert self.region is not None
        normal = world_from_destination[:3, 2]
        if normal[2] <= 0.0:
            return None
        middle = world_from_destination[:3, :3] @ self.region.center + world_from_destination[:3, 3]
        drop = float(normal @ (point - middle)) / float(normal[2])
        floor: Array = point - np.array([0.0, 0.0, drop])
        return floor


def zones_of(spec: EpisodeSpec, condition: str) -> tuple[Zone, ...]:
    """The zones of an episode under a condition: one for every object that could be the destination.

    Things can be put in every object with a region. Reference objects of a relation are those with the role of a
    destination. A text that names no place leaves the relation to the normal instruction.

    Raises:
        ImoveError: A pick-and-place episode does not say where to put things.
    """
    if spec.primitive == "pick":
        return ()
    relation = _relation(spec, condition)
    if relation != IN:
        return tuple(Zone(item.id, relation, None) for item in spec.objects if "destination" in item.role)
    for item in spec.objects:
        if "destination" in item.role and item.region is None:
            raise ImoveError(f"{item.id} of {spec.id} is a destination to put things in, but it has no region")
    return tuple(Zone(item.id, IN, item.region) for item in spec.objects if item.region is not None)


def _relation(spec: EpisodeSpec, condition: str) -> str:
    for name in (condition, "normal"):
        meaning = spec.instruction(name).meaning
        if meaning is not None and meaning.place is not None:
            return meaning.place.relation
    raise ImoveError(f"the normal instruction of {spec.id} has no meaning that says where to put the object")
