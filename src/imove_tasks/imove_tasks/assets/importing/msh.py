"""MuJoCo's old binary mesh format (.msh), which some published MJCF objects use."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.foreign import ForeignMesh

_HEADER_INTS = 4


def read_msh(blob: bytes, name: str) -> ForeignMesh:
    """Reads the format: four int32 counts (vertices, normals, texture coordinates, faces), then these as arrays.

    Source: the XML reference of MuJoCo, element asset/mesh. Texture coordinates run down from the upper left there.

    Args:
        blob: Content of the file.
        name: What to call it in messages.

    Raises:
        AssetError: The counts do not fit the length of the file.
    """
    if len(blob) < 4 * _HEADER_INTS:
        raise AssetError(f"its mesh {name!r} is cut off")
    vertex_count, normal_count, uv_count, face_count = np.frombuffer(blob, "<i4", _HEADER_INTS).tolist()
    sizes = [3 * vertex_count, 3 * normal_count, 2 * uv_count, 3 * face_count]
    if min(sizes) < 0 or len(blob) != 4 * (_HEADER_INTS + sum(sizes)):
        raise AssetError(f"its mesh {name!r} has {len(blob)} bytes, its header says {4 * (_HEADER_INTS + sum(sizes))}")
    starts = _HEADER_INTS + np.cumsum([0, *sizes])
    numbers = np.frombuffer(blob, "<f4")
    vertices = numbers[starts[0] : starts[1]].reshape(-1, 3).astype(np.float64)
    faces = np.frombuffer(blob, "<i4")[starts[3] : starts[4]].reshape(-1, 3).astype(np.int64)
    uv = None
    if uv_count == vertex_count and vertex_count and face_count and faces.min() >= 0 and faces.max() < uv_count:
        corners = numbers[starts[2] : starts[3]].reshape(-1, 2).astype(np.float64)[faces]
        uv = np.stack([corners[..., 0], 1.0 - corners[..., 1]], -1)
    return ForeignMesh(vertices, faces, uv=uv, colored=False)
