"""Convex hulls, by scipy, which is loaded with the first hull: listing assets by name stays quick."""

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull


def convex_hull(points: ArrayLike) -> "ConvexHull":
    """The hull of (N, 2) or (N, 3) points, m, with scipy's attributes; in a plane its `volume` is the area."""
    from scipy.spatial import ConvexHull

    return ConvexHull(points)
