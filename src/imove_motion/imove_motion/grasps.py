"""Tool poses from which a parallel jaw can hold an object, from the grips in its metadata."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from imove_core.transforms import Array, rotation_about_axis, transform
from imove_tasks.assets import grasping
from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.convex import Chords
from imove_tasks.assets.grasping import ANNOTATED_PALM, Palm
from imove_tasks.assets.model import Asset

TIP_BEYOND_TCP_M = 0.010
"""How far finger tips reach beyond the tool centre, by the convention of the tool frame."""
FINGER_HALF_WIDTH_M = 0.012
"""At least half the width of a finger tip across the closing direction."""
FREE_YAW_STEPS = 12
TABLE_CLEARANCE_M = 0.003
"""Planned height of the finger tips above the table, beyond the least one that a plan may have."""
TILTS_RAD = (0.0, 0.3, -0.3, 0.6, -0.6)
"""Perturbations of the approach about the closing axis; the jaws stay on the same faces."""


@dataclass(frozen=True)
class Grasp:
    """A candidate pose of the tool with the jaws around an object.

    Attributes:
        world_from_tool: (4, 4); z is the approach direction, y the closing direction.
        opening_m: Least opening with which the fingers pass on their way in.
        width_m: Thickness of the object between the pads.
        tilt_rad: Angle between the approach and the annotated one.
        grip: Number of the annotated grip that it comes from, best first; 0 where there is no annotation.
    """

    world_from_tool: Array
    opening_m: float
    width_m: float
    tilt_rad: float
    grip: int = 0


def grasp_candidates(asset: Asset, world_from_object: Array, palm: Palm = ANNOTATED_PALM) -> Iterator[Grasp]:
    """Yields candidate grasps of an object at a pose, best annotated grips first.

    Grips in which the palm would hit the object are taken further out; tilts that would bring it there are left out.

    Args:
        asset: The object's metadata.
        world_from_object: (4, 4) pose.
        palm: The palm of the hand, from `Hand.palm` or `PickPlanner.palm`.
    """
    for number, grip in grips_for(asset, palm):
        for closing_axis, approach in directions(grip):
            for tilt in TILTS_RAD:
                object_from_tool = tool_pose_at(grip, closing_axis, approach, tilt)
                if tilt and not palm_is_clear(asset, object_from_tool, palm):
                    continue
                yield Grasp(world_from_object @ object_from_tool, grip.opening_m, grip.width_m, abs(tilt), number)


@lru_cache(maxsize=256)
def grips_for(asset: Asset, palm: Palm) -> tuple[tuple[int, Grip], ...]:
    """The annotated grips, by number, as a hand with this palm can take them."""
    if palm == ANNOTATED_PALM:
        return tuple(enumerate(asset.grips))
    taken = ((number, grasping.regripped(grip, chords_of(asset), palm)) for number, grip in enumerate(asset.grips))
    return tuple((number, grip) for number, grip in taken if grip is not None)


def palm_is_clear(asset: Asset, object_from_tool: Array, palm: Palm) -> bool:
    """Whether the palm of a hand at a pose (4, 4) in the object's frame does not reach into the object."""
    center, backwards = object_from_tool[:3, 3], -object_from_tool[:3, 2]
    farthest = np.where(backwards > 0, asset.box_max, asset.box_min)
    if float(backwards @ (farthest - center)) <= palm.distance_m:
        return True
    closing, approach = object_from_tool[:3, 1], object_from_tool[:3, 2]
    return grasping.palm_excess_m(chords_of(asset), center, closing, approach, palm) <= 0.0


@lru_cache(maxsize=64)
def chords_of(asset: Asset) -> Chords:
    """The contact parts as lines see them; a scene asks for the same few objects again and again."""
    return Chords(asset.collisions)


def directions(grip: Grip) -> Iterator[tuple[Array, Array]]:
    """Closing and approach directions as good as the annotated ones; the jaws are symmetric, so both signs count.

    Turned about the object's upright axis, so that a tilted grip keeps both fingers at the same height.
    """
    turns = np.arange(FREE_YAW_STEPS) * np.pi / FREE_YAW_STEPS if grip.free_yaw else np.zeros(1)
    for turn in turns:
        rotation = rotation_about_axis([0, 0, 1], turn)
        for sign in (1.0, -1.0):
            yield sign * rotation @ grip.closing_axis, rotation @ grip.approach


def tool_pose_at(grip: Grip, closing_axis: Array, approach: Array, tilt_rad: float) -> Array:
    """Pose `object_from_tool` (4, 4) of a hand at a grip, its approach (3,) turned about the closing axis (3,)."""
    tilted = rotation_about_axis(closing_axis, tilt_rad) @ approach
    # Thin things are held with less of the pads, so that the finger tips stay clear of the table on which they rest.
    steepness = -float(tilted[2])
    tips = TIP_BEYOND_TCP_M * steepness + FINGER_HALF_WIDTH_M * np.sqrt(max(0.0, 1.0 - steepness**2))
    room = -float(approach[2]) * grip.depth_m
    center = grip.center + np.array([0.0, 0.0, max(0.0, tips + TABLE_CLEARANCE_M - room)])
    return transform(np.column_stack([np.cross(closing_axis, tilted), closing_axis, tilted]), center)
