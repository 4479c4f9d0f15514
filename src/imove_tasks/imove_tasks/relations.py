"""Spatial relations between objects on the table, robot-centric, with an excluded band around each border.

A relation either clearly holds, clearly does not hold, or lies in the band between, where people would disagree; scenes
are made so that nothing that matters lies in a band. Places are the origins of objects (centres of their boxes) seen
from above.
"""

from typing import NamedTuple

import numpy as np

from imove_core.transforms import Array

DIRECTIONS = {
    "left_of": np.array([0.0, 1.0]),
    "right_of": np.array([0.0, -1.0]),
    "in_front_of": np.array([1.0, 0.0]),
    "behind": np.array([-1.0, 0.0]),
}
"""Unit vectors (x, y) of the directional relations; in front of is farther from the robot, as in the release."""
HOLDS_WITHIN_RAD = np.deg2rad(35.0)
"""Jitter about a direction in the reference release's spatial layouts."""
FAILS_BEYOND_RAD = np.deg2rad(80.0)
"""Beyond this angle nobody would use the word; the band between covers the diagonal."""
DIRECTIONAL_RANGE_M = (0.05, 0.50)
NEAR_M = (0.0, 0.15)
"""Farthest distance of `near` in the reference release; its nearest, 0.10 m, is a matter of room for two objects."""
FAR_M = (0.30, 2.0)
"""Nearest distance of `far from` in the reference release."""
BAND_M = 0.05
"""A distance this far outside of a band clearly is not in it: the margin of the reference release."""


class Verdict(NamedTuple):
    """Whether a relation clearly holds, and whether it clearly fails; in the band between it does neither."""

    holds: bool
    fails: bool


def judge(relation: str, place: Array, reference: Array) -> Verdict:
    """Judges whether `place` has a relation to `reference`.

    Args:
        relation: One of `imove_core.meaning.SPATIAL_RELATIONS`.
        place: (2,) x, y of the object, world frame, m.
        reference: (2,) x, y of the reference object, world frame, m.
    """
    offset = np.asarray(place, dtype=float) - reference
    distance_m = float(np.hypot(*offset))
    if relation in DIRECTIONS:
        along = float(offset @ DIRECTIONS[relation])
        angle = float(np.arctan2(abs(offset @ DIRECTIONS[relation][::-1]), along))
        low, high = DIRECTIONAL_RANGE_M
        return Verdict(angle <= HOLDS_WITHIN_RAD and low <= distance_m <= high, angle >= FAILS_BEYOND_RAD)
    low, high = NEAR_M if relation == "near" else FAR_M
    return Verdict(low <= distance_m <= high, distance_m < low - BAND_M or distance_m > high + BAND_M)
