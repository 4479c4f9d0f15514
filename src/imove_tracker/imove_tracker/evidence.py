"""What an image says for and against an object at a pose: its known shape is held against the measured depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from imove_core.clouds import ABOVE_TABLE_M
from imove_core.transforms import Array, apply
from imove_tracker.cloud import Mask, TableImage
from imove_tracker.shape import Shape

AGREES_M = 0.008
"""Measured and expected depth may differ by so much: edges, rounding, and a pose that is a few millimetres off."""
LEAST_SLACK_M = 0.003
"""Noise of a depth image, after speckles are taken out: what is as flat as this cannot be told from the table."""
_CELL_PIXELS = 2
_FACING = 0.05
"""Cosine between a surface's normal and the line of sight above which it is seen at all."""
_CLOSING = np.ones((3, 3), bool)


@dataclass(frozen=True, eq=False)
class Outline:
    """The part of an object's surface that a camera would see at a pose, were nothing in its way.

    Attributes:
        points: (N, 3) world, m.
        pixels: (N, 2) column and row of each, whole numbers; those beyond the image are left out.
        depth_m: (N,) expected along the optical axis.
        colors: (N, 3) sRGB, 0 to 1.
        cut: Share of the surface that is left out: it lies beyond the image, or nothing can be said of it.
    """

    points: Array
    pixels: NDArray[np.intp]
    depth_m: Array
    colors: Array
    cut: float

    def mask(self, shape: tuple[int, int]) -> Mask:
        """Pixels (H, W) that the object would cover."""
        covered = np.zeros(shape, bool)
        if not len(self.pixels):
            return covered
        low = np.maximum(self.pixels.min(axis=0) - 3, 0)
        high = self.pixels.max(axis=0) + 4
        window = covered[low[1] : high[1], low[0] : high[0]]
        window[self.pixels[:, 1] - low[1], self.pixels[:, 0] - low[0]] = True
        window[:] = ndimage.binary_closing(window, _CLOSING)
        return covered

    def without(self, hidden: Mask) -> Outline:
        """The part of it that lies beside some pixels (H, W)."""
        kept = ~hidden[self.pixels[:, 1], self.pixels[:, 0]]
        share = float(kept.mean()) if len(kept) else 0.0
        return Outline(
            self.points[kept], self.pixels[kept], self.depth_m[kept], self.colors[kept], 1.0 - (1.0 - self.cut) * share
        )


@dataclass(frozen=True)
class Evidence:
    """Shares of the surface that should be seen; they add up to 1 where there is depth everywhere.

    Attributes:
        agrees: Where the measured depth is the expected one.
        covered: Where something nearer is seen.
        absent: Where one sees past it.
        error_m: Mean difference of the depths that agree, without its sign.
    """

    agrees: float
    covered: float
    absent: float
    error_m: float

    @property
    def open(self) -> float:
        """Share about which the image says anything."""
        return self.agrees + self.absent

    @property
    def trust(self) -> float:
        """Of what the image shows, the share that agrees; 0 where it shows nothing."""
        return self.agrees / self.open if self.open > 0.0 else 0.0


def outline_of(image: TableImage, shape: Shape, pose: Array) -> Outline:
    """The surface that a camera sees of an object at a pose (4, 4), world frame."""
    points = apply(pose, shape.points)
    normals = shape.normals @ pose[:3, :3].T
    sight = points - image.world_from_camera[:3, 3]
    facing = np.einsum("nc,nc->n", normals, sight) < -_FACING * np.linalg.norm(sight, axis=1)
    chosen = np.flatnonzero(facing & (points[:, 2] > ABOVE_TABLE_M))
    exact, depth = image.pixels_of(points[chosen])
    pixels = np.rint(exact).astype(np.intp)
    height, width = image.shape
    inside = ((pixels >= 0) & (pixels < [width, height])).all(axis=1)
    total = max(len(chosen), 1)
    chosen, pixels, depth = chosen[inside], pixels[inside], depth[inside]
    front = _foremost(pixels, depth, image.shape)
    chosen, pixels, depth = chosen[front], pixels[front], depth[front]
    return Outline(points[chosen], pixels, depth, shape.colors[chosen], 1.0 - float(inside.sum()) / total)


def _foremost(pixels: NDArray[np.intp], depth: Array, shape: tuple[int, int]) -> NDArray[np.intp]:
    """Which points no other part of the object hides."""
    cells = pixels // _CELL_PIXELS
    keys = cells[:, 1] * (shape[1] // _CELL_PIXELS + 1) + cells[:, 0]
    nearest = np.full((shape[0] // _CELL_PIXELS + 1) * (shape[1] // _CELL_PIXELS + 1), np.inf)
    np.minimum.at(nearest, keys, depth)
    return np.flatnonzero(depth <= nearest[keys] + AGREES_M)


def evidence_for(image: TableImage, outline: Outline) -> Evidence:
    """Holds an expected surface against the measured depth."""
    if not len(outline.pixels):
        return Evidence(0.0, 0.0, 0.0, 0.0)
    agree, covered, absent, behind_m = judged(image, outline)
    scale = (1.0 - outline.cut) / len(outline.pixels)
    error_m = float(np.abs(behind_m[agree]).mean()) if agree.any() else 0.0
    return Evidence(float(agree.sum()) * scale, float(covered.sum()) * scale, float(absent.sum()) * scale, error_m)


def judged(image: TableImage, outline: Outline) -> tuple[Mask, Mask, Mask, Array]:
    """Which points (N,) of an expected surface agree, are covered, are absent; and how far behind them one sees, m.

    Where there is no depth a point is none of these. Of a flat object the table behind it is hardly farther: there a
    smaller difference tells.
    """
    measured = image.depth_m[outline.pixels[:, 1], outline.pixels[:, 0]]
    behind_m = measured - outline.depth_m
    slack_m = np.clip(outline.points[:, 2] / 2, LEAST_SLACK_M, AGREES_M)
    with np.errstate(invalid="ignore"):
        covered: Mask = behind_m < -AGREES_M
        absent: Mask = behind_m > slack_m
    agree = np.isfinite(measured) & ~covered & ~absent
    return agree, covered, absent, behind_m
