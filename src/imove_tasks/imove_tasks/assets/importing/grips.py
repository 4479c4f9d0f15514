"""Places to hold an imported asset: those of its source that fit the jaw, then measured ones of our own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from imove_core.transforms import apply
from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import Chords
from imove_tasks.assets.grasping import MAX_WIDTH_M, MIN_WIDTH_M, GripWish, measured_grip, usual_height
from imove_tasks.assets.importing.foreign import Grasp
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.stability import center_of_mass

GRIPS_PER_TILT = 8

_YAWS_RAD = np.radians(np.arange(0.0, 180.0, 15.0))
_TILTS_RAD = np.radians([0.0, 30.0, -30.0])
_STEEPEST_TILT_RAD = np.radians(45.0)
_OFFSETS = (0.0, -0.18, 0.18, -0.36, 0.36)  # of the box, from its centre
_SLOPE_STEP_M = 0.004  # half of a pad's half breadth
_STEEPEST_SLOPE = 0.36  # tangent of 20 degrees, well inside the friction of rubber on anything smooth
_LEAST_DEPTH_M = 0.006  # of a grip's centre below the top
_NEAR_RAD = np.radians(16.0)
_NEAR_M = 0.008  # grips closer than this with nearly the same yaw are one


def grips_of(
    parts: Sequence[CollisionPart], box_min: Array, box_max: Array, grasps: Sequence[Grasp], object_from_link: Array,
    journal: Journal,
) -> tuple[Grip, ...]:  # fmt: skip
    """Measured grips, best first, top-down ones before tilted ones.

    Best is near the centre of mass, then narrow. Yaws at which the object is wider than at the neighbouring ones,
    and places with sloping sides, are left out: there the pads would turn the object or slide off it.

    Args:
        parts: Contact parts.
        box_min: (3,) lower corner of the box, m.
        box_max: (3,) upper corner, m.
        grasps: Those of the source, in its link frame.
        object_from_link: (4, 4).
        journal: Takes how many of the source's do not fit.
    """
    chords = Chords(parts)
    table = float(box_min[2])
    stated = [grip for grasp in grasps if (grip := _stated(grasp, object_from_link, chords, table)) is not None]
    if len(stated) < len(grasps):
        journal.noted(f"{len(grasps) - len(stated)} of its {len(grasps)} grasps do not suit a jaw from above: left out")
    kept: list[Grip] = []
    wishes = _wishes(chords, box_min, box_max, center_of_mass(parts))
    for tilt in _TILTS_RAD:
        fitting = (grip for grip in stated if abs(_tilt(grip) - abs(tilt)) < _NEAR_RAD)
        own = (_measured(at, yaw, float(tilt), chords, table) for at, yaw in wishes)
        most = len(kept) + GRIPS_PER_TILT
        for grip in chain(fitting, own):
            if grip is not None and not any(_alike(grip, other) for other in kept):
                kept.append(grip)
            if len(kept) == most:
                break
    return tuple(sorted(kept, key=_tilt))


def _wishes(chords: Chords, box_min: Array, box_max: Array, middle: Array) -> list[tuple[Array, float]]:
    """Places (3,) on a grid over the box and yaws of least width there, best first."""
    size = box_max - box_min
    height = float(size[2])
    usual = usual_height(height)
    levels = dict.fromkeys((usual, min(max(0.7 * height, usual), height - _LEAST_DEPTH_M)))
    at = np.array(
        [
            [along * size[0], across * size[1], box_min[2] + z]
            for z in levels
            for along in _OFFSETS
            for across in _OFFSETS
        ]
    )
    closing = np.column_stack([np.cos(_YAWS_RAD), np.sin(_YAWS_RAD), np.zeros(len(_YAWS_RAD))])
    runs = np.stack([chords.intervals(at, axis) for axis in closing])  # (yaws, parts, places, 2)
    hit = runs[..., 0] < runs[..., 1]
    some = hit.any(1)
    low = np.where(some, np.where(hit, runs[..., 0], np.inf).min(1), 0.0)
    high = np.where(some, np.where(hit, runs[..., 1], -np.inf).max(1), np.inf)
    width = high - low
    narrow = width <= np.minimum(np.roll(width, 1, 0), np.roll(width, -1, 0)) + 1e-4
    fits = narrow & (width >= MIN_WIDTH_M) & (width <= MAX_WIDTH_M)
    shift = np.where(fits, (low + high) / 2.0, 0.0)
    centers = at[None] + shift[..., None] * closing[:, None]
    scores = np.linalg.norm(centers - middle, axis=-1) + np.where(fits, width, 0.0) / 2.0
    chosen = sorted(zip(*np.nonzero(fits), strict=True), key=lambda pair: (round(float(scores[pair]), 4), pair))
    return [(centers[pair], float(_YAWS_RAD[pair[0]])) for pair in chosen]


def _measured(at: Array, yaw_rad: float, tilt_rad: float, chords: Chords, table_z: float) -> Grip | None:
    grip = measured_grip(GripWish(yaw_rad=yaw_rad, tilt_rad=tilt_rad), chords, at, table_z)
    return grip if grip is not None and _faces_the_pads(grip, chords) else None


def _faces_the_pads(grip: Grip, chords: Chords) -> bool:
    """True where the surface under both pads is square enough to the closing axis that they do not slide off it.

    A slope is the change of a side's position over a step across or along the pad; a curve that bulges evenly has
    none at its middle.
    """
    across = np.cross(grip.approach, grip.closing_axis)
    for direction in (across, grip.approach):
        steps = np.stack([-direction, direction]) * _SLOPE_STEP_M
        runs = chords.intervals(grip.center + steps, grip.closing_axis)
        hit = runs[..., 0] < runs[..., 1]
        if not hit.any(0).all():
            continue  # thinner than a pad there: it lies against what is in the middle
        low = np.where(hit, runs[..., 0], np.inf).min(0)
        high = np.where(hit, runs[..., 1], -np.inf).max(0)
        if max(abs(low[1] - low[0]), abs(high[1] - high[0])) > 2.0 * _SLOPE_STEP_M * _STEEPEST_SLOPE:
            return False
    return True


def _stated(grasp: Grasp, object_from_link: Array, chords: Chords, table_z: float) -> Grip | None:
    """A grasp of the source as a measured grip; None when it comes from the side or below, or does not fit."""
    turn = object_from_link[:3, :3]
    closing, approach = turn @ grasp.closing_axis, turn @ grasp.approach
    if abs(closing[2]) > 0.05 or approach[2] > -np.cos(_STEEPEST_TILT_RAD):
        return None
    closing = np.array([closing[0], closing[1], 0.0]) / np.hypot(closing[0], closing[1])
    down = np.array([0.0, 0.0, -1.0])
    tilt = float(np.arctan2(approach @ np.cross(closing, down), approach @ down))
    wish = GripWish(yaw_rad=float(np.arctan2(closing[1], closing[0])), tilt_rad=tilt)
    return measured_grip(wish, chords, apply(object_from_link, grasp.center), table_z)


def _tilt(grip: Grip) -> float:
    return round(float(np.arccos(np.clip(-grip.approach[2], -1.0, 1.0))), 3)


def _alike(a: Grip, b: Grip) -> bool:
    return (
        float(np.linalg.norm(a.center - b.center)) < _NEAR_M
        and abs(float(a.closing_axis @ b.closing_axis)) > 0.97
        and float(a.approach @ b.approach) > 0.99
    )
