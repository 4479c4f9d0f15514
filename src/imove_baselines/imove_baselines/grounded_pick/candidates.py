"""Grasps straight from above that a depth image offers: where material is between two free places for the fingers.

At each yaw and each depth of the finger tips, the surface is cut at the tips' height. A run of material along the
closing direction, narrow enough for the jaw and with room for a finger at both ends, is a grasp: across a box, around a
handle, over the rim of a bowl.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from imove_baselines.grounded_pick.height_map import CELL_M, HeightMap, Surroundings
from imove_baselines.grounded_pick.things import Thing
from imove_core.clouds import Cloud
from imove_core.transforms import Array, rotation_about_axis, transform
from imove_motion.grasps import FINGER_HALF_WIDTH_M, TILTS_RAD, TIP_BEYOND_TCP_M, Grasp
from imove_tasks.assets.grasping import MAX_WIDTH_M, PALM_M, usual_height

YAWS = 16
TIP_LEVELS = (0.0, 0.3, 0.5, 0.7)
"""Heights of the finger tips that are tried, as shares of the thing's height."""
TIPS_ABOVE_M = 0.003
"""Least height of the finger tips above what is below them."""
PAD_HALF_BREADTH_M = 0.010
FINGER_M = 0.013
"""Thickness of a finger with what it needs beside it."""
MOST_TAPER = 0.8
"""Change of width by way across the closing direction: fingers slip off a corner; friction holds 22 degrees a side."""
LEAST_CONTACT_M = 0.003
GOOD_CONTACT_M = 0.014
"""Height of material between the pads, at least and at best."""
TAKEN_OFF_M = 0.004
"""Outlines of pixels are wider than what they show; closing by so much more makes sure that it is held."""


@dataclass(frozen=True)
class Candidate:
    """A grasp from above.

    Attributes:
        place: (x, y) between the pads, world frame, m.
        height_m: Of the tool centre above the table.
        yaw_rad: Closing direction from the world's x.
        width_m: Of the material between the pads.
        cost: Without unit; lower is better.
    """

    place: tuple[float, float]
    height_m: float
    yaw_rad: float
    width_m: float
    cost: float

    def grasps(self) -> Iterator[Grasp]:
        """The grasp for a planner, with both senses of the closing direction and all tilts about it."""
        held = max(self.width_m - TAKEN_OFF_M, 0.0)
        for sign in (1.0, -1.0):
            closing = sign * np.array([np.cos(self.yaw_rad), np.sin(self.yaw_rad), 0.0])
            for tilt in TILTS_RAD:
                approach = rotation_about_axis(closing, tilt) @ np.array([0.0, 0.0, -1.0])
                rotation = np.column_stack([np.cross(closing, approach), closing, approach])
                # A leaning hand has the edge of its finger tips lowest.
                tips_m = TIP_BEYOND_TCP_M * np.cos(tilt) + FINGER_HALF_WIDTH_M * abs(np.sin(tilt))
                pose = transform(rotation, [*self.place, max(self.height_m, tips_m + TIPS_ABOVE_M)])
                yield Grasp(pose, self.width_m, held, abs(tilt))


def grasp_candidates(cloud: Cloud, thing: Thing, most: int = 60) -> list[Candidate]:
    """The best grasps of a thing, best first, no two of them nearly the same.

    Args:
        cloud: The whole scene.
        thing: What is to be held.
        most: How many are returned at most.
    """
    around = Surroundings(cloud, thing)
    found: list[Candidate] = []
    for yaw_rad in np.arange(YAWS) * np.pi / YAWS:
        turned = around.turned(float(yaw_rad))
        for share in TIP_LEVELS:
            found.extend(_at_level(turned, thing, share * thing.height_m))
    kept: list[Candidate] = []
    for candidate in sorted(found, key=lambda item: item.cost):
        if not any(_alike(candidate, other) for other in kept):
            kept.append(candidate)
        if len(kept) == most:
            break
    return kept


def _at_level(turned: HeightMap, thing: Thing, level_m: float) -> Iterator[Candidate]:
    tips_m = max(level_m, TIPS_ABOVE_M)
    half = max(1, round(PAD_HALF_BREADTH_M / CELL_M))
    breadth = 2 * half + 1
    # What any part of a pad would meet, and what all of it would.
    highest = ndimage.maximum_filter1d(turned.heights, breadth, axis=0)
    # Tips may come down to the cut only where nothing is below it within their clearance.
    solid = highest > tips_m - TIPS_ABOVE_M / 2 if level_m <= TIPS_ABOVE_M else highest > tips_m - TIPS_ABOVE_M
    core = turned.heights > tips_m
    finger = round(FINGER_M / CELL_M)
    for row in range(half, turned.heights.shape[0] - half, 2):
        for first, end in _runs(solid[row]):
            width_m = (end - first) * CELL_M
            if width_m > MAX_WIDTH_M or first < finger or end + finger > solid.shape[1]:
                continue
            if solid[row, first - finger : first].any() or solid[row, end : end + finger].any():
                continue
            middle = (first + end - 1) // 2
            if not turned.own[row, first:end].any():
                continue
            yield from _judged(turned, thing, core, row, (first, end), middle, half, tips_m)


def _judged(
    turned: HeightMap,
    thing: Thing,
    core: NDArray[np.bool_],
    row: int,
    run: tuple[int, int],
    middle: int,
    half: int,
    tips_m: float,
) -> Iterator[Candidate]:
    first, end = run
    strip = turned.heights[row - half : row + half + 1, first:end]
    inside = core[row - half : row + half + 1, first:end]
    widths = inside.sum(axis=1).astype(float) * CELL_M
    held = widths > 0
    if held.mean() < 0.3 or not held[half]:
        return
    taper = _taper(widths[held], np.flatnonzero(held).astype(float) * CELL_M)
    if taper > MOST_TAPER:
        return
    top_m = float(strip[inside].max()) if inside.any() else 0.0
    contact_m = top_m - tips_m
    if contact_m < LEAST_CONTACT_M:
        return
    height_m = tips_m + TIP_BEYOND_TCP_M
    below_palm = turned.heights[max(0, row - 12) : row + 13, max(0, middle - 16) : middle + 17].max()
    if below_palm - height_m > PALM_M:
        return
    width_m = (end - first) * CELL_M
    place = turned.place(row, (first + end - 1) / 2)
    spread_m = float(width_m - widths[held].mean())
    cost = (
        float(np.linalg.norm(place - thing.middle)) / 0.03
        + max(0.0, GOOD_CONTACT_M - contact_m) / 0.006
        + abs(height_m - max(usual_height(top_m), TIPS_ABOVE_M + TIP_BEYOND_TCP_M)) / 0.02
        + spread_m / 0.012
        + taper
        + max(0.0, width_m - 0.045) / 0.01
        + (1.0 - float(held.mean()))
    )
    yield Candidate((float(place[0]), float(place[1])), height_m, turned.yaw_rad, width_m, cost)


def _taper(widths: Array, across: Array) -> float:
    """Slope of the widths (n,) over the places (n,) at which they are measured, without its sign."""
    if len(widths) < 3:
        return 0.0
    away = across - across.mean()
    return abs(float(away @ widths / (away @ away)))


def _runs(row: Array) -> Iterator[tuple[int, int]]:
    """Beginning and end (behind the last) of each run of true cells."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    return zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _alike(one: Candidate, other: Candidate) -> bool:
    turn = abs(one.yaw_rad - other.yaw_rad)
    return (
        np.hypot(one.place[0] - other.place[0], one.place[1] - other.place[1]) < 0.006
        and min(turn, np.pi - turn) < 0.3
        and abs(one.height_m - other.height_m) < 0.008
    )
