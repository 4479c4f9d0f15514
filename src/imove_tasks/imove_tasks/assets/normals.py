"""Shading normals that keep edges sharp and round surfaces round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.looks import VisualMesh

Array = NDArray[np.float64]

CREASE_ANGLE_RAD = np.radians(40.0)
"""Faces that meet at a larger angle are shaded apart."""


def corner_normals(mesh: VisualMesh) -> Array:
    """Unit normals (M, 3, 3) of the corners of each face: the area-weighted mean over faces that share the corner."""
    corners = mesh.vertices[mesh.faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    units = np.divide(areas, lengths, out=np.zeros_like(areas), where=lengths > 1e-15)
    here, there = _corners_of_one_vertex(mesh.faces.ravel())
    face_here, face_there = here // 3, there // 3
    near = np.einsum("ij,ij->i", units[face_here], units[face_there]) > np.cos(CREASE_ANGLE_RAD)
    sums = np.zeros((mesh.faces.size, 3))
    np.add.at(sums, here[near], areas[face_there[near]])
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    # A face without area has no direction of its own; any will do, since it is not seen.
    normals = np.divide(sums, norms, out=np.tile([0.0, 0.0, 1.0], (len(sums), 1)), where=norms > 1e-15)
    shaped: Array = normals.reshape(-1, 3, 3)
    return shaped


def _corners_of_one_vertex(vertex_of_corner: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All ordered pairs of corners at the same vertex, a corner with itself included."""
    order = np.argsort(vertex_of_corner, kind="stable")
    _, first, count = np.unique(vertex_of_corner[order], return_index=True, return_counts=True)
    pairs = count**2
    group = np.repeat(np.arange(len(count)), pairs)
    step = np.arange(len(group)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    here = order[first[group] + step // count[group]]
    there = order[first[group] + step % count[group]]
    return here, there
