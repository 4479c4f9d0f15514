"""Connected things in an image that nothing explains yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import ndimage

from imove_core.clouds import ALL_NEIGHBOURS
from imove_core.transforms import Array
from imove_tracker.cloud import Mask, TableImage

LEAST_AREA_M2 = 2.0e-5
"""Smaller things are no object of the corpus: 4.5 mm squared."""
LEAST_OVERLAP = 0.3
"""An object is part of a cluster that covers so much of where it should be."""
LEAST_OF_ALL = 0.75
"""Several objects are in a cluster that is at least this share of all of them."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """One connected thing.

    Attributes:
        mask: (H, W) its pixels.
        points: (N, 3) world points of its visible surface, m.
        colors: (N, 3) sRGB, 0 to 1.
        area_m2: Of what is seen of it, from straight above the camera's pixels.
    """

    mask: Mask
    points: Array
    colors: Array
    area_m2: float

    @cached_property
    def middle(self) -> Array:
        """Middle (2,) of the upright rectangle about it, world frame, m; a mean would follow the side that is seen."""
        low, high = self.points[:, :2].min(axis=0), self.points[:, :2].max(axis=0)
        centre: Array = (low + high) / 2
        return centre

    @cached_property
    def top_m(self) -> float:
        """Height of its top above the table; the very highest points may be noise."""
        return float(np.percentile(self.points[:, 2], 98))

    @cached_property
    def color(self) -> Array:
        """(3,) mean colour."""
        mean: Array = self.colors.mean(axis=0)
        return mean


def clusters_of(image: TableImage, free: Mask) -> list[Cluster]:
    """Connected things among some pixels (H, W), largest first."""
    labels, count = ndimage.label(free, structure=ALL_NEIGHBOURS)
    found = []
    for number, window in enumerate(ndimage.find_objects(labels, count), start=1):
        if window is None:
            continue
        local = labels[window] == number
        if float(local.sum()) * image.pixel_m**2 < LEAST_AREA_M2:
            continue
        mask = np.zeros(free.shape, bool)
        mask[window] = local
        found.append(_cluster(image, mask))
    return sorted(found, key=lambda cluster: -cluster.area_m2)


def split_apart(image: TableImage, clusters: Sequence[Cluster], expected: Sequence[Mask]) -> list[Cluster]:
    """Cuts clusters that are several objects, which touch in the image, between where the objects should be.

    Args:
        image: The image.
        clusters: As they are connected.
        expected: (H, W) pixels that each object should cover.
    """
    result = []
    for cluster in clusters:
        inside = [mask for mask in expected if (mask & cluster.mask).sum() > LEAST_OVERLAP * max(int(mask.sum()), 1)]
        area = float(sum(mask.sum() for mask in inside))
        if len(inside) < 2 or cluster.mask.sum() < LEAST_OF_ALL * area:
            result.append(cluster)
            continue
        away = np.array([ndimage.distance_transform_edt(~mask) for mask in inside])
        nearest = away.argmin(axis=0)
        parts = [cluster.mask & (nearest == number) for number in range(len(inside))]
        result.extend(_cluster(image, part) for part in parts if part.any())
    return result


def _cluster(image: TableImage, mask: Mask) -> Cluster:
    area_m2 = float(mask.sum()) * image.pixel_m**2
    return Cluster(mask, image.points[mask], image.rgb[mask] / 255.0, area_m2)
