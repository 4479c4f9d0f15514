"""Makes the texture of a scan small without letting its unused background show.

Pictures of scans are atlases: islands of surface on a black or white ground. Shrinking one, or drawing it from far,
mixes the ground into the islands' rims, and the ground is no colour of the object.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.ndimage import distance_transform_edt

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.importing.foreign import ForeignMesh, Picture

MAX_SIDE_PX = 256
"""Longest side of a stored texture."""

_RIM = 0.01  # coordinates may run this far beyond the picture before it counts as repeating


def tidied(mesh: ForeignMesh) -> ForeignMesh:
    """The mesh with a texture of at most ``MAX_SIDE_PX``, its unused texels painted like the nearest used one."""
    if mesh.picture is None or mesh.uv is None:
        return mesh
    repeats = mesh.uv.min() < -_RIM or mesh.uv.max() > 1.0 + _RIM
    used = np.ones(mesh.picture.shape[:2], bool) if repeats else _used_texels(mesh.uv, mesh.picture.shape[:2])
    return replace(mesh, picture=_filled(mesh.picture, used))


def _used_texels(uv: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """(H, W) True where a face has a texel."""
    height, width = size
    mask = Image.new("1", (width, height))
    draw = ImageDraw.Draw(mask)
    for corners in (np.stack([uv[..., 0] * width, (1.0 - uv[..., 1]) * height], -1) - 0.5).reshape(-1, 6).tolist():
        draw.polygon(corners, fill=1, outline=1)
    return np.array(mask)


def _filled(picture: Picture, used: NDArray[np.bool_]) -> Picture:
    scale = min(1.0, MAX_SIDE_PX / max(used.shape))
    size = (max(1, round(used.shape[1] * scale)), max(1, round(used.shape[0] * scale)))
    weight = _shrunk(used.astype(np.float32), size)
    channels = [_shrunk((picture[..., k] * used).astype(np.float32), size) for k in range(3)]
    mean = np.stack(channels, -1) / np.maximum(weight, 1e-6)[..., None]
    if (weight > 0.0).any():
        rows, columns = distance_transform_edt(weight <= 1e-3, return_distances=False, return_indices=True)
        mean = mean[rows, columns]
    return np.asarray(np.clip(np.round(mean), 0, 255), np.uint8)


def _shrunk(channel: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    image = Image.fromarray(channel)
    return np.asarray(image if image.size == size else image.resize(size, Image.Resampling.BOX), np.float32)
