"""Mass, centre and moments of inertia of an object whose mass is shared over its parts by volume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import CollisionPart


@dataclass(frozen=True)
class MassProperties:
    """What rigid body dynamics needs of an object.

    Attributes:
        mass_kg: Total mass.
        center: (3,) centre of mass, m, object frame.
        inertia: (3, 3) tensor about the centre of mass along the axes of the object frame, kg m².
    """

    mass_kg: float
    center: Array
    inertia: Array


def mass_properties(parts: Sequence[CollisionPart], mass_kg: float) -> MassProperties:
    """Adds parts up; where parts overlap both count, as in the simulation.

    Args:
        parts: Convex parts.
        mass_kg: Mass of all of them together.
    """
    volumes = np.array([part.volume_m3 for part in parts])
    centers, second_moments = zip(*(_moments(part) for part in parts), strict=True)
    masses = mass_kg * volumes / volumes.sum()
    center = masses @ np.array(centers) / mass_kg
    away = np.array(centers) - center
    second = np.einsum("n,nij->ij", masses, np.array(second_moments) + np.einsum("ni,nj->nij", away, away))
    trace = 2.0 * np.trace(second)
    # What rounding errors leave beside the diagonal differs from machine to machine; it is cut off.
    inertia = np.round((np.trace(second) * np.eye(3) - second) / trace, 9) * trace + 0.0
    return MassProperties(mass_kg, center, inertia)


def _moments(part: CollisionPart) -> tuple[Array, Array]:
    """(3,) centre and (3, 3) mean of (p - centre)(p - centre)^T over a part's volume, in the object frame."""
    rotation, origin = part.object_from_part[:3, :3], part.object_from_part[:3, 3]
    center, second = (np.zeros(3), np.diag(_squares(part))) if part.vertices is None else _hull_moments(part.vertices)
    return rotation @ center + origin, rotation @ second @ rotation.T


def _squares(part: CollisionPart) -> Array:
    """(3,) mean squares of x, y, z over a primitive (textbook integrals)."""
    s = np.array(part.size)
    if part.shape == "box":
        return s**2 / 3.0
    if part.shape == "cylinder":
        return np.array([s[0] ** 2 / 4.0, s[0] ** 2 / 4.0, s[1] ** 2 / 3.0])
    if part.shape == "capsule":
        radius, half = s
        tube, caps = 2.0 * half, 4.0 / 3.0 * radius  # volumes over the area of the circle
        across = (tube * radius**2 / 4.0 + caps * radius**2 / 5.0) / (tube + caps)
        # A cap's points lie half + t from the middle; over a half ball the means of t and t² are 3r/8 and r²/5.
        along_cap = half**2 + 0.75 * half * radius + radius**2 / 5.0
        return np.array([across, across, (tube * half**2 / 3.0 + caps * along_cap) / (tube + caps)])
    return np.broadcast_to(s**2 / 5.0, 3)  # sphere and ellipsoid


def _hull_moments(points: Array) -> tuple[Array, Array]:
    """The same two of a convex hull, by cutting it into tetrahedra about an inner point."""
    hull = convex_hull(points)
    inner = points.mean(0)
    corners = points[hull.simplices] - inner
    shares = np.abs(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))
    shares /= shares.sum()
    sums = corners.sum(1)
    center = shares @ sums / 4.0
    # Over a tetrahedron with one corner at 0 the mean of x x^T is (sum of c c^T + s s^T) / 20, s the corners' sum.
    second = np.einsum("n,nki,nkj->ij", shares, corners, corners) + np.einsum("n,ni,nj->ij", shares, sums, sums)
    return inner + center, second / 20.0 - np.outer(center, center)
