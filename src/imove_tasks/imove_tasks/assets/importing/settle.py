"""Stands an asset on the table, with the origin at the centre of its box."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from imove_core.transforms import rotation_about_axis, transform
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.importing.contacts import LEAST_VOLUME_M3
from imove_tasks.assets.importing.foreign import ForeignMesh
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.simplify import MAX_HULL_VERTICES, hull_volume, simpler_hull
from imove_tasks.assets.stability import MIN_TIP_ANGLE_RAD, stable_poses

if TYPE_CHECKING:
    from collections.abc import Sequence

_HARDLY_STANDS_RAD = np.radians(1.0)
_BROAD_RAD = np.radians(20.0)
_CUTS = (0.002, 0.004, 0.006, 0.01, 0.015, 0.02, 0.03)  # shares of the height
_MOST_FACES = 12  # that are tried
_RIM_POINTS = 16
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
    """Makes the asset stand, if it does not, and centres it.

    What hangs a little lower than the contacts is pressed onto the table, and contacts that stand out of the box of
    what is seen are pressed into it, so that both stand on the same plane.

    Args:
        visuals: Meshes, z up as far as the source says so.
        pieces: Convex pieces in the same frame.
        journal: Takes what was turned or flattened.
    """
    turn, cut_m = _standing(pieces, journal)
    seen = [mesh.at(transform(turn)) for mesh in visuals]
    parts = [points @ turn.T for points in pieces]
    bottom = min(float(points[:, 2].min()) for points in parts)
    parts = [part for points in parts if (part := _cut_below(points, bottom + cut_m)) is not None]
    table = max(min(float(mesh.vertices[:, 2].min()) for mesh in seen), bottom + cut_m)
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


def _standing(pieces: Sequence[Array], journal: Journal) -> tuple[Array, float]:
    """What it takes to stand: a turn (3, 3), and how much of a round bottom to cut off, m.

    What stands as it is stays so. What leans is turned onto its broad face nearby. What has none, such as a ball or
    a bottle that lies, gets a small flat one where it is. What is left is turned onto its steadiest face.
    """
    center = np.concatenate(pieces).mean(0)
    parts = [points - center for points in pieces]
    if _tip_angle(parts) > _HARDLY_STANDS_RAD:
        return np.eye(3), 0.0
    points = np.concatenate(parts)
    for turn in _small_turns(points):
        if _tip_angle([piece @ turn.T for piece in parts]) >= _BROAD_RAD:
            return _turned(turn, journal), 0.0
    low, height = float(points[:, 2].min()), float(np.ptp(points[:, 2]))
    for share in _CUTS:
        cut = [part for piece in parts if (part := _cut_below(piece, low + share * height)) is not None]
        if cut and _tip_angle(cut) >= MIN_TIP_ANGLE_RAD:
            journal.repaired(f"its bottom is round: flattened by {share * height * 1e3:.1f} mm, so that it stands")
            return np.eye(3), share * height
    others = stable_poses([hull_part(piece) for piece in parts])[1:]
    if others:
        return _turned(np.asarray(others[0].rotation, np.float64), journal), 0.0
    journal.noted("it hardly stands: nothing of it is flat enough")
    return np.eye(3), 0.0


def _tip_angle(parts: Sequence[Array]) -> float:
    """Slope at which pieces, as they are turned, tip over, rad."""
    return stable_poses([hull_part(points) for points in parts])[0].tip_angle_rad


def _small_turns(points: Array) -> list[Array]:
    """Rotations (3, 3) of at most 20 degrees that lay a face of the hull flat, those onto the largest faces.

    Not taken from `stable_poses`, which keeps one of several poses alike: of a box the one upside down, perhaps.
    """
    hull = convex_hull(points)
    corners = points[hull.simplices]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    normals, face = np.unique(np.round(hull.equations[:, :3], 4), axis=0, return_inverse=True)
    near = np.flatnonzero(-normals[:, 2] >= np.cos(_NEARLY_UPRIGHT_RAD))
    largest = near[np.argsort(-np.bincount(face.ravel(), areas)[near], kind="stable")][:_MOST_FACES]
    return [_laid_down(normals[index]) for index in largest]


def _laid_down(normal: Array) -> Array:
    """The smallest rotation (3, 3) that turns a direction close to straight down onto it."""
    down = np.array([0.0, 0.0, -1.0])
    axis = np.cross(normal, down)
    length = float(np.linalg.norm(axis))
    return np.eye(3) if length < 1e-9 else rotation_about_axis(axis / length, float(np.arctan2(length, normal @ down)))


def _turned(turn: Array, journal: Journal) -> Array:
    journal.repaired(f"it would not stand as it was: turned by {np.degrees(_angle(turn)):.1f} degrees")
    return turn


def _cut_below(points: Array, height: float) -> Array | None:
    """Points of the convex piece's share above a height; None when there is next to none."""
    above, below = points[points[:, 2] >= height], points[points[:, 2] < height]
    if len(below) == 0:
        return points
    if len(above) == 0:
        return None
    # Every line from a point above to one below crosses the plane inside the piece.
    share = (above[:, None, 2] - height) / (above[:, None, 2] - below[None, :, 2])
    crossings = (above[:, None] + share[..., None] * (below[None] - above[:, None])).reshape(-1, 3)
    rim = crossings if _on_a_line(crossings) else crossings[convex_hull(crossings[:, :2]).vertices]
    rim = rim[np.unique(np.linspace(0, len(rim) - 1, _RIM_POINTS).round().astype(int))]
    most = MAX_HULL_VERTICES - _RIM_POINTS
    cut = np.concatenate([simpler_hull(above, most) if len(above) > most else above, rim])
    return cut if hull_volume(cut) > LEAST_VOLUME_M3 else None


def _on_a_line(points: Array) -> bool:
    return len(points) < 3 or np.linalg.matrix_rank(points[:, :2] - points[0, :2], tol=1e-7) < 2


def _angle(rotation: Array) -> float:
    return float(np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0)))


def _pressed(mesh: ForeignMesh, table: float) -> ForeignMesh:
    lowest = float(mesh.vertices[:, 2].min())
    if lowest >= table:
        return mesh
    vertices = mesh.vertices.copy()
    vertices[:, 2] = np.maximum(vertices[:, 2], table)
    return replace(mesh, vertices=vertices)
