"""Points drawn uniformly from polygons."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from imove_core.transforms import Array


def polygonal(geometry: BaseGeometry) -> BaseGeometry:
    """The part of a geometry that has an area; overlays may leave points and lines beside it."""
    if geometry.geom_type in ("Polygon", "MultiPolygon"):
        return geometry
    parts = [part for part in shapely.get_parts(geometry) if part.geom_type in ("Polygon", "MultiPolygon")]
    return shapely.union_all(parts)


def uniform_points(domain: BaseGeometry, count: int, rng: np.random.Generator) -> Array:
    """Draws `count` points (count, 2) from a polygon or several, each spot as likely as any other.

    Args:
        domain: With an area above 0, holes allowed.
        count: Number of points.
        rng: Source of all draws; always used alike, whatever the shape.
    """
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(domain))
    corners = shapely.get_coordinates(triangles).reshape(-1, 4, 2)
    areas = shapely.area(triangles)
    which, first, second = rng.random((3, count))
    chosen = corners[np.minimum(np.searchsorted(np.cumsum(areas), which * areas.sum(), "right"), len(areas) - 1)]
    # The root makes the thin end of a triangle as rare as it is small.
    spread = np.sqrt(first)[:, None]
    across = second[:, None]
    points: Array = (1 - spread) * chosen[:, 0] + spread * (1 - across) * chosen[:, 1] + spread * across * chosen[:, 2]
    return points
