"""The known shape of an object as points on its surface, with the colours that they have by white light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.model import Asset

POINT_AREA_M2 = 1.5e-6
"""Surface for each point: about three points for a pixel of a VGA camera 0.85 m above."""
MOST_POINTS = 9000
LEAST_POINTS = 800


@dataclass(frozen=True, eq=False)
class Shape:
    """Points on the surface of an object.

    Attributes:
        points: (N, 3) object frame, m.
        normals: (N, 3) outward.
        colors: (N, 3) sRGB, 0 to 1.
    """

    points: Array
    normals: Array
    colors: Array


def shape_of(asset: Asset, rng: np.random.Generator) -> Shape:
    """Points spread evenly over all meshes of an asset."""
    areas = [_triangle_areas(mesh) for mesh in asset.visuals]
    total_m2 = float(sum(part.sum() for part in areas))
    count = int(np.clip(total_m2 / POINT_AREA_M2, LEAST_POINTS, MOST_POINTS))
    shares = np.concatenate(areas) / total_m2
    chosen = np.sort(rng.choice(len(shares), size=count, p=shares))
    starts = np.cumsum([0, *(len(part) for part in areas)])
    found = [
        _sampled(mesh, chosen[(chosen >= first) & (chosen < end)] - first, rng)
        for mesh, first, end in zip(asset.visuals, starts[:-1], starts[1:], strict=True)
    ]
    points, normals, colors = (np.vstack(part) for part in zip(*found, strict=True))
    return Shape(points, normals, colors)


def _triangle_areas(mesh: VisualMesh) -> Array:
    areas: Array = np.linalg.norm(_crosses(mesh), axis=1) / 2
    return areas


def _crosses(mesh: VisualMesh) -> Array:
    corners = mesh.vertices[mesh.faces]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _sampled(mesh: VisualMesh, faces: NDArray[np.intp], rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Points, normals and colours at random places on some triangles."""
    shares = rng.random((len(faces), 2))
    shares = np.where(shares.sum(axis=1, keepdims=True) > 1.0, 1.0 - shares, shares)
    weights = np.column_stack([1.0 - shares.sum(axis=1), shares])
    points = np.einsum("nk,nkc->nc", weights, mesh.vertices[mesh.faces[faces]])
    normals = _crosses(mesh)[faces]
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15)
    texture = mesh.material.texture
    if texture is None or mesh.uv is None:
        return points, normals, np.broadcast_to(np.array(mesh.material.rgba[:3]), points.shape)
    across, up = np.einsum("nk,nkc->nc", weights, mesh.uv[faces]).T % 1.0
    height, width = texture.pixels.shape[:2]
    rows = np.minimum(((1.0 - up) * height).astype(int), height - 1)
    columns = np.minimum((across * width).astype(int), width - 1)
    return points, normals, texture.pixels[rows, columns] / 255.0
