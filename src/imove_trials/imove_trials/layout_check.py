"""Whether the objects on the table lie where the spec of a scene says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from shapely.affinity import rotate
from shapely.geometry import Polygon

from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_tasks.assets.model import Asset
from imove_trials.naming import display_names

SYMMETRIES = (12, 6, 4, 3, 2)
"""Orders of rotation that are looked for, from as good as round on."""
SAME_SHARE = 0.88
"""Share of both outlines together that they have in common when one of them, turned, is taken for the other."""


@dataclass(frozen=True)
class Tolerance:
    """How exact a layout must be.

    Attributes:
        distance_m: Largest error on the table.
        yaw_rad: Largest error of the turn about the vertical, for what is not as good as round.
    """

    distance_m: float = 0.015
    yaw_rad: float = 0.26


@dataclass(frozen=True, eq=False)
class PlacedObject:
    """One object of the layout: where it must lie, and where it lies.

    Attributes:
        id: In the scene.
        name: What people call it.
        target_xy_m: (2,) middle of its box seen from above, world.
        target_yaw_rad: Turn about the vertical.
        measured_xy_m: (2,), None where it is not seen.
        error_m: Distance of both, None where it is not seen.
        yaw_error_rad: As small as the object's symmetry makes it, None where it is not seen.
        ok: Whether it lies right.
    """

    id: str
    name: str
    target_xy_m: Array
    target_yaw_rad: float
    measured_xy_m: Array | None
    error_m: float | None
    yaw_error_rad: float | None
    ok: bool

    @property
    def fault(self) -> str:
        """What is wrong with it, "" where nothing is."""
        if self.ok:
            return ""
        if self.error_m is None or self.yaw_error_rad is None:
            return f"the {self.name} is not seen"
        turn = f" and turned by {np.degrees(self.yaw_error_rad):.0f} degrees"
        return f"the {self.name} is {1000 * self.error_m:.0f} mm off{turn if self.yaw_error_rad > 0.09 else ''}"

    def to_record(self) -> dict[str, object]:
        """The entry of TrialState.layout_json."""
        measured = self.measured_xy_m
        return {
            "id": self.id,
            "phrase": self.name,
            "target_xy_m": [round(value, 4) for value in self.target_xy_m.tolist()],
            "target_yaw_rad": round(self.target_yaw_rad, 4),
            "measured_xy_m": None if measured is None else [round(value, 4) for value in measured.tolist()],
            "error_m": None if self.error_m is None else round(self.error_m, 4),
            "yaw_error_rad": None if self.yaw_error_rad is None else round(self.yaw_error_rad, 3),
            "ok": self.ok,
        }


@dataclass(frozen=True)
class LayoutReport:
    """A whole layout, in spec order."""

    objects: tuple[PlacedObject, ...]

    @property
    def match(self) -> float:
        """Share of the objects that lie right."""
        return sum(item.ok for item in self.objects) / len(self.objects)

    @property
    def fault(self) -> str:
        """What is wrong, "" where nothing is."""
        faults = [item.fault for item in self.objects if not item.ok]
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        return f"{faults[0]}{more}" if faults else ""


class LayoutCheck:
    """Compares measured objects with one scene."""

    def __init__(self, spec: EpisodeSpec, outlines: Mapping[str, Array], tolerance: Tolerance) -> None:
        """Prepares for a scene.

        Args:
            spec: Where objects must lie.
            outlines: By object id, (K, 2) outline in the object's frame, m, of those whose shape is known; of others
                their box counts.
            tolerance: How exact.
        """
        self._spec, self._tolerance = spec, tolerance
        self._names = display_names(spec)
        self._orders = {
            item.id: symmetry_order(outlines.get(item.id, box_outline(item)))
            for item in spec.objects
            if _stands(item.world_from_object)
        }

    def report(self, measured: Sequence[ObjectState]) -> LayoutReport:
        """What lies where.

        Args:
            measured: Objects that are seen, in any order; others of them are not looked at.
        """
        seen = {item.id: item for item in measured}
        return LayoutReport(tuple(self._placed(item, seen.get(item.id)) for item in self._spec.objects))

    def _placed(self, item: SceneObject, seen: ObjectState | None) -> PlacedObject:
        target_xy = box_middle(item)
        target_yaw = yaw_of(item.world_from_object)
        if seen is None:
            return PlacedObject(item.id, self._names[item.id], target_xy, target_yaw, None, None, None, False)
        centre = (seen.world_from_object @ np.append((seen.box_min + seen.box_max) / 2, 1.0))[:2]
        error_m = float(np.linalg.norm(centre - target_xy))
        # Of what lies on a side or is as good as round there is nothing to turn.
        order = self._orders.get(item.id, 0)
        yaw_error = turn_between(yaw_of(seen.world_from_object), target_yaw, order) if order else 0.0
        ok = error_m <= self._tolerance.distance_m and yaw_error <= self._tolerance.yaw_rad
        return PlacedObject(item.id, self._names[item.id], target_xy, target_yaw, centre, error_m, yaw_error, ok)


def check_maker(asset: Callable[[str], Asset], tolerance: Tolerance) -> Callable[[EpisodeSpec], LayoutCheck]:
    """Prepares checks of layouts with what is known of the shapes of objects.

    Args:
        asset: Gives the asset of an id.
        tolerance: How exact layouts must be.
    """

    def make(spec: EpisodeSpec) -> LayoutCheck:
        outlines = {}
        for item in spec.objects:
            with suppress(ImoveError):
                outlines[item.id] = asset(item.asset).footprint
        return LayoutCheck(spec, outlines, tolerance)

    return make


def box_middle(item: SceneObject) -> Array:
    """Middle (2,) of an object's box where it must lie, seen from above, world."""
    centre = (np.array(item.box_min) + np.array(item.box_max)) / 2
    middle: Array = (item.world_from_object @ np.append(centre, 1.0))[:2]
    return middle


def box_outline(item: SceneObject) -> Array:
    """Corners (4, 2) of an object's box seen from above, in its own frame."""
    (x0, y0, _), (x1, y1, _) = item.box_min, item.box_max
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def yaw_of(world_from_object: Array) -> float:
    """Turn of an object about the vertical, rad."""
    return float(np.arctan2(world_from_object[1, 0], world_from_object[0, 0]))


def turn_between(first_rad: float, second_rad: float, order: int) -> float:
    """The smallest turn that makes one yaw look like the other, rad.

    Args:
        first_rad: One yaw.
        second_rad: The other.
        order: Turns by a whole part of the circle so large look the same; at least 1.
    """
    period = 2 * np.pi / order
    turn = (first_rad - second_rad) % period
    return float(min(turn, period - turn))


def symmetry_order(outline: Array) -> int:
    """Into how many equal turns an outline (K, 2) falls that can hardly be told apart; 0 where it is as good as round.

    A camera that looks from above sees no finer than `SAME_SHARE`: a nearly square box may be laid in four ways.
    """
    shape = Polygon(outline).convex_hull
    for order in SYMMETRIES:
        turned = rotate(shape, 360.0 / order, origin=shape.centroid)
        common = shape.intersection(turned).area / shape.union(turned).area
        if common >= SAME_SHARE:
            return 0 if order == SYMMETRIES[0] else order
    return 1


def _stands(world_from_object: Array) -> bool:
    """Whether the object's own vertical is still nearly the world's."""
    return bool(world_from_object[2, 2] > 0.9)
