"""Stands an asset on the table: a stable pose down, the origin at the centre of its box."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from imove_core.transforms import transform
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.importing.foreign import ForeignMesh
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.stability import MIN_TIP_ANGLE_RAD, stable_poses

if TYPE_CHECKING:
    from collections.abc import Sequence

_HARDLY_STANDS_RAD = np.radians(1.0)
_NEARLY_UPRIGHT_RAD = np.radians(20.0)  # scans lean this much at most; a larger turn changes what is up


@dataclass(frozen=True, eq=False)
class Settled:
    """An asset in its object frame.

    Attributes:
        visuals: Meshes to draw.
        pieces: Points (K, 3) of each convex contact piece.
        object_from_link: (4, 4) rigid transform from the source's link frame.
    """

    visuals: tuple[ForeignMesh, ...]
    pieces: tuple[Array, ...]
    object_from_link: Array


def settled(visuals: Sequence[ForeignMesh], pieces: Sequence[Array], journal: Journal) -> Settled:
    """Turns the asset onto a stable pose, if it has one and does not stand, and centres it.

    What hangs a little lower than the contacts is pressed onto the table, and contacts that stand out of the box of
    what is seen are pressed into it, so that both stand on the same plane.

    Args:
        visuals: Meshes, z up as far as the source says so.
        pieces: Convex pieces in the same frame.
        journal: Takes what was turned.
    """
    turn = _onto_a_stable_pose(pieces, journal)
    seen = [mesh.at(transform(turn)) for mesh in visuals]
    parts = [points @ turn.T for points in pieces]
    table = max(
        min(float(mesh.vertices[:, 2].min()) for mesh in seen), min(float(points[:, 2].min()) for points in parts)
    )
    seen = [_pressed(mesh, table) for mesh in seen]
    corners = np.concatenate([mesh.vertices for mesh in seen])
    low, high = corners.min(0), corners.max(0)
    parts = [np.clip(points, low, high) for points in parts]
    center = np.round((low + high) / 2.0, 7)
    return Settled(
        tuple(mesh.at(transform(translation=-center)) for mesh in seen),
        tuple(points - center for points in parts),
        transform(translation=-center) @ transform(turn),
    )


def _onto_a_stable_pose(pieces: Sequence[Array], journal: Journal) -> Array:
    """(3, 3) rotation; identity where it stands as it is, or where nothing stands better (a ball)."""
    center = np.concatenate(pieces).mean(0)
    made, *others = stable_poses([hull_part(points - center) for points in pieces])
    steady = [pose for pose in others if pose.tip_angle_rad >= MIN_TIP_ANGLE_RAD]
    if made.tip_angle_rad > _HARDLY_STANDS_RAD or not steady:
        return np.eye(3)
    nearest = min(steady, key=lambda pose: _angle(pose.rotation))
    chosen = nearest if _angle(nearest.rotation) <= _NEARLY_UPRIGHT_RAD else steady[0]
    journal.repaired(f"it would not stand as it was: turned by {np.degrees(_angle(chosen.rotation)):.1f} degrees")
    return np.asarray(chosen.rotation, np.float64)


def _angle(rotation: Array) -> float:
    return float(np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0)))


def _pressed(mesh: ForeignMesh, table: float) -> ForeignMesh:
    lowest = float(mesh.vertices[:, 2].min())
    if lowest >= table:
        return mesh
    vertices = mesh.vertices.copy()
    vertices[:, 2] = np.maximum(vertices[:, 2], table)
    return replace(mesh, vertices=vertices)
