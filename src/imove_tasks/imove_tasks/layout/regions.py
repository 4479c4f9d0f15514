"""Offsets at which a relation holds or fails, as polygons; and relations that stay as they are when objects move."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import shapely
from shapely import Point, Polygon
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from imove_core.transforms import Array
from imove_tasks import relations
from imove_tasks.relations import Verdict, judge

_FAR_M = 4.0
"""Beyond any table."""
_QUARTER = 16
"""Corners of a quarter of a circle."""


def disc(radius_m: float) -> Polygon:
    """A polygon around the circle about the origin."""
    # The corners are so far out that the edges touch the circle.
    return Point(0.0, 0.0).buffer(radius_m / np.cos(np.pi / (4 * _QUARTER)), quad_segs=_QUARTER)


def ring(low_m: float, high_m: float) -> Polygon:
    """Offsets with a length between two bounds; the inner circle is cut inside, the outer one outside."""
    if high_m <= max(low_m, 0.0):
        return Polygon()
    hole = Point(0.0, 0.0).buffer(low_m, quad_segs=_QUARTER) if low_m > 0 else Polygon()
    return disc(high_m).difference(hole)


def _cone(relation: str, half_angle_rad: float, apex_m: float) -> Polygon:
    """Offsets within an angle of a relation's direction, from an apex that far along that direction."""
    along = relations.DIRECTIONS[relation]
    across = np.array([-along[1], along[0]])
    angles = np.linspace(-half_angle_rad, half_angle_rad, 2 + int(half_angle_rad / 0.35))
    arc = np.cos(angles)[:, None] * along + np.sin(angles)[:, None] * across
    return Polygon(np.vstack([apex_m * along, apex_m * along + 2 * _FAR_M * arc]))


@lru_cache(maxsize=64)
def holding(relation: str, reach_m: float) -> BaseGeometry:
    """Offsets from the reference at which a relation holds, and still does when the offset changes by a reach."""
    if relation in relations.DIRECTIONS:
        low, high = relations.DIRECTIONAL_RANGE_M
        half_angle = float(relations.HOLDS_WITHIN_RAD)
        return _cone(relation, half_angle, reach_m / np.sin(half_angle)) & ring(low + reach_m, high - reach_m)
    low, high = relations.NEAR_M if relation == "near" else relations.FAR_M
    return ring(low + reach_m if low > 0 else 0.0, high - reach_m)


@lru_cache(maxsize=64)
def failing(relation: str, reach_m: float) -> BaseGeometry:
    """Offsets from the reference at which a relation clearly fails, and still does when they change by a reach."""
    everywhere = shapely.box(-_FAR_M, -_FAR_M, _FAR_M, _FAR_M)
    if relation in relations.DIRECTIONS:
        cone = _cone(relation, float(relations.FAILS_BEYOND_RAD), 0.0)
        return everywhere.difference(cone.buffer(reach_m, quad_segs=_QUARTER))
    low, high = relations.NEAR_M if relation == "near" else relations.FAR_M
    band = reach_m + relations.BAND_M
    outer = everywhere.difference(Point(0.0, 0.0).buffer(high + band, quad_segs=_QUARTER))
    return outer if low <= band else outer | disc(low - band)


def about(region: BaseGeometry, place: Array, reverse: bool = False) -> BaseGeometry:
    """A region of offsets moved to a place (2,), or of the places from which it is at such an offset."""
    if reverse:
        region = shapely.transform(region, np.negative)
    return translate(region, float(place[0]), float(place[1]))


def steady(relation: str, place: Array, reference: Array, reach_m: float) -> Verdict:
    """Judges a relation where it holds or fails however the offset changes by up to a reach.

    Only the changes that come nearest to the borders count: towards and away from the reference, and square to the
    borders of the two angles.

    Args:
        relation: One of `imove_core.meaning.SPATIAL_RELATIONS`.
        place: (2,) of the object, world frame, m.
        reference: (2,) of the reference object, world frame, m.
        reach_m: Largest change of the offset between the two.
    """
    offset = np.asarray(place, dtype=float) - reference
    distance_m = float(np.hypot(*offset))
    if distance_m <= reach_m:
        return Verdict(False, False)
    changes = [np.zeros(2), offset / distance_m, -offset / distance_m, *_border_normals(relation)]
    verdicts = [judge(relation, place + reach_m * change, np.asarray(reference)) for change in changes]
    return Verdict(all(verdict.holds for verdict in verdicts), all(verdict.fails for verdict in verdicts))


@lru_cache(maxsize=16)
def _border_normals(relation: str) -> tuple[Array, ...]:
    """Both unit normals of each straight border of a relation's regions; none where all borders are circles."""
    if relation not in relations.DIRECTIONS:
        return ()
    x, y = relations.DIRECTIONS[relation]
    towards = float(np.arctan2(y, x))
    limits = (relations.HOLDS_WITHIN_RAD, relations.FAILS_BEYOND_RAD)
    borders = [towards + side * limit for limit in limits for side in (1, -1)]
    normals = [border + turn for border in borders for turn in (np.pi / 2, -np.pi / 2)]
    return tuple(np.array([np.cos(angle), np.sin(angle)]) for angle in normals)
