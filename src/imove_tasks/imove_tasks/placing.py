"""Which objects can be put in or on which others, and where on the floor of the other one they then stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array
from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import Asset

FLOOR_MARGIN_M = 0.004
"""An outline stays this far inside of a floor: what a hand is off by when it lets go."""
FIT_MARGIN_M = 0.005
"""The same with a little to spare, so that what fits still does once both objects have settled."""
YAW_STEPS = 24
"""Turns of an object that are tried, evenly over a full turn."""
OFF_MIDDLE = ((0.0, 0.0), *((x, y) for x in (-0.6, 0.0, 0.6) for y in (-0.6, 0.0, 0.6) if x or y))
"""Places on a floor that are tried, as shares of the room that an outline leaves."""
FLAT_DEPTH_M = 0.005
"""A rim lower than this keeps nothing from rolling or sliding off."""
LEAST_FLAT_TIP_RAD = 0.20
"""What stands on a floor without rim must not tip, or roll off, below this slope."""
MOST_DROP_M = 0.035
"""Farthest that a hand lets an object fall; from twice as high, round things jump out of bowls."""
TIP_BELOW_GRIP_M = 0.010
"""How far finger tips reach below the middle of a grip."""
FINGERS_ALONG_M = 0.027
"""How far open fingers reach beyond half a grip's opening, along the closing axis."""
FINGERS_ACROSS_M = 0.022
"""Half the room that fingers need across the closing axis."""
FINGERS_DEEP_M = 0.045
"""How deep fingers reach into a container before the rail on which they run meets its rim."""


class Floor(Protocol):
    """The floor of a container: `affordances.Region` and `spec.PlaceRegion` are such."""

    @property
    def half_extents(self) -> tuple[float, float]:
        """Half sizes along x and y, m."""
        ...

    @property
    def round(self) -> bool:
        """True when it is the ellipse inscribed in those half sizes."""
        ...


class Stand(NamedTuple):
    """Where an object's origin is on a floor, m from its middle, and how the object is turned about z, rad."""

    x: float
    y: float
    yaw_rad: float


def outline(asset: Asset, rotation: Array) -> Array:
    """(K, 2) convex hull of an object seen from above about its origin, m, when it is turned by (3, 3)."""
    if rotation[2, 2] > 1.0 - 1e-4:
        turned: Array = asset.footprint @ rotation[:2, :2].T
        return turned
    points = np.concatenate([mesh.vertices for mesh in asset.visuals]) @ rotation[:2].T
    hull: Array = points[convex_hull(points).vertices]
    return hull


def on_floor(points: Array, floor: Floor, margin_m: float = 0.0) -> NDArray[np.bool_]:
    """Which of points (N, 2), m from the floor's middle along its axes, lie on it, this far inside of its border."""
    half = np.subtract(floor.half_extents, margin_m)
    if half.min() <= 0.0:
        return np.zeros(len(points), dtype=bool)
    shares = np.abs(points) / half
    reach = np.hypot(shares[:, 0], shares[:, 1]) if floor.round else shares.max(axis=1)
    within: NDArray[np.bool_] = reach <= 1.0
    return within


def stands(asset: Asset, rotation: Array, floor: Floor, margin_m: float = FLOOR_MARGIN_M) -> Iterator[Stand]:
    """Yields where an object can stand with its whole outline on a floor; in the floor's middle first.

    Args:
        asset: The object.
        rotation: (3, 3) floor_from_object before it is turned about z.
        floor: The floor.
        margin_m: Room that is left to the floor's border.
    """
    flat, half = outline(asset, rotation), np.subtract(floor.half_extents, margin_m)
    # Counted from the floor's axes, so that what fits does not depend on how the object is turned now.
    yaws = np.arange(YAW_STEPS) * 2 * np.pi / YAW_STEPS - np.arctan2(rotation[1, 0], rotation[0, 0])
    cosine, sine = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    turned = np.stack([cosine * flat[:, 0] - sine * flat[:, 1], sine * flat[:, 0] + cosine * flat[:, 1]], axis=-1)
    narrow = np.flatnonzero((np.ptp(turned, axis=1) <= 2 * half).all(axis=1))
    for share in OFF_MIDDLE:
        for index in narrow:
            points = turned[index]
            x, y = (np.maximum(half - np.abs(points).max(axis=0), 0.0) * share).tolist()
            if any(share) and not (x or y):
                continue
            if on_floor(points + [x, y], floor, margin_m).all():
                yield Stand(x, y, float(yaws[index]))


@lru_cache(maxsize=65536)
def fits(asset: Asset, container: Asset) -> bool:
    """Whether a hand can put an object into, or onto, a container so that it stays there.

    The object stands as it is made, all of its outline on the container's floor. Where no rim holds it, it must be
    steady by itself. The hand that holds it must come so low that it does not fall far: below the rim only where the
    floor has room for the fingers beside the object.
    """
    floor = container.region
    if floor is None or not asset.grips or asset.uuid == container.uuid:
        return False
    depth_m = float(container.box_max[2] - floor.center[2])
    if depth_m < FLAT_DEPTH_M and asset.stable_poses[0].tip_angle_rad < LEAST_FLAT_TIP_RAD:
        return False
    if all(_drop_m(asset, grip, floor, depth_m) > MOST_DROP_M for grip in asset.grips):
        return False
    return next(stands(asset, np.eye(3), floor, FIT_MARGIN_M), None) is not None


def _drop_m(asset: Asset, grip: Grip, floor: Floor, depth_m: float) -> float:
    """How far an object falls when a hand lets it go as low as it can."""
    tips_m = float(grip.center[2] - asset.box_min[2]) - TIP_BELOW_GRIP_M
    fingers = [FINGERS_ACROSS_M, grip.opening_m / 2 + FINGERS_ALONG_M]
    enter = np.all(np.sort(floor.half_extents) >= fingers)
    return depth_m - tips_m - (FINGERS_DEEP_M if enter else 0.0)
