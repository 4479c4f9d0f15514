"""Form against claims: the box, contact parts, grips, the region, the shape word."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from imove_tasks.assets.convex import Chords, part_points
from imove_tasks.assets.findings import Finding
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.measure import silhouette
from imove_tasks.assets.model import Asset

Array = NDArray[np.float64]
Shadow = tuple[float, float]
"""Fill and aspect of a silhouette, see `measure.silhouette`."""

_BOX_TOLERANCE_M = 1e-6
_PART_TOLERANCE_M = 0.003  # contact parts may stand out of the visuals by this much
_LEAST_SHARE = 0.3  # of the box that contact parts span; leaves and loops of cord touch nothing
_TABLE_TOLERANCE_M = 0.0005
_GRIP_TOLERANCE_M = 0.001
_FLOOR_TOLERANCE_M = 0.004
_FREE_M = 0.03  # above a region's floor
_FLOOR_STEPS = 7
_MAJOR = 0.3  # pieces with this share of the largest piece's box count as bodies


def box(asset: Asset) -> Iterator[Finding]:
    """The box is that of the visuals, about the origin."""
    points = np.concatenate([mesh.vertices for mesh in asset.visuals])
    off = max(float(np.abs(points.min(0) - asset.box_min).max()), float(np.abs(points.max(0) - asset.box_max).max()))
    yield Finding("box", f"off by {off * 1e3:.3f} mm", "box of the visuals", off <= _BOX_TOLERANCE_M)
    shift = float(np.abs(asset.box_min + asset.box_max).max()) / 2.0
    yield Finding("origin", f"off by {shift * 1e3:.3f} mm", "centre of the box", shift <= _BOX_TOLERANCE_M)


def contacts(asset: Asset) -> Iterator[Finding]:
    """Contact parts fill the box of the visuals and stand on its bottom."""
    points = np.concatenate([part_points(part) for part in asset.collisions])
    low, high = points.min(0) - asset.box_min, asset.box_max - points.max(0)
    out = -float(min(low.min(), high.min()))
    yield Finding(
        "contact outline", f"{max(out, 0.0) * 1e3:.1f} mm outside", "inside the visuals", out <= _PART_TOLERANCE_M
    )
    gap = abs(float(low[2]))
    yield Finding("foot", f"{gap * 1e3:.2f} mm off", "on the bottom of the visuals", gap <= _TABLE_TOLERANCE_M)
    share = float(np.prod(np.ptp(points, axis=0) / asset.extents))
    yield Finding("contact size", f"{share:.2f} of the box", f"at least {_LEAST_SHARE}", share >= _LEAST_SHARE)


def grips(asset: Asset) -> Iterator[Finding]:
    """Every grip has material between the pads, as wide as it says."""
    if not asset.grips:
        return
    chords = Chords(asset.collisions)
    for number, grip in enumerate(asset.grips):
        runs = chords.intervals(grip.center[None, :], grip.closing_axis)[:, 0, :]
        runs = runs[runs[:, 0] < runs[:, 1]]
        width = float(runs[:, 1].max() - runs[:, 0].min()) if len(runs) else 0.0
        ok = abs(width - grip.width_m) <= _GRIP_TOLERANCE_M
        yield Finding(f"grip {number}", f"{width * 1e3:.1f} mm", f"{grip.width_m * 1e3:.1f} mm", ok)


def region(asset: Asset) -> Iterator[Finding]:
    """The region is a floor, and free above."""
    if asset.region is None:
        return
    steps = np.linspace(-0.95, 0.95, _FLOOR_STEPS)
    grid = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)
    if asset.region.round:
        grid = grid[np.hypot(*grid.T) <= 0.95]
    points = np.zeros((len(grid), 3))
    points[:, :2] = grid * asset.region.half_extents
    runs = Chords(asset.collisions).intervals(points + asset.region.center, [0.0, 0.0, 1.0])
    hit = runs[..., 0] < runs[..., 1]
    carries = hit & (np.abs(runs[..., 1]) <= _FLOOR_TOLERANCE_M)
    fills = hit & (runs[..., 1] > _FLOOR_TOLERANCE_M) & (runs[..., 0] < _FREE_M)
    floor, free = float(carries.any(0).mean()), float((~fills.any(0)).mean())
    yield Finding("region floor", f"{floor:.0%} of it carries", "all", floor == 1.0)
    yield Finding("region free", f"{free:.0%} of it is free", "all", free == 1.0)


def shape(asset: Asset) -> Iterator[Finding]:
    """The shape word fits the silhouettes of the whole or of one of its main pieces."""
    if asset.shape not in SHAPE_TESTS:
        return
    fits = [SHAPE_TESTS[asset.shape](body) for body in bodies(asset.visuals)]
    whole = _shadows(np.concatenate([mesh.vertices for mesh in asset.visuals]))
    told = ", ".join(f"{fill:.2f} of {aspect:.2f}:1" for fill, aspect in whole)
    yield Finding("shape", f"silhouettes {told}", asset.shape, any(fits))


def bodies(visuals: tuple[VisualMesh, ...]) -> list[Array]:
    """Corners of the whole and of its main connected pieces, each (N, 3) m."""
    pieces: list[Array] = []
    for mesh in visuals:
        edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]]])
        count = len(mesh.vertices)
        graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
        number, piece = connected_components(graph, directed=False)
        pieces += [mesh.vertices[piece == index] for index in range(number)]
    sizes = [float(np.prod(np.ptp(piece, axis=0))) for piece in pieces]
    major = [piece for piece, size in zip(pieces, sizes, strict=True) if size > 0.0 and size >= _MAJOR * max(sizes)]
    return [np.concatenate([mesh.vertices for mesh in visuals]), *major]


def _shadows(points: Array) -> list[Shadow]:
    return [silhouette(points, axis) for axis in range(3)]


def _rounds(shadow: Shadow, most: float) -> bool:
    fill, aspect = shadow
    return 0.66 <= fill <= 0.92 and aspect <= most  # the word is chosen between 0.7 and 0.9, of the body alone


def _is_round(points: Array) -> bool:
    return any(_rounds(shadow, 1.3) for shadow in _shadows(points))


def _is_oval(points: Array) -> bool:
    return any(_rounds(shadow, np.inf) and shadow[1] >= 1.05 for shadow in _shadows(points))


def _is_cylindrical(points: Array) -> bool:
    shadows = _shadows(points)
    return any(
        _rounds(shadow, 1.3) and all(fill >= 0.8 for number, (fill, _) in enumerate(shadows) if number != axis)
        for axis, shadow in enumerate(shadows)
    )


def _is_tapered(points: Array) -> bool:
    return min(fill for fill, _ in _shadows(points)) <= 0.95


def _is_rectangular(points: Array) -> bool:
    return any(fill >= 0.85 for fill, _ in _shadows(points))


def _is_square(points: Array) -> bool:
    return any(fill >= 0.85 and aspect <= 1.2 for fill, aspect in _shadows(points))


SHAPE_TESTS: dict[str, Callable[[Array], bool]] = {
    "round": _is_round, "oval": _is_oval, "cylindrical": _is_cylindrical, "tapered": _is_tapered,
    "rectangular": _is_rectangular, "square": _is_square,
}  # fmt: skip
"""Whether the word can be said of a body (N, 3); "curved", "ring-shaped" and "irregular" say nothing of outlines."""

CHECKS = (box, contacts, grips, region, shape)
