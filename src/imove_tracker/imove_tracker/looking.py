"""Everything that one image says of all objects, at the poses that they should have."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from scipy import ndimage

from imove_core.clouds import ALL_NEIGHBOURS
from imove_core.transforms import Array
from imove_tracker.arm_mask import MARGIN_M, ArmMask
from imove_tracker.cloud import Mask, TableImage
from imove_tracker.evidence import evidence_for, judged, outline_of
from imove_tracker.known import KnownObject

GROWN_PIXELS = 2
"""Edges of an explained object that are not explained by it, from rounding and small errors of its pose."""


class Looks:
    """One image held against the objects of an episode; what is asked for is worked out once."""

    def __init__(
        self,
        image: TableImage,
        arms: ArmMask,
        positions: Array,
        known: Mapping[str, KnownObject],
        poses: Mapping[str, Array],
    ) -> None:
        """Looks at an image.

        Args:
            image: The image.
            arms: Of the rig.
            positions: (D,) of the joints when it was exposed.
            known: The objects, by id.
            poses: (4, 4) of those that may be in the picture, by id.
        """
        self.image = image
        self._arms = arms
        self._positions = positions
        self.outlines = {name: outline_of(image, known[name].shape, pose) for name, pose in poses.items()}
        """What the camera would see of each."""
        self.evidence = {name: evidence_for(image, outline) for name, outline in self.outlines.items()}
        """What it says of each."""
        self._explained: dict[str, Mask] = {}

    def explained(self, name: str) -> Mask:
        """Pixels (H, W) that are what they are since the object is where it is, with a margin at its edge."""
        if name not in self._explained:
            outline = self.outlines[name]
            agreeing, covered = np.zeros(self.image.shape, bool), np.zeros(self.image.shape, bool)
            agree, nearer, _, _ = judged(self.image, outline)
            for mask, chosen in ((agreeing, agree), (covered, nearer)):
                pixels = outline.pixels[chosen]
                mask[pixels[:, 1], pixels[:, 0]] = True
            self._explained[name] = grown(ndimage.binary_closing(agreeing, ALL_NEIGHBOURS)) & ~(covered & ~agreeing)
        return self._explained[name]

    def free(self, wanted: Collection[str]) -> Mask:
        """Pixels (H, W) above the table that are no arm's and of no object but those that are looked for."""
        free = self.free_of_objects(wanted)
        return free & ~self._arms.own(self.image, free, self._positions)

    def free_of_objects(self, wanted: Collection[str]) -> Mask:
        """Pixels (H, W) above the table that show no object but those that are looked for, arms included."""
        above = self.image.above_table()
        for name in self.outlines:
            if name not in wanted:
                above &= ~self.explained(name)
        return above

    def covered_by_stranger(self, name: str) -> float:
        """Share of an object's surface that is covered by what is neither arm nor another object."""
        outline = self.outlines[name]
        pixels = outline.pixels[judged(self.image, outline)[1]]
        for other in self.outlines:
            if other != name and len(pixels):
                pixels = pixels[~self.explained(other)[pixels[:, 1], pixels[:, 0]]]
        if not len(pixels):
            return 0.0
        points = self.image.points[pixels[:, 1], pixels[:, 0]]
        strange = self._arms.distances(points, self._positions) >= MARGIN_M
        return float(strange.sum()) / len(outline.pixels)


def grown(mask: Mask) -> Mask:
    """A mask (H, W) with a margin about it."""
    wider: Mask = ndimage.binary_dilation(mask, iterations=GROWN_PIXELS)
    return wider


def connected(free: Mask, own: Mask) -> Mask:
    """The connected parts of some pixels (H, W) that touch others (H, W)."""
    labels, count = ndimage.label(free, structure=ALL_NEIGHBOURS)
    touched = np.zeros(count + 1, bool)
    touched[labels[own]] = True
    touched[0] = False
    parts: Mask = touched[labels]
    return parts
