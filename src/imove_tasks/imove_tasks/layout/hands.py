"""Upright prisms that hold the parts of a gripper or an arm: what of the space above the table it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from imove_core.kinematics import link_poses
from imove_core.rig import Arm, Rig
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform
from imove_description.arm_model import ArmModel
from imove_description.shapes import CollisionBox, CollisionShape
from imove_tasks.assets.affordances import Grip
from imove_tasks.layout.solids import Placed

FREE_YAW_STEPS = 12
"""Directions tried for a grip that can be held from every side."""
OPENING_MARGIN_M = 0.012
"""The gripper comes with more than the least opening, by as much as planned picks do."""
STANDOFF_M = 0.09
"""Length of the straight approach, which is swept."""
_STEEP = 0.5
"""Least downward part of an approach direction; flatter ones come from beside or below the table."""
_SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True, eq=False)
class Prisms:
    """Upright prisms without top, each around one convex part.

    Attributes:
        parts: (M, P, 3) points of the parts, world frame, m.
    """

    parts: Array

    @cached_property
    def bottoms_m(self) -> Array:
        """(M,) heights above the table at which they begin."""
        bottoms: Array = self.parts[..., 2].min(axis=1)
        return bottoms

    @cached_property
    def outlines(self) -> Array:
        """(M,) shapely polygons seen from above, world frame, m."""
        count, points = self.parts.shape[:2]
        clouds = shapely.multipoints(self.parts[..., :2].reshape(-1, 2), indices=np.repeat(np.arange(count), points))
        return np.asarray(shapely.convex_hull(clouds))

    def below(self, height_m: float) -> Prisms:
        """Those that begin below a height."""
        return Prisms(self.parts[self.bottoms_m < height_m])

    def distance(self, placed: Placed, clearance_m: float) -> float:
        """Distance seen from above from an object to the prisms that begin below its top and a clearance."""
        low = self.bottoms_m < placed.top_m + clearance_m
        if not low.any():
            return float("inf")
        return float(shapely.distance(self.outlines[low], placed.outline).min())


def _corners(shape: CollisionShape) -> Array:
    """(8, 3) corners of a box that holds a collision shape, link frame, m."""
    if isinstance(shape, CollisionBox):
        return apply(shape.link_from_box, _SIGNS * shape.size_m / 2)
    along = shape.end_m - shape.start_m
    axis = along / np.linalg.norm(along)
    across = np.linalg.svd(axis[None])[2][1:]
    half = np.linalg.norm(along) / 2 + (shape.radius_m if shape.round_ends else 0.0)
    sides = np.vstack([across * shape.radius_m, axis * half])
    corners: Array = (shape.start_m + shape.end_m) / 2 + _SIGNS @ sides
    return corners


class HandShape:
    """The gripper of an arm model; parts are (M, 8, 3) corners of boxes around them in the tool frame, m."""

    def __init__(self, model: ArmModel) -> None:
        """Measures a gripper."""
        gripper = model.gripper
        self._gripper = gripper
        tool_from_gripper = inverse(model.flange_from_tcp) @ model.flange_from_gripper
        palm = [_corners(shape) for shape in model.link(gripper.base_link).collision]
        self._palm = apply(tool_from_gripper, np.reshape(palm, (-1, 8, 3)))
        self._fingers, self._directions = [], []
        for finger in gripper.fingers:
            tool_from_finger = tool_from_gripper @ finger.parent_from_joint
            shapes = (*model.link(finger.child).collision, gripper.pad_box(finger))
            self._fingers.append(apply(tool_from_finger, np.array([_corners(shape) for shape in shapes])))
            self._directions.append(tool_from_finger[:3, :3] @ finger.axis)

    @property
    def widest_m(self) -> float:
        """Largest opening."""
        return float(self._gripper.max_opening_m)

    def parts(self, opening_m: float) -> Array:
        """All parts of the gripper at an opening."""
        ways = zip(self._fingers, self._directions, self._gripper.finger_positions(opening_m), strict=True)
        return np.concatenate([self._palm, *(finger + position * axis for finger, axis, position in ways)])

    def approach(self, world_from_tool: Array, opening_m: float) -> Prisms:
        """Prisms around the open hand at a grasp and on its straight way there."""
        here = apply(world_from_tool, self.parts(opening_m))
        back = here - STANDOFF_M * world_from_tool[:3, 2]
        return Prisms(np.concatenate([here, back], axis=1))


def grip_approaches(placed: Placed, hand: HandShape) -> Iterator[Prisms]:
    """The ways from above in which a hand can come to hold an object, best grips first."""
    for grip in placed.solid.asset.grips:
        if grip.opening_m > hand.widest_m:
            continue
        opening = min(grip.opening_m + OPENING_MARGIN_M, hand.widest_m)
        for object_from_tool in _tool_poses(grip):
            world_from_tool = placed.world_from_object @ object_from_tool
            if world_from_tool[2, 2] <= -_STEEP:
                yield hand.approach(world_from_tool, opening)


def _tool_poses(grip: Grip) -> Iterator[Array]:
    """`object_from_tool` (4, 4) of a grip: z is the approach, y the closing axis; a free one turns about its z."""
    steps = FREE_YAW_STEPS if grip.free_yaw else 1
    for angle in np.arange(steps) * np.pi / steps:
        turn = rotation_about_axis([0, 0, 1], angle)
        closing, approach = turn @ grip.closing_axis, turn @ grip.approach
        yield transform(np.column_stack([np.cross(closing, approach), closing, approach]), grip.center)


def hands_of(rig: Rig) -> tuple[HandShape, ...]:
    """One hand for each arm model of a rig."""
    return tuple(HandShape(arm.arm_model) for arm in {arm.model: arm for arm in rig.arms}.values())


def arms_at_home(arms: Sequence[Arm]) -> dict[str, Prisms]:
    """Prisms around every link that moves, with the arms at home, by arm."""
    return {arm.name: Prisms(apply(arm.world_from_base.matrix, _home_parts(arm))) for arm in arms}


def _home_parts(arm: Arm) -> Array:
    """(M, 8, 3) corners of boxes around the parts of an arm at home, base frame, m."""
    model = arm.arm_model
    poses = link_poses(model, np.array(arm.home))
    links = [
        apply(poses[joint.child], _corners(shape))
        for joint in model.joints
        for shape in model.link(joint.child).collision
    ]
    hand = apply(poses[model.flange_link] @ model.flange_from_tcp, HandShape(model).parts(arm.home_opening_m))
    return np.concatenate([np.reshape(links, (-1, 8, 3)), hand])
