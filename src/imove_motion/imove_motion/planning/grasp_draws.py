"""Grasps drawn about the annotated ones, within what keeps the jaws on the object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array, rotation_about_axis
from imove_motion.grasps import FREE_YAW_STEPS, TILTS_RAD, Grasp, chords_of, directions, grips_for, tool_pose_at
from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.grasping import Palm, grip_at, palm_excess_m
from imove_tasks.assets.model import Asset

UPRIGHT = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class GraspTolerances:
    """How far a grasp may be from an annotated one.

    Attributes:
        roll_rad: Turn about the axis across approach and closing, by which one finger comes lower than the other.
        pitch_rad: Turn about the closing axis: the jaws stay on the same faces.
        yaw_rad: Turn about the object's upright axis; where every yaw is as good, half a step between two candidates.
        width_m: By how much thicker or thinner the object may be between the jaws.
        shift_m: How far the middle of what is between the jaws may lie from that of the annotated grip.
    """

    roll_rad: float = 0.03
    pitch_rad: float = 0.12
    yaw_rad: float = 0.10
    width_m: float = 0.004
    shift_m: float = 0.004


def drawn_grasps(
    asset: Asset, world_from_object: Array, palm: Palm, tolerances: GraspTolerances, rng: np.random.Generator
) -> Iterator[Grasp]:
    """Yields one grasp for every annotated direction and tilt, turned at random and measured anew on the object.

    What would leave the tolerances, not suit the jaw, or bring the palm to the object is left out.

    Args:
        asset: The object's metadata.
        world_from_object: (4, 4) pose.
        palm: The palm of the hand, from `Hand.palm` or `PickPlanner.palm`.
        tolerances: How far to turn.
        rng: Three draws a direction, whatever comes of them.
    """
    for number, grip in grips_for(asset, palm):
        for closing, approach in directions(grip):
            turned = _turned(grip, closing, approach, tolerances, rng)
            taken = _measured(asset, grip, *turned, tolerances)
            if taken is None:
                continue
            for tilt in TILTS_RAD:
                object_from_tool = tool_pose_at(taken, taken.closing_axis, taken.approach, tilt)
                if _palm_is_clear(asset, object_from_tool, palm):
                    pose = world_from_object @ object_from_tool
                    yield Grasp(pose, taken.opening_m, taken.width_m, abs(tilt), number)


def _turned(
    grip: Grip, closing: Array, approach: Array, tolerances: GraspTolerances, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Closing and approach directions turned by yaw, then pitch, then roll."""
    roll, pitch, yaw = rng.uniform(-1.0, 1.0, 3)
    most_yaw = np.pi / FREE_YAW_STEPS / 2 if grip.free_yaw else tolerances.yaw_rad
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


def _palm_is_clear(asset: Asset, object_from_tool: Array, palm: Palm) -> bool:
    center, closing, approach = object_from_tool[:3, 3], object_from_tool[:3, 1], object_from_tool[:3, 2]
    return palm_excess_m(chords_of(asset), center, closing, approach, palm) <= 0.0
