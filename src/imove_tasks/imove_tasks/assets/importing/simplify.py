"""Fewer faces and corners, the same look and the same outline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial import QhullError, cKDTree

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.importing.foreign import Faces, ForeignMesh
from imove_tasks.assets.importing.welding import cleaned, components

MAX_FACES = 1000
"""Of all visual meshes of an asset together."""

MAX_HULL_VERTICES = 64

_RIM_DIRECTIONS = 12
_NEXT_TO_LEVEL = 0.01
_LEAST_FACES = 40  # of one mesh among several
_FAR = 1e3  # keeps the islands of a texture apart in a search by distance, in units of the mesh's size


def lighter(meshes: tuple[ForeignMesh, ...], max_faces: int = MAX_FACES) -> tuple[ForeignMesh, ...]:
    """The meshes with at most ``max_faces`` faces together, by quadric error; light ones come back as they are."""
    total = sum(len(mesh.faces) for mesh in meshes)
    if total <= max_faces:
        return meshes
    result = []
    for mesh in meshes:
        target = max(_LEAST_FACES, int(max_faces * len(mesh.faces) / total))
        result.append(_decimated(mesh, target) if len(mesh.faces) > target else mesh)
    return tuple(result)


def _decimated(mesh: ForeignMesh, target: int) -> ForeignMesh:
    # Loaded here: only heavy meshes of imports need it.
    from fast_simplification import simplify

    low = mesh.vertices.min(0)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    points, triangles = simplify((mesh.vertices - low) / size, mesh.faces.astype(np.int32), target_count=target)
    vertices: Array = np.asarray(points, np.float64) * size + low
    faces: Faces = np.asarray(triangles, np.int64)
    uv = None if mesh.uv is None else _texture_coordinates(mesh, vertices, faces, size)
    return cleaned(replace(mesh, vertices=vertices, faces=faces, uv=uv))[0]


def _texture_coordinates(mesh: ForeignMesh, vertices: Array, faces: Faces, size: float) -> Array:
    """(M, 3, 2) coordinates for new faces: those of the nearest old corner on the nearest old face's island.

    An island is a piece of the mesh whose coordinates run on without a seam; corners of one face must not be taken
    from two islands, or the whole picture is smeared over it.
    """
    assert mesh.uv is not None
    corners = mesh.vertices[mesh.faces].reshape(-1, 3) / size
    flat = mesh.uv.reshape(-1, 2)
    keys = np.concatenate([mesh.faces.reshape(-1, 1), np.round(flat * 1e5)], axis=1)
    unseamed = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1, 3)
    island = components(unseamed, int(unseamed.max()) + 1)
    new_corners = vertices[faces] / size
    middles = corners.reshape(-1, 3, 3).mean(1)
    chosen = island[cKDTree(middles).query(new_corners.mean(1))[1]]
    tree = cKDTree(np.column_stack([corners, np.repeat(island, 3) * _FAR]))
    nearest = tree.query(np.column_stack([new_corners.reshape(-1, 3), np.repeat(chosen, 3) * _FAR]))[1]
    coordinates: Array = flat[nearest].reshape(-1, 3, 2)
    return coordinates


def hull_volume(points: Array) -> float:
    """Volume of the convex hull of (N, 3) points; 0 where they lie in a plane."""
    try:
        return float(convex_hull(points).volume)
    except (QhullError, ValueError):
        return 0.0


def simpler_hull(points: Array, max_vertices: int = MAX_HULL_VERTICES) -> Array:
    """Corners of the convex hull; of a rich one those that stand out most in evenly spread directions.

    A level bottom and top keep their rims, so that what stands goes on standing.

    Args:
        points: (N, 3), not in a plane.
        max_vertices: At least 40.
    """
    corners: Array = points[convex_hull(points).vertices]
    if len(corners) <= max_vertices:
        return corners
    scaled = (corners - corners.mean(0)) / np.ptp(corners, axis=0)
    around = np.arange(_RIM_DIRECTIONS) * 2.0 * np.pi / _RIM_DIRECTIONS
    flat = np.column_stack([np.cos(around), np.sin(around)])
    # Next to straight down and up, where of the corners of one level the outermost stands out most.
    rims = [np.column_stack([flat * _NEXT_TO_LEVEL, np.full(_RIM_DIRECTIONS, sign)]) for sign in (-1.0, 1.0)]
    sides = np.column_stack([flat[:: _RIM_DIRECTIONS // 4], np.zeros(4)])
    kept = np.unique((scaled @ np.concatenate([*rims, sides]).T).argmax(0))
    spread = (scaled @ _spread_directions(max_vertices - len(kept)).T).argmax(0)
    result: Array = corners[np.union1d(kept, spread)]
    return result


def _spread_directions(count: int) -> Array:
    """(count, 3) unit vectors spread evenly over the sphere by a golden-angle spiral."""
    height = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    turn = np.arange(count) * np.pi * (3.0 - np.sqrt(5.0))
    ring = np.sqrt(1.0 - height**2)
    return np.column_stack([ring * np.cos(turn), ring * np.sin(turn), height])
