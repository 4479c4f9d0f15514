"""What in an image belongs to an arm: whatever is within the capsules about its links, at the measured joints."""

from __future__ import annotations

import numpy as np

from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_motion.safety.bodies import ArmBody
from imove_motion.safety.capsules import Capsules
from imove_tracker.cloud import Mask, TableImage

MARGIN_M = 0.015
"""Shells are wider than collision shapes, joints are measured a little late, and calibration is not exact."""


class ArmMask:
    """The arms of a rig as capsules."""

    def __init__(self, rig: Rig) -> None:
        """Collects the capsules of all arms."""
        self._rig = rig
        self._bodies = {arm.name: ArmBody(arm) for arm in rig.arms}

    def distances(self, points: Array, positions: Array) -> Array:
        """Distances (N,) of world points (N, 3) from the nearest arm at joint positions (D,), m; negative inside."""
        nearest = np.full(len(points), np.inf)
        for name, own in self._rig.split(np.asarray(positions, float)).items():
            placed = self._bodies[name].placed(own[None, :-1], own[None, -1])
            np.minimum(nearest, _distances(points, placed.capsules), out=nearest)
        return nearest

    def own(self, image: TableImage, among: Mask, positions: Array) -> Mask:
        """Pixels (H, W), of those asked about, that show an arm at joint positions (D,)."""
        found = np.zeros(among.shape, bool)
        rows, columns = np.nonzero(among)
        near = self.distances(image.points[rows, columns], positions) < MARGIN_M
        found[rows[near], columns[near]] = True
        return found


def _distances(points: Array, capsules: Capsules) -> Array:
    nearest = np.full(len(points), np.inf)
    for start, end, radius in zip(capsules.starts[0], capsules.ends[0], capsules.radii, strict=True):
        along = end - start
        share = (points - start) @ along / max(float(along @ along), 1e-12)
        away = points - (start + np.clip(share, 0.0, 1.0)[:, None] * along)
        np.minimum(nearest, np.sqrt(np.einsum("nc,nc->n", away, away)) - radius, out=nearest)
    return nearest
