"""The plane of the table, from points that a depth camera or a board gives."""

from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.transforms import Array

FEWEST_POINTS = 50
INLIER_M = 0.006
"""Noise of a D455 at the height of a static camera is 2 to 4 mm; a coaster is thicker than this."""
ROUNDS = 200


@dataclass(frozen=True)
class Plane:
    """A plane: points p with normal . p = offset.

    Attributes:
        normal: (3,) unit vector, upwards: its z is not negative.
        offset_m: Signed distance from the origin along the normal.
        rms_m: Of the points that belong to it.
        share: Of all points that belong to it.
    """

    normal: Array
    offset_m: float
    rms_m: float
    share: float

    @property
    def tilt_rad(self) -> float:
        """Angle between the normal and the z axis."""
        return float(np.arccos(np.clip(self.normal[2], -1.0, 1.0)))

    def heights_m(self, points: Array) -> Array:
        """Signed heights (N,) of points (N, 3) above the plane."""
        return np.asarray(points @ self.normal - self.offset_m)


def fit_plane(points: Array, rng: np.random.Generator, inlier_m: float = INLIER_M) -> Plane:
    """The plane on which most points lie.

    Args:
        points: (N, 3) m, in a frame whose z points up, or nearly so.
        rng: Draws the triples that are tried.
        inlier_m: A point farther from a plane does not belong to it.

    Raises:
        ImoveError: There are too few points, or they lie on a line.
    """
    points = np.asarray(points, dtype=np.float64)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < FEWEST_POINTS:
        raise ImoveError(f"the table shows {len(points)} points; at least {FEWEST_POINTS} are needed")
    best, most = None, 0
    for _ in range(ROUNDS):
        first, second, third = points[rng.choice(len(points), 3, replace=False)]
        normal = np.cross(second - first, third - first)
        length = np.linalg.norm(normal)
        if length < 1e-8:
            continue
        near = np.abs((points - first) @ (normal / length)) < inlier_m
        if near.sum() > most:
            best, most = near, int(near.sum())
    if best is None:
        raise ImoveError("the points of the table lie on a line; look at a larger part of it")
    for _ in range(3):
        # A triple is noisy: what belongs to the plane is told better from the plane of all that do.
        middle = points[best].mean(axis=0)
        normal = np.linalg.svd(points[best] - middle, full_matrices=False)[2][2]
        best = np.abs((points - middle) @ normal) < inlier_m
    normal = normal if normal[2] >= 0 else -normal
    offset_m = float(normal @ middle)
    gaps = points[best] @ normal - offset_m
    return Plane(normal, offset_m, float(np.sqrt(np.mean(gaps**2))), float(best.mean()))
