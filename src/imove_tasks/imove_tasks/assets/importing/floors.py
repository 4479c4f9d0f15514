"""Finds where things can be put on or in an asset, by looking down on its contact parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import label

from imove_tasks.assets.affordances import Region
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import Chords
from imove_tasks.assets.model import CollisionPart

_CELLS = 41  # across each side of the box
_LEVEL_M = 0.003  # a floor may curve by this much
_LEAST_HALF_M = 0.012


def floor_of(parts: Sequence[CollisionPart], box_min: Array, box_max: Array) -> Region | None:
    """The level floor nearest to the middle of the box, seen from above; None when it is too small.

    Rays go straight down onto the contact parts, so a hollow counts only where it is open to contacts too. The
    region is the larger of the box and the ellipse about the floor's centre whose cells are all level.
    """
    axes = [np.linspace(box_min[k], box_max[k], _CELLS + 2)[1:-1] for k in range(2)]
    x, y = np.meshgrid(*axes, indexing="ij")
    from_above = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, box_max[2])])
    runs = Chords(parts).intervals(from_above, (0.0, 0.0, -1.0))
    entry = np.where(runs[..., 0] < runs[..., 1], runs[..., 0], np.inf).min(0)
    depth = entry.reshape(x.shape)
    center = _CELLS // 2
    middle = depth[center - 1 : center + 2, center - 1 : center + 2]
    if not np.isfinite(middle).all():
        return None
    surface = float(np.median(middle))
    level = np.abs(depth - surface) <= _LEVEL_M
    pieces, _ = label(level)
    floor = pieces == pieces[center, center]
    if not pieces[center, center]:
        return None
    cells = np.stack([x[floor], y[floor]], -1)
    low, high = cells.min(0), cells.max(0)
    at = (low + high) / 2.0
    half = (high - low) / 2.0
    offsets = np.stack([x - at[0], y - at[1]], -1)
    best: Region | None = None
    for round_ in (True, False):
        size = _fitting(floor, offsets, half, round_)
        area = size[0] * size[1] * (np.pi if round_ else 4.0)
        if min(size) >= _LEAST_HALF_M and (
            best is None or area > 1.05 * best.half_extents[0] * best.half_extents[1] * np.pi
        ):
            best = Region(np.array([*at, box_max[2] - surface]), (round(size[0], 5), round(size[1], 5)), round_)
    return best


def _fitting(floor: Array, offsets: Array, half: Array, round_: bool) -> tuple[float, float]:
    """Largest half sizes, shrunk evenly from those of the floor's box, that hold level cells alone."""
    for share in np.linspace(1.0, 0.2, 33):
        scaled = offsets / (half * share + 1e-9)
        inside = (scaled**2).sum(-1) <= 1.0 if round_ else (np.abs(scaled) <= 1.0).all(-1)
        if floor[inside].all():
            return float(half[0] * share), float(half[1] * share)
    return 0.0, 0.0
