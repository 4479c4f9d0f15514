"""What a camera above the table would say of an object: its colour, its material, its shape.

The words of an asset are measured from its geometry by these functions, not typed by hand, so they are true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.primitives import Mesh

Array = NDArray[np.float64]

_PIXELS = 24  # across the larger side of a view
_OBLIQUE = np.sqrt(0.5)
# Toward the camera: from straight above, and from 45 degrees on four sides.
_VIEWS = np.array(
    [
        (0.0, 0.0, 1.0), (_OBLIQUE, 0.0, _OBLIQUE), (-_OBLIQUE, 0.0, _OBLIQUE),
        (0.0, _OBLIQUE, _OBLIQUE), (0.0, -_OBLIQUE, _OBLIQUE),
    ]
)  # fmt: skip


def visible_shares(visuals: Sequence[VisualMesh]) -> tuple[float, ...]:
    """Share of the visible pixels that each mesh takes, averaged over five views from above; sums to 1."""
    corners = np.concatenate([mesh.vertices[mesh.faces] for mesh in visuals])
    mesh_of_face = np.repeat(np.arange(len(visuals)), [len(mesh.faces) for mesh in visuals])
    shares = np.zeros(len(visuals))
    for toward in _VIEWS:
        right = np.array([toward[2], 0.0, -toward[0]]) if toward[0] else np.array([1.0, 0.0, 0.0])
        seen = _nearest_faces(corners @ np.stack([right, np.cross(toward, right), toward], 1))
        pixels = np.bincount(mesh_of_face[seen], minlength=len(visuals))
        shares += pixels / pixels.sum() / len(_VIEWS)
    return tuple(float(share) for share in shares)


def word_shares(words: Sequence[str], shares: Sequence[float]) -> list[tuple[str, float]]:
    """Adds up the shares of each word, largest first; ties go by the alphabet."""
    total: dict[str, float] = defaultdict(float)
    for word, share in zip(words, shares, strict=True):
        total[word] += share
    return sorted(total.items(), key=lambda item: (-round(item[1], 6), item[0]))


def color_shares(visuals: Sequence[VisualMesh], shares: Sequence[float]) -> list[tuple[str, float]]:
    """Colour words of the meshes, textures included, weighted by the meshes' shares; largest first."""
    pairs = [
        (word, share * part)
        for mesh, share in zip(visuals, shares, strict=True)
        for word, part in mesh.material.color_shares
    ]
    return word_shares([word for word, _ in pairs], [share for _, share in pairs])


def dominant_words(visuals: Sequence[VisualMesh]) -> tuple[str, str]:
    """The colour word and the material word that most of the visible pixels have."""
    shares = visible_shares(visuals)
    colors = color_shares(visuals, shares)
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
    area = float(convex_hull(flat).volume)
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


def _nearest_faces(corners: Array) -> NDArray[np.int64]:
    """Draws triangles into a small depth buffer.

    Args:
        corners: (M, 3, 3) corners of each triangle: right, up and toward the camera, m.

    Returns:
        Index of the nearest triangle for each pixel whose centre one covers.
    """
    low = corners[..., :2].min((0, 1))
    scale = _PIXELS / (corners[..., :2].max((0, 1)) - low).max()
    flat = (corners[..., :2] - low) * scale - 0.5  # in pixels; whole numbers are pixel centres
    a, b, c = flat[:, 0], flat[:, 1], flat[:, 2]
    doubled = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    front = np.flatnonzero(doubled > 1e-9)
    # Every front face is tested against the pixel centres of its own bounding box, all in one flat list.
    first = np.ceil(flat[front].min(1)).astype(np.int64)
    size = np.floor(flat[front].max(1)).astype(np.int64) - first + 1
    tests = np.prod(np.maximum(size, 0), axis=1)
    face = np.repeat(np.arange(len(front)), tests)
    step = np.arange(len(face)) - np.repeat(np.cumsum(tests) - tests, tests)
    pixel = first[face] + np.stack([step % size[face, 0], step // size[face, 0]], 1)
    face = front[face]
    along, across = pixel - a[face], np.stack([b[face] - a[face], c[face] - a[face]], 1)
    v = (along[:, 0] * across[:, 1, 1] - along[:, 1] * across[:, 1, 0]) / doubled[face]
    w = (across[:, 0, 0] * along[:, 1] - across[:, 0, 1] * along[:, 0]) / doubled[face]
    inside = (v >= 0.0) & (w >= 0.0) & (v + w <= 1.0)
    face, pixel, v, w = face[inside], pixel[inside], v[inside], w[inside]
    z = corners[face, :, 2]
    depth = z[:, 0] + v * (z[:, 1] - z[:, 0]) + w * (z[:, 2] - z[:, 0])
    key = pixel[:, 0] * (_PIXELS + 1) + pixel[:, 1]
    order = np.lexsort((face, np.round(depth, 9), key))
    nearest = np.append(np.diff(key[order]) != 0, True)
    winners: NDArray[np.int64] = face[order][nearest]
    return winners
