"""Flat bars swept along a path: handles of tools, clips, combs; the drawn mesh and its convex parts agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.primitives import Mesh, loft, rectangle, rounded_rectangle

Array = NDArray[np.float64]


def bar_rings(
    path: ArrayLike,
    half_widths: ArrayLike | float,
    half_heights: ArrayLike | float,
    *,
    bevel: float = 0.0,
    across: ArrayLike | None = None,
) -> Array:
    """Cross-sections of a bar.

    Args:
        path: (P, 3) points of its centre line, m; without ``across`` never vertical.
        half_widths: (P,) half size across the path, m, or one for all.
        half_heights: (P,) half size square to path and width, m, or one for all.
        bevel: Share of the smaller half size that is cut off the four long edges, 0 to below 1.
        across: (3,) unit vector of all widths, square to the path; None for level ones.

    Returns:
        (P, K, 3) rings for `primitives.loft`, m; K is 4, or 8 with a bevel.
    """
    points = np.asarray(path, dtype=np.float64)
    widths = np.broadcast_to(np.asarray(half_widths, dtype=np.float64), (len(points),))
    heights = np.broadcast_to(np.asarray(half_heights, dtype=np.float64), (len(points),))
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    rings = []
    for point, tangent, half_width, half_height in zip(points, tangents, widths, heights, strict=True):
        side = np.cross([0.0, 0.0, 1.0], tangent) if across is None else np.asarray(across, dtype=np.float64)
        side = side / np.linalg.norm(side)
        up = np.cross(tangent, side)
        if bevel > 0.0:
            cut = bevel * min(half_width, half_height)
            section = rounded_rectangle(float(half_width), float(half_height), cut, 2)
        else:
            section = rectangle(float(half_width), float(half_height))
        rings.append(point + section[:, :1] * side + section[:, 1:] * up)
    return np.array(rings)


def bar(
    path: ArrayLike,
    half_widths: ArrayLike | float,
    half_heights: ArrayLike | float,
    *,
    bevel: float = 0.0,
    across: ArrayLike | None = None,
) -> Mesh:
    """The mesh of a bar; arguments as in `bar_rings`."""
    return loft(bar_rings(path, half_widths, half_heights, bevel=bevel, across=across))


def bar_parts(
    path: ArrayLike,
    half_widths: ArrayLike | float,
    half_heights: ArrayLike | float,
    *,
    bevel: float = 0.0,
    across: ArrayLike | None = None,
) -> tuple[CollisionPart, ...]:
    """One hull for each stretch of a bar; arguments as in `bar_rings`."""
    rings = bar_rings(path, half_widths, half_heights, bevel=bevel, across=across)
    return tuple(hull_part(np.concatenate(pair)) for pair in zip(rings[:-1], rings[1:], strict=True))
