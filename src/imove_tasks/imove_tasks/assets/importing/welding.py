"""Basic surgery on triangle meshes: one vertex a place, no flat faces, outward, closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.importing.foreign import Faces, ForeignMesh

_SAME_PLACE = 1e-6  # of the mesh's size


def welded(vertices: Array, faces: Faces) -> tuple[Array, Faces, NDArray[np.bool_]]:
    """Joins vertices at one place and drops faces that lose a corner or have no area.

    Returns:
        New vertices, new faces, and which of the (M,) faces were kept.
    """
    used = np.unique(faces)
    low = vertices[used].min(0)
    grid = max(float(np.ptp(vertices[used], axis=0).max()) * _SAME_PLACE, 1e-12)
    _, first, place = np.unique(
        np.round((vertices[faces.ravel()] - low) / grid).astype(np.int64),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    points: Array = vertices[faces.ravel()[first]]
    joined = place.reshape(-1, 3)
    distinct = (joined != np.roll(joined, 1, axis=1)).all(1)
    corners = points[joined]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    kept = distinct & (areas > grid * grid)
    return points, joined[kept], kept


def components(faces: Faces, vertex_count: int) -> NDArray[np.int32]:
    """Number of the connected piece that each of the (M,) faces belongs to."""
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(vertex_count, vertex_count))
    piece: NDArray[np.int32] = connected_components(graph, directed=False)[1][faces[:, 0]]
    return np.unique(piece, return_inverse=True)[1].astype(np.int32)


def open_edges(faces: Faces) -> NDArray[np.int64]:
    """(E, 2) directed edges of faces that no neighbour runs the other way."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    base = int(faces.max()) + 1
    return edges[~np.isin(edges[:, 1] * base + edges[:, 0], edges[:, 0] * base + edges[:, 1])]


def volume(vertices: Array, faces: Faces) -> float:
    """Signed volume, positive when the faces are outward."""
    a, b, c = (vertices[faces[:, k]] - vertices[faces[0, 0]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def cleaned(mesh: ForeignMesh) -> tuple[ForeignMesh, bool, bool]:
    """The mesh welded, with every closed piece outward and small holes closed.

    Returns:
        The mesh, whether holes were closed, and whether it is closed now.
    """
    vertices, faces, kept = welded(mesh.vertices, mesh.faces)
    if len(faces) == 0:
        return mesh, False, False
    uv = None if mesh.uv is None else mesh.uv[kept]
    piece = components(faces, len(vertices))
    for number in range(int(piece.max()) + 1):
        mine = piece == number
        if volume(vertices, faces[mine]) < 0.0:
            faces[mine] = faces[mine][:, ::-1]
            if uv is not None:
                uv[mine] = uv[mine][:, ::-1]
    had_holes = len(open_edges(faces)) > 0
    if had_holes:
        vertices, faces, uv = _capped(vertices, faces, uv)
    closed = len(open_edges(faces)) == 0
    return replace(mesh, vertices=vertices, faces=faces, uv=uv), had_holes and closed, closed


def _capped(vertices: Array, faces: Faces, uv: Array | None) -> tuple[Array, Faces, Array | None]:
    """Closes every hole whose rim is one plain loop with a fan about its middle."""
    follows: dict[int, int] = {}
    for start, end in open_edges(faces):
        if int(start) in follows:
            return vertices, faces, uv  # rims touch, so loops are not plain
        follows[int(start)] = int(end)
    texture_of = {} if uv is None else dict(zip(faces.ravel().tolist(), uv.reshape(-1, 2), strict=True))
    points, triangles, coordinates = [vertices], [faces], [] if uv is None else [uv]
    count = len(vertices)
    while follows:
        loop = [next(iter(follows))]
        while (after := follows.pop(loop[-1], None)) is not None and after != loop[0]:
            loop.append(after)
        if after is None:
            return vertices, faces, uv  # an open chain: the rim ends nowhere
        points.append(vertices[loop].mean(0, keepdims=True))
        around = np.roll(loop, -1)
        triangles.append(np.stack([around, loop, np.full(len(loop), count)], 1).astype(np.int64))
        count += 1
        if uv is not None:
            rim = np.stack(
                [np.stack([texture_of[b], texture_of[a]]) for a, b in zip(loop, around.tolist(), strict=True)]
            )
            middle = np.broadcast_to(rim.mean((0, 1)), (len(loop), 1, 2))
            coordinates.append(np.concatenate([rim, middle], axis=1))
    return np.concatenate(points), np.concatenate(triangles), np.concatenate(coordinates) if uv is not None else None
