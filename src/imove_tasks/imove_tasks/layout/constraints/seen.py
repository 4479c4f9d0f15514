"""Constraints on what the fixed cameras see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from imove_tasks.layout.arrangement import Arrangement
from imove_tasks.layout.constraint import Constraint, Violation
from imove_tasks.layout.sight import EDGE_MARGIN_PX, FixedView, may_hide, visible_share
from imove_tasks.layout.solids import Placed, Solid

Cameras = Literal["all", "any"]
"""Whether each of the fixed cameras must see an object, or one of them is enough."""


def _enough(verdicts: list[bool], cameras: Cameras) -> bool:
    return all(verdicts) if cameras == "all" else not verdicts or any(verdicts)


@dataclass(frozen=True)
class InView(Constraint):
    """Every object is wholly in the image of fixed cameras, at all of `VIEW_SIZES`.

    Attributes:
        margin_px: Least distance from the edge of the image, in its own pixels.
        cameras: How many of them must see it.
    """

    margin_px: float = EDGE_MARGIN_PX
    cameras: Cameras = "all"

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "in view"

    def __str__(self) -> str:
        """The constraint in words."""
        which = "every fixed camera" if self.cameras == "all" else "some fixed camera"
        return f"every object is wholly in the image of {which}, {self.margin_px:g} pixels from its edge"

    def region(self, layout: Arrangement, object_id: str, newest: str | None) -> BaseGeometry | None:
        """Where a point inside the object is in the image."""
        if newest is not None or not layout.station.views:
            return None
        grounds = [_ground(view, layout.solids[object_id]) for view in layout.station.views]
        return shapely.intersection_all(grounds) if self.cameras == "all" else shapely.union_all(grounds)

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields objects that are not wholly in view."""
        for key, placed in layout.placed.items():
            if newest not in (None, key):
                continue
            seen = [view.sees(placed.corners, self.margin_px, layout.slack_m) for view in layout.station.views]
            if not _enough(seen, self.cameras):
                blind = [view.camera.name for view, sees in zip(layout.station.views, seen, strict=True) if not sees]
                yield Violation(key, f"{key} is not wholly in view of {' and '.join(blind)}")


def _ground(view: FixedView, solid: Solid) -> BaseGeometry:
    """Positions of the origin at which the middle of a solid, however it is turned, can be in the image."""
    middle = solid.corners.mean(axis=0)
    height_m = float(middle[2] - solid.corners[:, 2].min())
    # Buffers by next to nothing are unsound, so there is always some.
    off_axis_m = max(1e-4, float(np.hypot(*middle[:2])))
    return view.ground(height_m).buffer(off_axis_m, quad_segs=4, join_style="mitre")


@dataclass(frozen=True)
class Visible(Constraint):
    """No object is hidden by others, or cut off by the edge of the image, by more than a share.

    Objects count as their convex hulls, so the share is a careful guess; arms are not considered.

    Attributes:
        share: Least share of an object's outline in the image that must be visible.
        cameras: How many of the fixed cameras must see that much of it.
    """

    share: float = 0.9
    cameras: Cameras = "all"

    @property
    def name(self) -> str:
        """A few words for messages."""
        return "visible"

    def __str__(self) -> str:
        """The constraint in words."""
        which = "every fixed camera" if self.cameras == "all" else "some fixed camera"
        return f"{which} sees at least {self.share:.0%} of every object"

    def violations(self, layout: Arrangement, newest: str | None) -> Iterator[Violation]:
        """Yields objects of which too little is visible."""
        for key, placed in layout.placed.items():
            shares = [
                _share(layout, key, placed, number, view) if _concerns(layout, newest, key, number) else 1.0
                for number, view in enumerate(layout.station.views)
            ]
            if not _enough([share >= self.share for share in shares], self.cameras):
                yield Violation(key, f"{max(shares):.0%} of {key} is visible at best, less than {self.share:.0%}")


def _concerns(layout: Arrangement, newest: str | None, key: str, number: int) -> bool:
    """Whether the newest object changes what camera `number` sees of an object."""
    if newest in (None, key):
        return True
    mine = layout.placed[key].silhouettes[number]
    return bool(mine.intersects(layout.placed[str(newest)].silhouettes[number]))


def _share(layout: Arrangement, key: str, placed: Placed, number: int, view: FixedView) -> float:
    silhouette = placed.silhouettes[number]
    hiders = [
        other.silhouettes[number]
        for _, other in layout.others(key)
        if other.silhouettes[number].intersects(silhouette) and may_hide(view, other, placed)
    ]
    return visible_share(view, silhouette, hiders)
