"""From a wish ("hold it here, closing along that axis") to a measured grip.

Widths are read off the collision parts, so that a grip is true of what the fingers will touch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import rotation_about_axis
from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.convex import Chords

Array = NDArray[np.float64]

# Limits of a jaw that opens 0 to 70 mm, with 4 mm to spare on each side when it comes down.
MIN_WIDTH_M = 0.008
MAX_WIDTH_M = 0.062
MAX_OPENING_M = 0.066
PALM_M = 0.0575
"""Nothing of the object is further behind a grip's centre: the palm is 59.3 mm there, and a hand may come too deep."""

_ROUNDING_M = 1e-6
_PAD_HALF_HEIGHT_M = 0.009  # pads are 18 mm tall: half of one is below the grip's centre
_PAD_HALF_BREADTH_M = 0.014  # pads are 20 mm wide, and a hand may come down 4 mm beside where it should
_TABLE_CLEARANCE_M = 0.002
_LOWEST_CENTER_M = 0.010
_DEEPEST_CENTER_M = 0.055  # from the top, see PALM_M
_COLUMN_TOP_M = 0.062  # nothing of the object is higher above a centre, see _DEEPEST_CENTER_M
_COLUMN_STEP_M = 0.005
_MOST_BACK_M = 0.008  # a wish that leaves the palm no room is met by so much further out, but no more


@dataclass(frozen=True)
class Palm:
    """What of a hand is behind its pads, as seen from the middle between them.

    Attributes:
        distance_m: How far an object may reach back along the tool's z axis.
        half_face_m: Half sizes of the palm's face, sideways and along the closing direction.
    """

    distance_m: float
    half_face_m: tuple[float, float]


ANNOTATED_PALM = Palm(PALM_M, (0.032, 0.045))
"""The palm for which grips are annotated."""


@dataclass(frozen=True)
class GripWish:
    """Where a builder wants to hold its object.

    Attributes:
        x: Position in the builder's frame, m.
        y: Position in the builder's frame, m.
        height_m: Of the centre above the table; None for the usual one.
        yaw_rad: Direction of closing in the table plane; 0 is along x.
        tilt_rad: Turn of the approach about the closing axis; 0 is straight down.
        free_yaw: True when every yaw is as good.
    """

    x: float = 0.0
    y: float = 0.0
    height_m: float | None = None
    yaw_rad: float = 0.0
    tilt_rad: float = 0.0
    free_yaw: bool = False


def usual_height(object_height_m: float) -> float:
    """Height of a grip's centre above the table for an object of some height, m.

    Half way up low objects, a bit above the middle of tall ones, never so low that the pads scrape and never
    so deep that the palm hits the top.
    """
    height = object_height_m * (0.5 if object_height_m <= 0.04 else 0.55)
    return max(_LOWEST_CENTER_M, height, object_height_m - _DEEPEST_CENTER_M)


def measured_grip(wish: GripWish, chords: Chords, center: Array, table_z: float) -> Grip | None:
    """Measures a wish against the collision parts.

    Args:
        wish: What to hold; only its angles and ``free_yaw`` are read.
        chords: The object's collision parts.
        center: (3,) m, object frame; it is moved along the closing axis to the middle of the material there, and
            back a little where the palm would hit the object.
        table_z: Height of the resting plane in the object frame, m.

    Returns:
        The grip, or None when there is nothing at the centre or the jaw is too small or too coarse for it.
    """
    closing = np.array([np.cos(wish.yaw_rad), np.sin(wish.yaw_rad), 0.0])
    approach = rotation_about_axis(closing, wish.tilt_rad) @ np.array([0.0, 0.0, -1.0])
    excess = palm_excess_m(chords, center, closing, approach)
    if excess > _MOST_BACK_M:
        return None
    center = center - approach * max(0.0, excess)
    depth_m = float((center[2] - table_z - _TABLE_CLEARANCE_M) / -approach[2])
    return grip_at(chords, center, closing, approach, wish.free_yaw, depth_m)


def regripped(grip: Grip, chords: Chords, palm: Palm) -> Grip | None:
    """The grip as a hand with a nearer or a wider palm can take it: held further out where the palm would hit.

    Args:
        grip: A grip of the object.
        chords: The object's collision parts.
        palm: The palm of the hand.

    Returns:
        The grip, or None when there is nothing to hold so far out, or nothing that suits the jaw; or when it is a
        tilted one for every yaw, whose centre would leave the upright line about which it turns.
    """
    excess_m = palm_excess_m(chords, grip.center, grip.closing_axis, grip.approach, palm)
    if excess_m <= _ROUNDING_M:
        return grip
    if grip.free_yaw and grip.approach[2] > _ROUNDING_M - 1.0:
        return None
    center = grip.center - grip.approach * excess_m
    return grip_at(chords, center, grip.closing_axis, grip.approach, grip.free_yaw, grip.depth_m + excess_m)


def grip_at(
    chords: Chords, center: Array, closing: Array, approach: Array, free_yaw: bool, depth_m: float
) -> Grip | None:
    """The grip about the middle of the material on the line through a centre, None where the jaw does not suit it.

    Args:
        chords: The object's collision parts.
        center: (3,) m, object frame; it is moved along the closing axis.
        closing: (3,) unit vector along which the jaws close.
        approach: (3,) unit vector of the tool's z axis.
        free_yaw: Handed on to the grip.
        depth_m: Handed on to the grip.
    """
    runs = chords.intervals(center[None, :], closing)[:, 0, :]
    runs = runs[runs[:, 0] < runs[:, 1]]
    if len(runs) == 0:
        return None
    low, high = runs[:, 0].min(), runs[:, 1].max()  # jaws close from outside, also on a hollow thing
    middle = center + closing * (low + high) / 2.0
    width = high - low
    opening = max(width, _column_width(chords, middle, closing, approach))
    if not MIN_WIDTH_M <= width <= MAX_WIDTH_M or opening > MAX_OPENING_M:
        return None
    return Grip(
        center=middle,
        closing_axis=closing,
        approach=approach,
        width_m=round(float(width), 5),
        opening_m=round(float(opening), 5),
        free_yaw=free_yaw,
        depth_m=round(max(0.0, depth_m), 5),
    )


def palm_excess_m(chords: Chords, center: Array, closing: Array, approach: Array, palm: Palm = ANNOTATED_PALM) -> float:
    """How far the object reaches beyond where the palm of a hand at a grip may meet it; negative with room to spare.

    Args:
        chords: The object's collision parts.
        center: (3,) m, object frame, middle between the pads.
        closing: (3,) unit vector along which the jaws close.
        approach: (3,) unit vector of the tool's z axis.
        palm: The palm of the hand.
    """
    half_face = np.array(palm.half_face_m)
    # What of a convex part is in front of the palm's face reaches furthest on one of its edges, where that enters or
    # leaves, or at a corner of the face.
    lateral = np.cross(approach, closing)
    ends = (chords.edges - center) @ np.stack([lateral, closing, -approach], axis=1)
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = (np.stack([-half_face, half_face]) - start[:, None, :2]) / along[:, None, :2]
    inside = np.abs(start[:, :2]) <= half_face
    parallel = along[:, :2] == 0.0
    enters = np.where(parallel, np.where(inside, -np.inf, np.inf), bounds.min(axis=1)).max(axis=1).clip(min=0.0)
    leaves = np.where(parallel, np.where(inside, np.inf, -np.inf), bounds.max(axis=1)).min(axis=1).clip(max=1.0)
    crosses = enters <= leaves
    heights = start[crosses, 2:] + np.stack([enters, leaves], axis=1)[crosses] * along[crosses, 2:]
    signs = np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])
    corners = center + signs * half_face @ np.stack([lateral, closing])
    runs = chords.intervals(corners, -approach)
    runs = runs[runs[..., 0] < runs[..., 1]]
    return float(max(heights.max(initial=0.0), runs[:, 1].max(initial=0.0))) - palm.distance_m


def _column_width(chords: Chords, middle: Array, closing: Array, approach: Array) -> float:
    """Opening, centred on ``middle``, that clears all material in the way of pads and fingers, m."""
    lateral = np.cross(approach, closing)
    sideways = np.linspace(-_PAD_HALF_BREADTH_M, _PAD_HALF_BREADTH_M, 5)
    along = np.arange(-_PAD_HALF_HEIGHT_M, _COLUMN_TOP_M, _COLUMN_STEP_M)
    grid = middle + (sideways[:, None, None] * lateral - along[None, :, None] * approach).reshape(-1, 3)
    intervals = chords.intervals(grid, closing)
    hit = intervals[..., 0] < intervals[..., 1]
    return float(2.0 * np.abs(intervals[hit]).max()) if hit.any() else 0.0
