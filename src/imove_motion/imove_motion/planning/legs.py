"""The legs of a motion: waypoints of one arm with how fast to pass them, and the rows that come of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline

from imove_core.transforms import Array
from imove_motion.planning.collision import CollisionChecker
from imove_motion.planning.protocol import PlanningError
from imove_motion.planning.timing import SPAN_S, MotionLimits, curve_along, timed
from imove_motion.timing import hold

CURVE_STEP_RAD = 0.03
"""Joint travel between the points of a rounded curve that are looked at."""
SPAN_SHARES = (1.0, 0.5, 0.25)
"""Corners are cut less and less as long as the rounded curve touches something."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A part of a motion from rest to rest.

    Attributes:
        name: What it is for.
        waypoints: (m, size) of the arm: joints in rad and the gripper's opening in m.
        checker: What of the way was free along straight parts must be free along the curve; None where there is
            nothing to look at.
        slower: Factor by which speeds are divided.
        least_s: Least duration.
        pause_s: Rest at the end.
    """

    name: str
    waypoints: Array
    checker: CollisionChecker | None = None
    slower: float = 1.0
    least_s: float = 0.0
    pause_s: float = 0.0


def leg_rows(leg: Leg, limits: MotionLimits, rate_hz: float) -> Array:
    """Rows (T, size) of a leg, the first one period after its start; none where it goes nowhere without a pause."""
    limits = limits.slower(leg.slower)
    parts = [timed(curve, limits, rate_hz, leg.least_s) for curve in _curves(leg, limits)]
    if leg.pause_s:
        parts.append(hold(leg.waypoints[-1], leg.pause_s, rate_hz))
    return np.vstack(parts) if parts else np.empty((0, leg.waypoints.shape[1]))


def _curves(leg: Leg, limits: MotionLimits) -> list[BSpline]:
    """One curve where its corners can be cut, else one for each straight part."""
    for share in SPAN_SHARES:
        curve = curve_along(leg.waypoints, limits, share * SPAN_S)
        if curve is None:
            return []
        if leg.checker is None or len(leg.waypoints) == 2 or leg.checker.touch(_points(leg, curve)) is None:
            return [curve]
    parts = (curve_along(leg.waypoints[i : i + 2], limits) for i in range(len(leg.waypoints) - 1))
    return [part for part in parts if part is not None]


def _points(leg: Leg, curve: BSpline) -> Array:
    travel = float(np.abs(np.diff(leg.waypoints[:, :-1], axis=0)).max(axis=1).sum())
    count = int(np.ceil(travel / CURVE_STEP_RAD)) + 2
    points: Array = curve(np.linspace(0.0, curve.t[-1], count))[:, :-1]
    return points


def free_leg(leg: Leg) -> Leg:
    """The leg itself where its straight parts are free.

    Raises:
        PlanningError: They are not; names what touches.
    """
    if leg.checker is not None:
        touch = leg.checker.touch(leg.waypoints[:, :-1])
        if touch is not None:
            raise PlanningError("collision", f"on the {leg.name} {touch} touch")
    return leg
