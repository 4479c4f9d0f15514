"""Constraints on outlines: where they may lie, and how far apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from imove_core.rig import Workspace
from imove_tasks.layout.arrangement import Arrangement
from imove_tasks.layout.constraint import Constraint, Violation


def area_of(workspace: Workspace, inset_m: float = 0.0) -> Polygon:
    """The rectangle of a workspace without a margin; empty where nothing is left."""
    (left, right), (low, high) = workspace.x, workspace.y
    if min(right - left, high - low) <= 2 * inset_m:
        return Polygon()
    return shapely.box(left + inset_m, low + inset_m, right - inset_m, high - inset_m)


@dataclass(frozen=True)
class Inside(Constraint):
    """Origins lie in the rig's workspace, whole outlines on its table.

    The workspace says where hands can work, and they work about the middle of an object; that a large plate reaches
    beyond the workspace does no harm as long as it does not reach beyond the table.
    """

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "inside"

    def __str__(self) -> str:
        """The constraint in words."""
        return "every object's origin is in the workspace and its whole outline on the table"

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """The workspace, and the table without a rim as wide as the core of the object."""
        if newest is not None:
            return None
        rig, slack_m = layout.station.rig, layout.slack_m
        core_m = layout.solids[object_id].core_m
        return area_of(rig.workspace, slack_m).intersection(area_of(rig.table, core_m + slack_m))

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields objects that lie outside."""
        workspace = area_of(layout.station.rig.workspace, layout.slack_m)
        table = area_of(layout.station.rig.table, layout.slack_m)
        for key, placed in layout.placed.items():
            if newest not in (None, key):
                continue
            x, y = placed.place
            if not workspace.covers(shapely.Point(x, y)):
                yield Violation(key, f"{key} lies at ({x:.3f}, {y:.3f}) m, outside of the workspace")
            elif not table.covers(placed.outline):
                yield Violation(key, f"{key} reaches beyond the table")


@dataclass(frozen=True)
class Apart(Constraint):
    """Outlines of objects keep a distance, measured between their polygons.

    Attributes:
        distance_m: Least distance.
    """

    distance_m: float = 0.02

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "apart"

    def __str__(self) -> str:
        """The constraint in words."""
        return f"outlines of objects are at least {self.distance_m * 1e3:.0f} mm apart"

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """Everything but what is so near to the newest object that even the core of this one is too near."""
        if newest is None:
            return None
        grow_m = layout.solids[object_id].core_m + self._distance_m(layout)
        return _EVERYWHERE.difference(layout.placed[newest].outline.buffer(grow_m, quad_segs=4))

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields pairs of objects that are too near to each other."""
        least_m = self._distance_m(layout)
        done: set[str] = set()
        for key in layout.placed if newest is None else (newest,):
            outline = layout.placed[key].outline
            done.add(key)
            for other, placed in layout.others(key):
                if other not in done and outline.distance(placed.outline) < least_m:
                    gap_m = outline.distance(placed.outline)
                    yield Violation(key, f"{key} is {gap_m * 1e3:.0f} mm from {other}, less than {least_m * 1e3:.0f}")

    def _distance_m(self, layout: Arrangement) -> float:
        return self.distance_m + 2 * layout.slack_m


_EVERYWHERE = shapely.box(-4.0, -4.0, 4.0, 4.0)
