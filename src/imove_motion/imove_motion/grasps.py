"""Tool poses from which a parallel jaw can hold an object, from the grips in its metadata."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from imove_core.transforms import Array, rotation_about_axis, transform
from imove_tasks.assets.model import Asset, Grip

from imove_motion.clearance import FINGER_HALF_WIDTH_M, TIP_BEYOND_TCP_M

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
    """

    world_from_tool: Array
    opening_m: float
    width_m: float
    tilt_rad: float


def grasp_candidates(asset: Asset, world_from_object: Array) -> Iterator[Grasp]:
    """Yields candidate grasps of an object at a pose, best annotated grips first.

    Args:
        asset: The object's metadata.
        world_from_object: (4, 4) pose.
    """
    for grip in asset.grips:
        for closing_axis in _closing_axes(grip):
            for tilt in TILTS_RAD:
                object_from_tool = _tool_pose(grip, closing_axis, tilt)
                yield Grasp(world_from_object @ object_from_tool, grip.opening_m, grip.width_m, abs(tilt))


def _closing_axes(grip: Grip) -> Iterator[Array]:
    """Closing directions that are as good as the annotated one; the jaws are symmetric, so both signs count."""
    turns = np.arange(FREE_YAW_STEPS) * np.pi / FREE_YAW_STEPS if grip.free_yaw else np.zeros(1)
    for turn in turns:
        axis = rotation_about_axis(grip.approach, turn) @ grip.closing_axis
        yield axis
        yield -axis


def _tool_pose(grip: Grip, closing_axis: Array, tilt_rad: float) -> Array:
    approach = rotation_about_axis(closing_axis, tilt_rad) @ grip.approach
    # Thin things are held with less of the pads, so that the finger tips stay clear of the table.
    tips = TIP_BEYOND_TCP_M * np.cos(tilt_rad) + FINGER_HALF_WIDTH_M * np.sin(abs(tilt_rad))
    center = grip.center - grip.approach * max(0.0, tips + TABLE_CLEARANCE_M - grip.depth_m)
    return transform(np.column_stack([np.cross(closing_axis, approach), closing_axis, approach]), center)
