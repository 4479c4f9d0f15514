"""Grasps drawn about the annotated ones, within what keeps the jaws on the object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array, rotation_about_axis
from imove_motion.grasps import FREE_YAW_STEPS, Grasp, chords_of, directions, grips_for, palm_is_clear, tool_pose_at
from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.grasping import Palm, grip_at
from imove_tasks.assets.model import Asset

UPRIGHT = (0.0, 0.0, 1.0)
FREE_YAW_THINNING = 3
"""Where every yaw is as good, every third direction is drawn about, in turns of one sense and of the other: drawn ones
need not be as dense as those that are listed."""


@dataclass(frozen=True)
class GraspTolerances:
    """How far a grasp may be from an annotated one.

    Attributes:
        roll_rad: Turn about the axis across approach and closing, by which one finger comes lower than the other.
        pitch_rad: Turn about the closing axis: the jaws stay on the same faces.
        yaw_rad: Turn about the object's upright axis; where every yaw is as good, half of what is between two draws.
        width_m: By how much thicker or thinner the object may be between the jaws.
        shift_m: How far the middle of what is between the jaws may lie from that of the annotated grip.
    """

    roll_rad: float = 0.03
    pitch_rad: float = 0.12
    yaw_rad: float = 0.10
    width_m: float = 0.004
    shift_m: float = 0.004


@dataclass(frozen=True, eq=False)
class DrawnGrips:
    """Grips of an object, turned at random and measured anew.

    Attributes:
        asset: The object's metadata.
        palm: The palm of the hand.
        grips: Each with the number of the annotated grip that it comes from.
    """

    asset: Asset
    palm: Palm
    grips: tuple[tuple[int, Grip], ...]

    def grasps(self, world_from_object: Array, tilt_rad: float) -> Iterator[Grasp]:
        """Yields the grasps of one tilt, in both senses, of the object at a pose (4, 4); best annotated ones first.

        What would bring the palm to the object is left out.
        """
        for number, grip in self.grips:
            for tilt in (tilt_rad, -tilt_rad) if tilt_rad else (0.0,):
                object_from_tool = tool_pose_at(grip, grip.closing_axis, grip.approach, tilt)
                if palm_is_clear(self.asset, object_from_tool, self.palm):
                    pose = world_from_object @ object_from_tool
                    yield Grasp(pose, grip.opening_m, grip.width_m, tilt_rad, number)


def drawn_grips(asset: Asset, palm: Palm, tolerances: GraspTolerances, rng: np.random.Generator) -> DrawnGrips:
    """Turns every annotated grip at random; what leaves the tolerances or does not suit the jaw is left out.

    Args:
        asset: The object's metadata.
        palm: The palm of the hand, from `Hand.palm` or `PickPlanner.palm`.
        tolerances: How far to turn.
        rng: Three draws a direction, whatever comes of them.
    """
    found: list[tuple[int, Grip]] = []
    for number, grip in grips_for(asset, palm):
        every = FREE_YAW_THINNING if grip.free_yaw else 1
        for closing, approach in list(directions(grip))[::every]:
            taken = _measured(asset, grip, *_turned(grip, closing, approach, tolerances, rng), tolerances)
            if taken is not None:
                found.append((number, taken))
    return DrawnGrips(asset, palm, tuple(found))


def _turned(
    grip: Grip, closing: Array, approach: Array, tolerances: GraspTolerances, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Closing and approach directions turned by yaw, then pitch, then roll."""
    roll, pitch, yaw = rng.uniform(-1.0, 1.0, 3)
    most_yaw = FREE_YAW_THINNING * np.pi / FREE_YAW_STEPS / 4 if grip.free_yaw else tolerances.yaw_rad
    turn = rotation_about_axis(UPRIGHT, yaw * most_yaw)
    closing, approach = turn @ closing, turn @ approach
    approach = rotation_about_axis(closing, pitch * tolerances.pitch_rad) @ approach
    turn = rotation_about_axis(np.cross(closing, approach), roll * tolerances.roll_rad)
    return turn @ closing, turn @ approach


def _measured(asset: Asset, grip: Grip, closing: Array, approach: Array, tolerances: GraspTolerances) -> Grip | None:
    taken = grip_at(chords_of(asset), grip.center, closing, approach, grip.free_yaw, grip.depth_m)
    if taken is None or abs(taken.width_m - grip.width_m) > tolerances.width_m:
        return None
    return taken if np.linalg.norm(taken.center - grip.center) <= tolerances.shift_m else None
