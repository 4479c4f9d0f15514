"""Lays texture coordinates on meshes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from imove_tasks.assets.primitives import Mesh


def wrapped(mesh: Mesh, *, around: float = 1.0, along: float = 1.0) -> Mesh:
    """Wraps a picture about the z axis, like a label round a bottle; its lower edge is the mesh's lowest point.

    Args:
        mesh: Any mesh; its z axis is the axis.
        around: How often the picture repeats in a turn.
        along: How often it repeats over the height.
    """
    corners = mesh.vertices[mesh.faces]
    turn = np.arctan2(corners[..., 1], corners[..., 0]) / (2.0 * np.pi)
    on_axis = np.hypot(corners[..., 0], corners[..., 1]) < 1e-9
    # A face across the cut of arctan2 goes on beyond half a turn; a corner on the axis takes its neighbours' side.
    first = np.where(on_axis[:, :1], turn[:, 1:2], turn[:, :1])
    turn = turn - np.round(turn - first)
    others = np.where(on_axis, 0.0, turn).sum(1, keepdims=True) / np.maximum(1, (~on_axis).sum(1, keepdims=True))
    turn = np.where(on_axis, others, turn)
    low, high = mesh.vertices[:, 2].min(), mesh.vertices[:, 2].max()
    height = (corners[..., 2] - low) / max(high - low, 1e-9)
    return replace(mesh, uv=np.stack([turn * around, height * along], -1))


def laid(mesh: Mesh, *, axis: int = 2, repeat: tuple[float, float] = (1.0, 1.0)) -> Mesh:
    """Lays a picture flat on a mesh, seen against the positive direction of an axis.

    From above (axis 2) u runs along x and v along y; along axis 1 u runs along -x and v along z; along axis 0 u
    runs along y and v along z.

    Args:
        mesh: Any mesh.
        axis: 0, 1 or 2.
        repeat: How often the picture repeats over the mesh's extent, (u, v).
    """
    right, up, sign = ((1, 2, 1.0), (0, 2, -1.0), (0, 1, 1.0))[axis]
    low, size = mesh.vertices.min(0), np.maximum(np.ptp(mesh.vertices, axis=0), 1e-9)
    unit = (mesh.vertices[mesh.faces] - low) / size
    u = unit[..., right] if sign > 0 else 1.0 - unit[..., right]
    return replace(mesh, uv=np.stack([u * repeat[0], unit[..., up] * repeat[1]], -1))
