"""The colour of a textured object as cameras see it: of the texels that are on its visible faces, and no others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.measure import visible_shares, word_shares
from imove_tasks.assets.vocabulary import color_word

# Barycentric coordinates of the points at which a face's texture is read: the middles of its 16 like parts.
_STEPS = 4
_POINTS = np.array(
    [
        ((3 * i + k) / (3 * _STEPS), (3 * j + k) / (3 * _STEPS))
        for k in (1, 2)
        for i in range(_STEPS)
        for j in range(_STEPS - i - (k - 1))
    ]
)
_WEIGHTS = np.column_stack([_POINTS, 1.0 - _POINTS.sum(1)])


def texels(mesh: VisualMesh) -> Array:
    """(M, 16, 3) colours, 0 to 1, of points spread evenly over each face."""
    texture = mesh.material.texture
    if texture is None or mesh.uv is None:
        return np.broadcast_to(np.array(mesh.material.rgba[:3]), (len(mesh.faces), len(_WEIGHTS), 3))
    height, width = texture.pixels.shape[:2]
    uv = np.einsum("pk,mkc->mpc", _WEIGHTS, mesh.uv)
    column = np.floor(uv[..., 0] * width).astype(np.int64) % width
    row = np.floor((1.0 - uv[..., 1]) * height).astype(np.int64) % height
    colors: Array = texture.pixels[row, column] / 255.0
    return colors


def seen_color_shares(visuals: Sequence[VisualMesh]) -> list[tuple[str, float]]:
    """Colour words and their shares of the visible surface, largest first, as `measure.color_shares` has them."""
    plain = Material("plastic", (0.5, 0.5, 0.5, 1.0))  # visibility asks for no colour
    faces = [
        VisualMesh(mesh.vertices[face], np.arange(3, dtype=np.int32)[None], plain)
        for mesh in visuals
        for face in mesh.faces
    ]
    shares = np.array(visible_shares(faces))
    colors = np.concatenate([texels(mesh) for mesh in visuals])
    seen = np.flatnonzero(shares)
    words = [color_word(color) for color in colors[seen].reshape(-1, 3).tolist()]
    return word_shares(words, np.repeat(shares[seen] / len(_WEIGHTS), len(_WEIGHTS)).tolist())
