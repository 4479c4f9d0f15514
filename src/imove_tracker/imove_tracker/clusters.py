"""Connected things in an image that nothing explains yet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import ndimage

from imove_baselines.grounded_pick.cloud import ALL_NEIGHBOURS
from imove_core.transforms import Array
from imove_tracker.cloud import Mask, TableImage

LEAST_AREA_M2 = 2.0e-5
"""Smaller things are no object of the corpus: 4.5 mm squared."""


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
        area_m2 = float(local.sum()) * image.pixel_m**2
        if area_m2 < LEAST_AREA_M2:
            continue
        mask = np.zeros(free.shape, bool)
        mask[window] = local
        found.append(Cluster(mask, image.points[window][local], image.rgb[window][local] / 255.0, area_m2))
    return sorted(found, key=lambda cluster: -cluster.area_m2)
