"""Convex contact pieces: those of the source where they are convex and fit, else cut from what is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.importing.foreign import Faces, Foreign, ForeignMesh
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.simplify import hull_volume, simpler_hull
from imove_tasks.assets.importing.welding import components, open_edges, volume, welded

Decompose = Callable[[Array, Faces], list[Array]]
"""Cuts a closed mesh (vertices (N, 3), faces (M, 3)) into convex pieces, each (K, 3) points."""

MAX_PIECES = 32
"""Of a decomposition."""

MAX_GIVEN_PIECES = 64
"""Of a source; beyond, their contacts cost more than the arms."""

LEAST_VOLUME_M3 = 1e-9
"""Of a piece, a cubic millimetre: thinner ones upset contacts."""

_CONVEX_SHARE = 0.9  # of its hull that a piece must fill to count as convex
_MOST_OUTSIDE = 0.10  # of the longest side that contacts may stand out of what is seen
_LEAST_SHARE = 0.3  # of the box that contacts must span; stems, leaves and cords need touch nothing


def best_decomposition() -> Decompose | None:
    """CoACD where it is installed, else None."""
    try:
        import coacd
    except ImportError:
        return None

    def decompose(vertices: Array, faces: Faces) -> list[Array]:
        coacd.set_log_level("error")
        pieces = coacd.run_coacd(
            coacd.Mesh(vertices, faces.astype(np.int32)), threshold=0.05, max_convex_hull=MAX_PIECES, seed=0
        )
        return [np.asarray(points, np.float64) for points, _ in pieces]

    return decompose


def convex_pieces(
    foreign: Foreign, visuals: Sequence[ForeignMesh], decompose: Decompose | None, journal: Journal
) -> list[Array]:
    """Points (K, 3) of each convex piece, in the frame and unit of the asset, m.

    Args:
        foreign: The asset; its contacts and solids are taken when their box fits that of the visuals.
        visuals: What is seen, in few faces.
        decompose: Cuts a mesh that is not convex; None takes its hull.
        journal: Takes what was changed.

    Raises:
        AssetError: Neither gives a piece with a volume.
    """
    pieces = [solid.points for solid in foreign.solids]
    for mesh in foreign.contacts:
        pieces.extend(_pieces_of(mesh.vertices, mesh.faces, decompose, journal))
    low, high = foreign.box
    pieces = _simplified(pieces)
    if pieces:
        points = np.concatenate(pieces)
        out = float(np.concatenate([low - points.min(0), points.max(0) - high]).max())
        share = float(np.prod(np.ptp(points, axis=0) / (high - low)))
        if out > _MOST_OUTSIDE * float((high - low).max()) or share < _LEAST_SHARE:
            journal.repaired(
                f"its collision geometry does not fit what is seen ({out * 1e3:.0f} mm outside, its box {share:.0%} as "
                "large): built anew"
            )
            pieces = []
        elif len(pieces) > MAX_GIVEN_PIECES:
            journal.repaired(
                f"its collision geometry has {len(pieces)} pieces, allowed are {MAX_GIVEN_PIECES}: built anew"
            )
            pieces = []
    if not pieces:
        offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in visuals[:-1])])
        faces = np.concatenate([mesh.faces + offset for mesh, offset in zip(visuals, offsets, strict=True)])
        vertices = np.concatenate([mesh.vertices for mesh in visuals])
        pieces = _simplified(_pieces_of(vertices, faces, decompose, journal))
    if not pieces:
        raise AssetError("it is flat: its meshes enclose no volume that could touch anything")
    return pieces


def _pieces_of(vertices: Array, faces: Faces, decompose: Decompose | None, journal: Journal) -> list[Array]:
    """The mesh's connected pieces where all are convex, else a decomposition, else one hull."""
    # As the file has them first: pieces that touch would grow together when their corners are joined.
    apart = _parts(vertices, faces)
    if all(_is_closed_and_convex(vertices, part) for part in apart):
        return [vertices[np.unique(part)] for part in apart]
    points, triangles, _ = welded(vertices, faces)
    if len(triangles) == 0:
        return []
    parts = _parts(points, triangles)
    if all(_is_convex(points, part) for part in parts):
        return [points[np.unique(part)] for part in parts]
    found = [] if decompose is None else decompose(points, triangles)
    if found:
        journal.noted(f"its contacts are {len(found)} convex pieces cut from a mesh that is not convex")
        return found
    why = "no decomposer (coacd) is installed" if decompose is None else "its mesh cannot be cut"
    journal.noted(f"its contacts are one convex hull, since {why}: hollows are filled")
    return [points]


def _parts(points: Array, faces: Faces) -> list[Faces]:
    piece = components(faces, len(points))
    order = np.argsort(piece, kind="stable")
    return np.split(faces[order], np.flatnonzero(np.diff(piece[order])) + 1)


def _is_closed_and_convex(points: Array, faces: Faces) -> bool:
    return len(open_edges(faces)) == 0 and _is_convex(points, faces)


def _is_convex(points: Array, faces: Faces) -> bool:
    corners = points[np.unique(faces)]
    hull = hull_volume(corners)
    if hull <= 0.0:
        return True  # flat: dropped later
    extent = float(np.ptp(corners, axis=0).max())
    if len(open_edges(faces)):
        # Without an inside, all corners on the hull is the test: a dent would have corners off it.
        planes = convex_hull(corners).equations
        depth = -(corners @ planes[:, :3].T + planes[:, 3]).min(1)
        return bool(depth.max() < 0.02 * extent)
    return abs(volume(points, faces)) >= _CONVEX_SHARE * hull


def _simplified(pieces: Sequence[Array]) -> list[Array]:
    """Pieces with a volume, each with few corners."""
    return [simpler_hull(points) for points in pieces if len(points) >= 4 and hull_volume(points) > LEAST_VOLUME_M3]
