"""Makers of closed, low-polygon triangle meshes with outward winding.

Almost everything is a *loft*: a stack of rings with the same number of points, joined by quads and closed at
both ends by fans. Triangle counts follow from the counts of rings R and ring points K: 2 K (R - 1) for the
side and K for each end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_core.transforms import apply
from imove_tasks.assets.errors import AssetError

Array = NDArray[np.float64]
Profile = Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed triangle mesh.

    Attributes:
        vertices: (N, 3) float64, m.
        faces: (M, 3) int32, counter-clockwise seen from outside.
        uv: (M, 3, 2) texture coordinates of the faces' corners, see `mapping`; None without a texture.
    """

    vertices: Array
    faces: NDArray[np.int32]
    uv: Array | None = None

    def at(self, target_from_mesh: ArrayLike) -> Mesh:
        """The mesh moved by a rigid (4, 4) transform."""
        return replace(self, vertices=apply(target_from_mesh, self.vertices))

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """The mesh shifted by metres along each axis."""
        return replace(self, vertices=self.vertices + np.array([x, y, z]))

    def scaled(self, x: float = 1.0, y: float = 1.0, z: float = 1.0) -> Mesh:
        """The mesh stretched about the origin by positive factors."""
        return replace(self, vertices=self.vertices * np.array([x, y, z]))

    def clamped_below(self, z_min: float) -> Mesh:
        """The mesh with everything below ``z_min`` pressed onto that plane: a flat facet to stand on."""
        vertices = self.vertices.copy()
        vertices[:, 2] = np.maximum(vertices[:, 2], z_min)
        return replace(self, vertices=vertices)


def join(meshes: Sequence[Mesh]) -> Mesh:
    """One mesh with the pieces of all, untouched; with texture coordinates when all have them."""
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    faces = [mesh.faces + offset for mesh, offset in zip(meshes, offsets, strict=True)]
    mapped = [mesh.uv for mesh in meshes if mesh.uv is not None]
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate(faces).astype(np.int32),
        np.concatenate(mapped) if len(mapped) == len(meshes) else None,
    )


def loft(rings: ArrayLike, *, apexes: tuple[ArrayLike, ArrayLike] | None = None, closed: bool = False) -> Mesh:
    """Joins a stack of rings.

    Args:
        rings: (R, K, 3) points, m; each ring counter-clockwise when seen against the direction of travel.
        apexes: Tips of the fans that close the first and last ring; None takes the rings' mean points.
        closed: Joins the last ring to the first instead of closing the ends (a torus).

    Raises:
        AssetError: Fewer than two rings or three points a ring.
    """
    stack = np.asarray(rings, dtype=np.float64)
    if stack.ndim != 3 or stack.shape[0] < 2 or stack.shape[1] < 3 or stack.shape[2] != 3:
        raise AssetError(f"a loft got rings of shape {stack.shape}, expected (R >= 2, K >= 3, 3)")
    count, around = stack.shape[:2]
    j = np.arange(around)
    k = (j + 1) % around
    faces = []
    for i in range(count if closed else count - 1):
        a, b = i * around, ((i + 1) % count) * around
        faces += [np.stack([a + j, a + k, b + k], 1), np.stack([a + j, b + k, b + j], 1)]
    vertices = stack.reshape(-1, 3)
    if not closed:
        first, last = apexes if apexes is not None else (stack[0].mean(0), stack[-1].mean(0))
        vertices = np.concatenate([vertices, [np.asarray(first, dtype=np.float64)], [np.asarray(last)]])
        bottom, top, b = len(vertices) - 2, len(vertices) - 1, (count - 1) * around
        faces += [
            np.stack([np.full(around, bottom), k, j], 1),
            np.stack([b + j, b + k, np.full(around, top)], 1),
        ]
    return Mesh(vertices, np.concatenate(faces).astype(np.int32))


def circle(radius: float, sectors: int) -> Array:
    """(sectors, 2) points of a regular polygon inscribed in a circle, with a flat side at the bottom (-y)."""
    angles = 2.0 * np.pi * (np.arange(sectors) + 0.5) / sectors - np.pi / 2.0
    return radius * np.stack([np.cos(angles), np.sin(angles)], 1)


def rectangle(half_x: float, half_y: float) -> Array:
    """(4, 2) corners, counter-clockwise, m."""
    return np.array([(half_x, half_y), (-half_x, half_y), (-half_x, -half_y), (half_x, -half_y)])


def rounded_rectangle(half_x: float, half_y: float, radius: float, corner_points: int = 3) -> Array:
    """(4 * corner_points, 2) points of a rectangle with rounded corners, counter-clockwise, m."""
    turn = np.linspace(0.0, np.pi / 2.0, corner_points)
    corners = []
    for quarter, (sx, sy) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        angles = turn + quarter * np.pi / 2.0
        center = np.array([sx * (half_x - radius), sy * (half_y - radius)])
        corners.append(center + radius * np.stack([np.cos(angles), np.sin(angles)], 1))
    return np.concatenate(corners)


def prism(outline: ArrayLike, levels: Sequence[tuple[float, float]], *, apex_rise: float = 0.0) -> Mesh:
    """Stacks one outline at several heights.

    Args:
        outline: (K, 2) points, counter-clockwise, star-shaped about their mean, m.
        levels: (z, scale) pairs from bottom to top; scale shrinks the outline about the origin.
        apex_rise: Height of the top's centre above the last level, m: a slightly domed lid.
    """
    points = np.asarray(outline, dtype=np.float64)
    rings = [np.column_stack([points * scale, np.full(len(points), z)]) for z, scale in levels]
    top = rings[-1].mean(0) + np.array([0.0, 0.0, apex_rise])
    return loft(rings, apexes=(rings[0].mean(0), top))


def slab(outline_xz: ArrayLike, half_y: float) -> Mesh:
    """A side view given in the xz plane, (K, 2) m, counter-clockwise with z up, made ``2 * half_y`` thick."""
    mesh = prism(outline_xz, [(-half_y, 1.0), (half_y, 1.0)])
    x, z, y = mesh.vertices.T
    return Mesh(np.column_stack([x, -y, z]), mesh.faces)


def box(half_x: float, half_y: float, half_z: float) -> Mesh:
    """A plain box about the origin: 16 triangles."""
    return prism(rectangle(half_x, half_y), [(-half_z, 1.0), (half_z, 1.0)])


def rounded_box(
    half_x: float, half_y: float, half_z: float, radius: float, *, bevel: float = 0.0, corner_points: int = 3
) -> Mesh:
    """A box about the origin with rounded vertical edges and bevelled rims.

    Args:
        half_x: Half size along x, m.
        half_y: Half size along y, m.
        half_z: Half size along z, m.
        radius: Rounding of the vertical edges, m, at most the smaller of half_x and half_y.
        bevel: Width of the 45 degree bevel of both rims, m, below ``radius``; 0 for sharp rims.
        corner_points: Points on each rounded corner.
    """
    outer = rounded_rectangle(half_x, half_y, radius, corner_points)
    if bevel <= 0.0:
        return prism(outer, [(-half_z, 1.0), (half_z, 1.0)])
    inner = rounded_rectangle(half_x - bevel, half_y - bevel, radius - bevel, corner_points)
    levels = [(inner, -half_z), (outer, bevel - half_z), (outer, half_z - bevel), (inner, half_z)]
    return loft([np.column_stack([points, np.full(len(points), z)]) for points, z in levels])


def revolve(profile: Profile, sectors: int = 20, *, closed: bool = False) -> Mesh:
    """Turns a profile about the z axis.

    Args:
        profile: (radius, z) pairs, m, radius > 0. Going up the outside gives a solid; coming back down inside
            gives a cup whose floor closes at the last pair.
        sectors: Points around.
        closed: Joins the last pair to the first: a ring with a hole.
    """
    rings = []
    for radius, z in profile:
        points = circle(radius, sectors)
        rings.append(np.column_stack([points, np.full(sectors, z)]))
    return loft(rings, closed=closed)


def band(radius: float, z_bottom: float, z_top: float, sectors: int = 20, *, thickness: float = 0.0012) -> Mesh:
    """A thin upright ring of a given outer radius, open in the middle: a stripe round a hollow thing."""
    inner = radius - thickness
    return revolve([(radius, z_bottom), (radius, z_top), (inner, z_top), (inner, z_bottom)], sectors, closed=True)


def cylinder(radius: float, half_length: float, sectors: int = 20) -> Mesh:
    """A cylinder about the origin along z."""
    return revolve([(radius, -half_length), (radius, half_length)], sectors)


def ellipsoid(rx: float, ry: float, rz: float, sectors: int = 16, rings: int = 9) -> Mesh:
    """An ellipsoid about the origin: 2 * sectors * rings triangles."""
    latitudes = np.linspace(-np.pi / 2.0, np.pi / 2.0, rings + 2)[1:-1]
    stack = [
        np.column_stack([circle(np.cos(a), sectors) * [rx, ry], np.full(sectors, rz * np.sin(a))]) for a in latitudes
    ]
    return loft(stack, apexes=((0.0, 0.0, -rz), (0.0, 0.0, rz)))


def tube(path: ArrayLike, radii: ArrayLike | float, sectors: int = 8) -> Mesh:
    """Sweeps a circle along a path: handles, stems, bananas.

    Args:
        path: (P, 3) points, m, no two consecutive ones equal.
        radii: (P,) radius at each point, m, or one for all.
        sectors: Points around.
    """
    points = np.asarray(path, dtype=np.float64)
    radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), (len(points),))
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    helper = np.eye(3)[int(np.argmin(np.abs(tangents[0])))]
    normal = np.cross(tangents[0], helper)
    rings = []
    for point, tangent, r in zip(points, tangents, radius, strict=True):
        normal = normal - tangent * (normal @ tangent)  # carries the frame on without twist
        normal /= np.linalg.norm(normal)
        binormal = np.cross(tangent, normal)
        offsets = circle(float(r), sectors)
        rings.append(point + offsets[:, :1] * normal + offsets[:, 1:] * binormal)
    return loft(rings)


def arc(radius_x: float, radius_z: float, start_rad: float, stop_rad: float, points: int) -> Array:
    """(points, 3) path on an ellipse in the xz plane about the origin, m."""
    angles = np.linspace(start_rad, stop_rad, points)
    return np.stack([radius_x * np.cos(angles), np.zeros(points), radius_z * np.sin(angles)], 1)


def beam(stations: ArrayLike, *, chamfer: float = 0.3) -> Mesh:
    """A bar along x whose cross-section changes: handles, blades, levers.

    Args:
        stations: (S, 5) x, y, z of the middle, half width along y, half height along z, m; x must rise.
        chamfer: Share of the smaller half size by which the four edges are cut; 0 keeps them sharp.
    """
    rings = []
    for x, y, z, half_y, half_z in np.asarray(stations, dtype=np.float64):
        cut = chamfer * min(half_y, half_z)
        outline = rounded_rectangle(half_y, half_z, cut, 2) if cut > 0.0 else rectangle(half_y, half_z)
        rings.append(np.column_stack([np.full(len(outline), x), outline + [y, z]]))
    return loft(rings)


def loop(path_xy: ArrayLike, half_width: float, half_height: float, sectors: int = 6) -> Mesh:
    """A closed bar along a flat path about z = 0: finger holes, rims, coils of cable.

    Args:
        path_xy: (P, 2) points, counter-clockwise, not closed by a repeated point, m.
        half_width: Of the bar across the path, m.
        half_height: Of the bar along z, m.
        sectors: Points of the bar's cross-section; its underside is flat.
    """
    points = np.asarray(path_xy, dtype=np.float64)
    tangents = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    inward = np.stack([-tangents[:, 1], tangents[:, 0]], 1)
    polygon = circle(1.0, sectors)
    section = 2.0 * (polygon - polygon.min(0)) / np.ptp(polygon, axis=0) - 1.0  # fills its box
    flat = points[:, None] + half_width * section[None, :, :1] * inward[:, None]
    heights = np.broadcast_to(half_height * section[:, 1], flat.shape[:2])
    return loft(np.concatenate([flat, heights[..., None]], axis=2), closed=True)


def oval_path(radius_x: float, radius_y: float, points: int) -> Array:
    """(points, 2) closed path on an ellipse about the origin, counter-clockwise, m."""
    return circle(1.0, points) * [radius_x, radius_y]
