"""Makers of convex collision parts, and what lines see of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_core.transforms import apply, transform
from imove_tasks.assets import primitives
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import CollisionPart

Array = NDArray[np.float64]
_SAME_RADIUS_M = 1e-6
_ROUND_SECTORS = 32  # inscribed polygon: 0.5 % below the true radius


def box_part(half: Sequence[float], object_from_part: ArrayLike | None = None) -> CollisionPart:
    """A box with half sizes ``half`` (3,), m."""
    pose = np.eye(4) if object_from_part is None else np.asarray(object_from_part, dtype=np.float64)
    return CollisionPart("box", tuple(half), pose)


def hull_part(points: ArrayLike) -> CollisionPart:
    """The convex hull of (N, 3) points in the object's frame, m."""
    return CollisionPart("hull", (), np.eye(4), np.asarray(points, dtype=np.float64))


def revolved_parts(
    profile: primitives.Profile, sectors: int, object_from_part: ArrayLike | None = None
) -> tuple[CollisionPart, ...]:
    """Convex pieces of a solid of revolution about the part's z axis.

    The profile is cut where it turns concave. A straight upright piece becomes a true cylinder; a piece under
    a transform keeps the flat sides of the drawn mesh, so that a lying one does not roll.

    Args:
        profile: (radius, z) pairs from bottom to top, m.
        sectors: Points around, as in the drawn mesh.
        object_from_part: (4, 4) transform, None for upright in place.
    """
    parts: list[CollisionPart] = []
    start = 0
    while start < len(profile) - 1:
        stop = start + 1
        while stop + 1 < len(profile) and _turns_inward(profile[stop - 1], profile[stop], profile[stop + 1]):
            stop += 1
        piece = profile[start : stop + 1]
        start = stop
        if piece[-1][1] - piece[0][1] < _SAME_RADIUS_M:
            continue  # a flat step has no volume
        radii = [radius for radius, _ in piece]
        if object_from_part is None and max(radii) - min(radii) < _SAME_RADIUS_M:
            half = (piece[-1][1] - piece[0][1]) / 2.0
            pose = transform(translation=(0.0, 0.0, piece[0][1] + half))
            parts.append(CollisionPart("cylinder", (radii[0], half), pose))
        else:
            mesh = primitives.revolve(piece, sectors)
            points = mesh.vertices if object_from_part is None else apply(object_from_part, mesh.vertices)
            parts.append(hull_part(points))
    return tuple(parts)


def wall_parts(
    radius_bottom: float,
    radius_top: float,
    thickness: float,
    z_bottom: float,
    z_top: float,
    sectors: int = 10,
) -> tuple[CollisionPart, ...]:
    """The wall of an upright cup as convex wedges.

    Start it a little above the table and add a ``disc_part``: the cup then rests on four contacts, not on
    four for each wedge.

    Args:
        radius_bottom: Outer radius at ``z_bottom``, m.
        radius_top: Outer radius at ``z_top``, m.
        thickness: Of the wall, m.
        z_bottom: Lower end, m.
        z_top: Upper end, m.
        sectors: Number of wedges; each has three points on its outer arc.
    """
    parts = []
    for index in range(sectors):
        angles = 2.0 * np.pi * (index + np.array([0.0, 0.5, 1.0])) / sectors
        unit = np.stack([np.cos(angles), np.sin(angles)], 1)
        points = [
            np.column_stack([unit * r, np.full(3, z)])
            for radius, z in ((radius_bottom, z_bottom), (radius_top, z_top))
            for r in (radius, radius - thickness)
        ]
        parts.append(hull_part(np.concatenate(points)))
    return tuple(parts)


def disc_part(radius: float, height: float) -> CollisionPart:
    """A round plate on the table, z from 0 to ``height``: the floor of a cup."""
    return CollisionPart("cylinder", (radius, height / 2.0), transform(translation=(0.0, 0.0, height / 2.0)))


def tube_parts(path: ArrayLike, radii: ArrayLike | float, sectors: int = 8) -> tuple[CollisionPart, ...]:
    """A swept circle as one hull for each stretch of its path; arguments as in ``primitives.tube``."""
    mesh = primitives.tube(path, radii, sectors)
    rings = mesh.vertices[:-2].reshape(-1, sectors, 3)
    return tuple(hull_part(np.concatenate([a, b])) for a, b in zip(rings[:-1], rings[1:], strict=True))


def beam_parts(stations: ArrayLike, *, chamfer: float = 0.3) -> tuple[CollisionPart, ...]:
    """A bar as one hull for each stretch between stations; arguments as in ``primitives.beam``."""
    rows = np.asarray(stations, dtype=np.float64)
    return tuple(
        hull_part(primitives.beam(rows[index : index + 2], chamfer=chamfer).vertices) for index in range(len(rows) - 1)
    )


def loop_parts(
    path_xy: ArrayLike, half_width: float, half_height: float, *, stride: int = 2, at: ArrayLike | None = None
) -> tuple[CollisionPart, ...]:
    """A closed flat bar, see ``primitives.loop``, as one hull for each ``stride`` points of its path.

    Args:
        path_xy: As for the mesh.
        half_width: As for the mesh.
        half_height: As for the mesh.
        stride: Stretches of the path that a hull covers; its inner side is cut straight.
        at: (4, 4) transform, None for in place.
    """
    vertices = primitives.loop(path_xy, half_width, half_height).vertices
    rings = (vertices if at is None else apply(at, vertices)).reshape(len(np.asarray(path_xy)), -1, 3)
    count = len(rings)
    return tuple(
        hull_part(np.concatenate([rings[(start + step) % count] for step in range(min(stride, count - start) + 1)]))
        for start in range(0, count, stride)
    )


def part_points(part: CollisionPart) -> Array:
    """(N, 3) points in the object's frame whose convex hull is the part (round ones to 0.5 % inside), m."""
    s = part.size
    if part.vertices is not None:
        local = np.asarray(part.vertices)
    elif part.shape == "box":
        local = primitives.box(*s).vertices
    elif part.shape == "cylinder":
        local = primitives.cylinder(s[0], s[1], _ROUND_SECTORS).vertices
    elif part.shape == "capsule":
        ball = primitives.ellipsoid(s[0], s[0], s[0], _ROUND_SECTORS).vertices
        local = np.concatenate([ball + [0.0, 0.0, s[1]], ball - [0.0, 0.0, s[1]]])
    else:
        rx, ry, rz = s if part.shape == "ellipsoid" else (s[0], s[0], s[0])
        local = primitives.ellipsoid(rx, ry, rz, _ROUND_SECTORS, 17).vertices
    return apply(part.object_from_part, local)


class Chords:
    """Where lines run inside a set of convex parts; the half-space form of every part is computed once."""

    def __init__(self, parts: Sequence[CollisionPart]) -> None:
        """Prepares the parts."""
        points = [part_points(part) for part in parts]
        hulls = [convex_hull(corners) for corners in points]
        self._planes = [hull.equations for hull in hulls]
        sides = [hull.simplices[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2) for hull in hulls]
        self.edges: Array = np.concatenate(
            [corners[np.unique(np.sort(side, axis=1), axis=0)] for corners, side in zip(points, sides, strict=True)]
        )
        """(E, 2, 3) ends of the edges of all parts, flat faces cut into triangles, object frame, m."""

    def intervals(self, points: ArrayLike, direction: ArrayLike) -> Array:
        """Entry and exit of lines through each part.

        Args:
            points: (L, 3) a point of each line, object frame, m.
            direction: (3,) unit vector of all lines.

        Returns:
            (P, L, 2) signed distances from the point; entry > exit where a line misses a part.
        """
        lines = np.asarray(points, dtype=np.float64)
        axis = np.asarray(direction, dtype=np.float64)
        result = np.empty((len(self._planes), len(lines), 2))
        for index, planes in enumerate(self._planes):
            slope = planes[:, :3] @ axis
            gap = -(lines @ planes[:, :3].T + planes[:, 3])  # >= 0 inside
            parallel = np.abs(slope) < 1e-9
            with np.errstate(divide="ignore", invalid="ignore"):
                hit = gap / slope
            entry = np.where(slope < -1e-9, hit, -np.inf).max(1)
            leave = np.where(slope > 1e-9, hit, np.inf).min(1)
            outside = (parallel & (gap < 0)).any(1)
            result[index, :, 0] = np.where(outside, np.inf, entry)
            result[index, :, 1] = np.where(outside, -np.inf, leave)
        return result


def _turns_inward(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """True when a profile that goes up the outside stays convex at ``b``."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) >= -1e-12
