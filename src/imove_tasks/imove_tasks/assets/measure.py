"""What a camera above the table would say of an object: its colour, its material, its shape.

The words of an asset are measured from its geometry by these functions, not typed by hand, so they are true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import VisualMesh
from imove_tasks.assets.primitives import Mesh
from imove_tasks.assets.vocabulary import color_word

Array = NDArray[np.float64]

_SAMPLES = 2400  # surface points; about three for each visible pixel of a view
_PIXELS = 22  # across the larger side of a view
_OBLIQUE = np.sqrt(0.5)
# Toward the camera: from straight above, and from 45 degrees on four sides.
_VIEWS = np.array(
    [
        (0.0, 0.0, 1.0), (_OBLIQUE, 0.0, _OBLIQUE), (-_OBLIQUE, 0.0, _OBLIQUE),
        (0.0, _OBLIQUE, _OBLIQUE), (0.0, -_OBLIQUE, _OBLIQUE),
    ]
)  # fmt: skip


def visible_shares(visuals: Sequence[VisualMesh]) -> tuple[float, ...]:
    """Share of the visible pixels that each mesh takes, averaged over five views from above; sums to 1.

    Points spread evenly over all surfaces are splatted into a coarse depth buffer for each view.
    """
    points, normals, owner = _surface_samples(visuals)
    shares = np.zeros(len(visuals))
    for toward in _VIEWS:
        facing = normals @ toward > 1e-3
        right = np.array([toward[2], 0.0, -toward[0]]) if abs(toward[0]) > 1e-9 else np.array([1.0, 0.0, 0.0])
        up = np.cross(toward, right)
        plane = points[facing] @ np.stack([right, up], 1)
        depth = points[facing] @ toward
        plane -= plane.min(0)
        pixel = np.floor(plane / plane.max() * (_PIXELS - 1e-6)).astype(np.int64)
        key = pixel[:, 0] * _PIXELS + pixel[:, 1]
        order = np.lexsort((depth, key))  # nearest point of each pixel last
        last = np.append(np.diff(key[order]) != 0, True)
        seen = np.bincount(owner[facing][order][last], minlength=len(visuals))
        shares += seen / seen.sum() / len(_VIEWS)
    return tuple(float(share) for share in shares)


def word_shares(words: Sequence[str], shares: Sequence[float]) -> list[tuple[str, float]]:
    """Adds up the shares of each word, largest first; ties go by the alphabet."""
    total: dict[str, float] = defaultdict(float)
    for word, share in zip(words, shares, strict=True):
        total[word] += share
    return sorted(total.items(), key=lambda item: (-round(item[1], 6), item[0]))


def dominant_words(visuals: Sequence[VisualMesh]) -> tuple[str, str]:
    """The colour word and the material word that most of the visible pixels have."""
    shares = visible_shares(visuals)
    colors = word_shares([color_word(mesh.material.rgba) for mesh in visuals], shares)
    materials = word_shares([mesh.material.name for mesh in visuals], shares)
    return colors[0][0], materials[0][0]


def silhouette(points: Array, axis: int) -> tuple[float, float]:
    """Fill and aspect of the shadow that points cast along a coordinate axis.

    Args:
        points: (N, 3) m.
        axis: 0, 1 or 2.

    Returns:
        Area of the shadow's convex hull over that of its box (1 rectangle, 0.785 ellipse, 0.5 triangle), and
        the longer side of the box over the shorter.
    """
    flat = np.delete(points, axis, axis=1)
    sides = np.ptp(flat, axis=0)
    area = float(ConvexHull(flat).volume)  # in the plane, scipy's volume is the area
    return area / float(sides[0] * sides[1]), float(sides.max() / sides.min())


def shape_word(body: Mesh) -> str:
    """Shape of a convex body whose main axes are the coordinate axes.

    Raises:
        AssetError: The silhouettes fit none of round, oval, cylindrical, tapered, rectangular and square.
    """
    shadows = [silhouette(body.vertices, axis) for axis in range(3)]
    extents = np.ptp(body.vertices, axis=0)
    (low, aspect), (middle, _), (high, _) = sorted(shadows)
    if low >= 0.9:
        return "square" if shadows[2][1] <= 1.12 else "rectangular"
    if low >= 0.7 and middle >= 0.95:  # the same outline all the way along one axis
        if aspect > 1.12:
            return "oval"
        axis = min(range(3), key=lambda k: shadows[k])
        return "round" if extents[axis] < 0.6 * extents.max() else "cylindrical"
    if low >= 0.7 and high < 0.83:
        return "round" if extents.max() / extents.min() <= 1.25 else "oval"
    if 0.7 <= low < 0.83 <= middle:
        return "tapered"
    fills = ", ".join(f"{fill:.2f}" for fill, _ in shadows)
    raise AssetError(f"silhouettes with fills {fills} along x, y, z fit no shape word")


def _surface_samples(visuals: Sequence[VisualMesh]) -> tuple[Array, Array, NDArray[np.int64]]:
    """Evenly spread surface points, their outward normals and the index of the mesh of each."""
    corners = np.concatenate([mesh.vertices[mesh.faces] for mesh in visuals])
    mesh_of_face = np.repeat(np.arange(len(visuals)), [len(mesh.faces) for mesh in visuals])
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(cross, axis=1)
    cumulative = np.cumsum(doubled)
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES * cumulative[-1]
    face = np.minimum(np.searchsorted(cumulative, steps), len(cumulative) - 1)
    # A two-dimensional golden-ratio sequence, folded into the triangle, spreads the points inside the faces.
    uv = np.stack([np.arange(_SAMPLES) * 0.7548776662466927, np.arange(_SAMPLES) * 0.5698402909980532], 1) % 1.0
    uv = np.where(uv.sum(1, keepdims=True) > 1.0, 1.0 - uv, uv)
    a, b, c = corners[face, 0], corners[face, 1], corners[face, 2]
    points = a + uv[:, :1] * (b - a) + uv[:, 1:] * (c - a)
    return points, cross[face] / doubled[face, None], mesh_of_face[face]
