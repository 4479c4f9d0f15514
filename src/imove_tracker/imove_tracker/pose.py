"""Place and turn of an object on a plane: its known outline, as the camera would see it, laid over the seen one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from imove_core.transforms import Array, rotation_about_axis
from imove_tracker.cloud import Mask, TableImage
from imove_tracker.evidence import Evidence, Outline, evidence_for, outline_of
from imove_tracker.shape import Shape

RENDERINGS = 3
"""How often the outline is worked out anew: what a camera sees of a tall object changes as it moves."""
ITERATIONS = 12
TRIMMED = 0.85
"""Share of the pairs of points that counts: the rest may be a shadow of the depth, or another object."""
HOPELESS_PIXELS = 4.5
"""Outlines of pixels are half a pixel off at best; on a VGA camera 0.85 m above the table this is 10 mm."""
SETTLED_M = 2e-4
HEIGHT_TOLERANCE_M = 0.006
"""An object that seems so little higher than it would on the table is on the table."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A pose and what speaks for it.

    Attributes:
        pose: (4, 4) world_from_object.
        evidence: Of the image.
        error_m: Mean distance of the two outlines.
        hopeless_m: Such a distance at which they have nothing to do with each other.
    """

    pose: Array
    evidence: Evidence
    error_m: float
    hopeless_m: float

    @property
    def score(self) -> float:
        """1 for a perfect fit, 0 for none."""
        return self.evidence.trust * max(0.0, 1.0 - self.error_m / self.hopeless_m)


def turned(pose: Array, yaw_rad: float) -> Array:
    """A pose (4, 4) turned about the vertical through its own origin."""
    result = pose.copy()
    result[:3, :3] = rotation_about_axis([0.0, 0.0, 1.0], yaw_rad) @ pose[:3, :3]
    return result


def fit_pose(image: TableImage, shape: Shape, seen: Mask, start: Array, *, find_height: bool = False) -> Fit:
    """Fits x, y and yaw of an object.

    Args:
        image: The image.
        shape: Of the object.
        seen: (H, W) its pixels, or part of them.
        start: Pose (4, 4) to begin at.
        find_height: Whether its height is to be found too, as of what lies in or on something.
    """
    edge, whole = _edge_pixels(image, seen)
    fit = _fitted(image, shape, edge, start, whole)
    return _raised(image, shape, fit) if find_height else fit


def _fitted(image: TableImage, shape: Shape, edge: Array, pose: Array, whole: bool) -> Fit:
    error_m = 1.0
    outline = outline_of(image, shape, pose)
    for number in range(RENDERINGS):
        own = outline.mask(image.shape)
        expected = _border(own)
        if len(edge) < 4 or len(expected) < 4:
            break
        height_m = float(np.median(outline.points[:, 2]))
        step, error_m = _aligned(
            image.on_plane(expected, height_m), image.on_plane(edge, height_m), middles_first=whole and not number
        )
        before, pose = pose, step @ pose
        outline = outline_of(image, shape, pose)
        if np.abs(pose - before).max() < SETTLED_M:
            break
    return Fit(pose, evidence_for(image, outline), error_m, HOPELESS_PIXELS * image.pixel_m)


def _aligned(expected: Array, seen: Array, *, middles_first: bool) -> tuple[Array, float]:
    """The plane motion (4, 4) of an expected outline (K, 2) onto a seen one (M, 2), and their distance after it.

    Points of long straight edges find partners beside them, not along them: middles that meet first spare many rounds.
    """
    total = np.eye(4)
    if middles_first:
        total[:2, 3] = (seen.min(axis=0) + seen.max(axis=0) - expected.min(axis=0) - expected.max(axis=0)) / 2
    moved = expected + total[:2, 3]
    tree, error_m = cKDTree(seen), 1.0
    for _ in range(ITERATIONS):
        # Both ways: each point of either outline has a partner, so that neither can shrink into the other.
        away, partner = tree.query(moved)
        back, other = cKDTree(moved).query(seen)
        sources = np.vstack([moved, moved[other]])
        goals = np.vstack([seen[partner], seen])
        distances = np.concatenate([away, back])
        kept = distances <= np.quantile(distances, TRIMMED)
        error_m = float(distances[kept].mean())
        step = _rigid(sources[kept], goals[kept])
        before, moved = moved, moved @ step[:2, :2].T + step[:2, 2]
        whole = np.eye(4)
        whole[:2, :2], whole[:2, 3] = step[:2, :2], step[:2, 2]
        total = whole @ total
        if np.abs(moved - before).max() < SETTLED_M / 2:
            break
    return total, error_m


def _rigid(sources: Array, goals: Array) -> Array:
    """The rotation and shift (3, 3) of the plane that brings points (K, 2) nearest to others (Kabsch)."""
    middle, other = sources.mean(axis=0), goals.mean(axis=0)
    covariance = (sources - middle).T @ (goals - other)
    angle = np.arctan2(covariance[0, 1] - covariance[1, 0], covariance[0, 0] + covariance[1, 1])
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin], [sin, cos]])
    motion = np.eye(3)
    motion[:2, :2], motion[:2, 2] = turn, other - turn @ middle
    return motion


def _border(mask: Mask) -> Array:
    """Columns and rows (K, 2) of the outermost pixels of a mask."""
    rows, columns = np.nonzero(mask & ~ndimage.binary_erosion(mask))
    return np.column_stack([columns, rows]).astype(float)


def _edge_pixels(image: TableImage, seen: Mask) -> tuple[Array, bool]:
    """Columns and rows (M, 2) of the true edge of what is seen, and whether that is all of its edge.

    The edge is true where one sees past it, not where something covers it.
    """
    border = seen & ~ndimage.binary_erosion(seen)
    depth = np.where(np.isfinite(image.depth_m), image.depth_m, np.inf)
    own = np.where(seen, depth, -np.inf)
    # Nearest thing about each pixel that is not the object itself, against the object's own depth there.
    others = ndimage.minimum_filter(np.where(seen, np.inf, depth), 3)
    covered = border & (others < ndimage.maximum_filter(own, 3) - 0.01)
    rows, columns = np.nonzero(border & ~covered)
    return np.column_stack([columns, rows]).astype(float), bool(covered.sum() < 0.1 * border.sum())


def _raised(image: TableImage, shape: Shape, fit: Fit) -> Fit:
    """The fit at the height at which most of the surface is seen."""
    outline = outline_of(image, shape, fit.pose)
    off_m = _depth_offset(image, outline)
    # Nothing lies lower than on the table; what seems to is seen past.
    if off_m >= -HEIGHT_TOLERANCE_M:
        return fit
    pose = fit.pose.copy()
    # Along the line of sight, so that it stays where it is seen.
    sight = pose[:3, 3] - image.world_from_camera[:3, 3]
    pose[:3, 3] += sight / np.linalg.norm(sight) * off_m
    return replace(fit, pose=pose, evidence=evidence_for(image, outline_of(image, shape, pose)))


def _depth_offset(image: TableImage, outline: Outline) -> float:
    if not len(outline.pixels):
        return 0.0
    behind = image.depth_m[outline.pixels[:, 1], outline.pixels[:, 0]] - outline.depth_m
    behind = behind[np.isfinite(behind)]
    return float(np.median(behind)) if len(behind) else 0.0
