"""Wavefront OBJ files of triangle meshes, vertices and faces kept in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.arrays import DECIMALS, Array
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.storage.numbers import numbers

Indices = NDArray[np.int32]


@dataclass(frozen=True)
class ObjMesh:
    """What an OBJ file holds.

    Attributes:
        vertices: (N, 3) m.
        faces: (M, 3) int32 indices into the vertices.
        uv: (M, 3, 2) texture coordinates of the corners, v up, or None.
        normals: (M, 3, 3) unit normals of the corners, or None; `read_obj` leaves them out.
    """

    vertices: Array
    faces: Indices
    uv: Array | None = None
    normals: Array | None = None


def obj_text(mesh: ObjMesh, *, library: str = "", material: str = "") -> str:
    """The file as text; equal texture coordinates and normals are written once.

    Args:
        mesh: What to write.
        library: Name of the MTL file beside it; empty for none.
        material: Name of the material of all faces.
    """
    lines = [f"mtllib {library}"] if library else []
    lines += [f"v {numbers(vertex)}" for vertex in mesh.vertices.tolist()]
    corners: list[Sequence[object]] = [(mesh.faces + 1).ravel().tolist()]
    for key, values in (("vt", mesh.uv), ("vn", mesh.normals)):
        if values is None:
            corners.append([""] * mesh.faces.size)
            continue
        rows, index = np.unique(np.round(values.reshape(mesh.faces.size, -1), DECIMALS), axis=0, return_inverse=True)
        lines += [f"{key} {numbers(row)}" for row in rows.tolist()]
        corners.append((index.ravel() + 1).tolist())
    lines += [f"usemtl {material}"] if material else []
    words = ["/".join(map(str, corner)).rstrip("/") for corner in zip(*corners, strict=True)]
    lines += [f"f {' '.join(words[first : first + 3])}" for first in range(0, len(words), 3)]
    return "\n".join([*lines, ""])


def read_obj(path: Path) -> ObjMesh:
    """Reads vertices, triangles and texture coordinates; normals, materials and groups are passed over.

    Raises:
        AssetError: The file cannot be read, is no OBJ of triangles, or a face names a corner that is not there.
    """
    try:
        rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        vertices = np.array([row[1:4] for row in rows if row and row[0] == "v"], dtype=np.float64)
        coordinates = np.array([row[1:3] for row in rows if row and row[0] == "vt"], dtype=np.float64)
        corners = [_corners(row[1:]) for row in rows if row and row[0] == "f"]
        faces = np.array([[int(corner[0]) - 1 for corner in face] for face in corners], dtype=np.int32)
        textured = np.array([[int(c[1]) - 1 if len(c) > 1 and c[1] else -1 for c in face] for face in corners])
    except (OSError, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise AssetError(f"{path} is not a mesh of triangles in OBJ form: {error}") from error
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(faces) == 0:
        raise AssetError(f"{path} has {len(vertices)} vertices and {len(faces)} faces, expected at least one triangle")
    if len(coordinates) == 0:
        textured = np.full(faces.shape, -1)
    partly = (textured >= 0).any() and not (textured >= 0).all()
    if faces.min() < 0 or faces.max() >= len(vertices) or partly or textured.max() >= max(len(coordinates), 1):
        raise AssetError(f"{path} has faces with corners that the file does not hold")
    return ObjMesh(vertices, faces, coordinates[textured] if (textured >= 0).all() else None)


def _corners(words: Sequence[str]) -> list[list[str]]:
    if len(words) != 3:
        raise ValueError(f"a face has {len(words)} corners, expected 3")
    return [word.split("/") for word in words]
