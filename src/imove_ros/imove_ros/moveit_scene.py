"""A planner's world as MoveIt takes it: bodies, which of them may touch, and where the joints are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from imove_core.rig import WORLD_FRAME, Arm, Rig
from imove_core.transforms import Array, transform
from imove_description.arm_model import TCP_LINK
from imove_motion.planning.collision import RISER_WIDTH_M, TABLE_THICKNESS_M
from imove_motion.planning.world import TABLE, PlanningWorld, hand_bodies
from imove_ros.moveit_shapes import Primitive, Shape, part_shapes
from imove_tasks.assets.model import Asset

_OBJECT_PREFIX = "object_"
"""Put before ids of objects, as in TF, so that none is called like a link."""
_RISER = "riser"


@dataclass(frozen=True, eq=False)
class Body:
    """Something that is not a link.

    Attributes:
        id: Its name in the planning scene.
        frame: Frame that its pose is in: the world, or the link that it is attached to.
        frame_from_body: (4, 4), m.
        shapes: What it collides with.
        touch_links: Links that an attached body may touch.
    """

    id: str
    frame: str
    frame_from_body: Array
    shapes: tuple[Shape, ...]
    touch_links: tuple[str, ...] = ()


def fixed_bodies(world: PlanningWorld) -> tuple[Body, ...]:
    """Table, blocks below raised arms, and every object that no hand holds."""
    held = world.attached.object_id if world.attached else None
    return (
        _table(world.rig),
        *(_riser(arm) for arm in world.rig.arms if _is_raised(arm)),
        *(
            Body(object_body(item.id), WORLD_FRAME, item.world_from_object, _shapes(world.assets[item.id]))
            for item in world.objects
            if item.id != held
        ),
    )


def attached_body(world: PlanningWorld) -> Body | None:
    """What a hand holds, in the frame of its tool; None where it is empty."""
    held = world.attached
    if held is None:
        return None
    arm = world.rig.arm(held.arm)
    return Body(
        object_body(held.object_id),
        arm.joint_prefix + TCP_LINK,
        held.tool_from_object,
        _shapes(world.assets[held.object_id]),
        tuple(scene_name(world.rig, body) for body in hand_bodies(arm)),
    )


def allowed_contacts(world: PlanningWorld) -> Iterator[tuple[str, str]]:
    """Pairs of names in the planning scene that may touch, besides those of the SRDF, sorted."""
    pairs = {tuple(sorted(scene_name(world.rig, body) for body in contact)) for contact in world.allowed}
    for arm in world.rig.arms:
        base = arm.joint_prefix + arm.arm_model.base_link
        pairs.add((base, _riser_id(arm)) if _is_raised(arm) else (base, TABLE))
    yield from sorted((first, second) for first, second in pairs)


def joint_positions(world: PlanningWorld, arm: Arm, joints_rad: Array) -> Mapping[str, float]:
    """Positions by joint name, rad and m, of the world's arms with one of them elsewhere.

    Args:
        world: Where the others are, and how far this one's gripper is open.
        arm: The arm that is elsewhere.
        joints_rad: (n,) where it is.
    """
    positions = dict(zip(world.rig.joint_names, world.positions.tolist(), strict=True))
    return positions | dict(zip(arm.joint_names, np.asarray(joints_rad, dtype=float).tolist(), strict=False))


def object_body(object_id: str) -> str:
    """An object's name in the planning scene."""
    return _OBJECT_PREFIX + object_id


def scene_name(rig: Rig, body: str) -> str:
    """How the planning scene calls a body of a `PlanningWorld`.

    Raises:
        ImoveError: The body is on an arm that the rig does not have.
    """
    arm_name, is_link, link = body.partition("/")
    if not is_link:
        return body if body == TABLE else object_body(body)
    arm = rig.arm(arm_name)
    return _riser_id(arm) if link == _RISER else arm.joint_prefix + link


def _table(rig: Rig) -> Body:
    (x0, x1), (y0, y1) = rig.table.x, rig.table.y
    centre = transform(translation=[(x0 + x1) / 2, (y0 + y1) / 2, -TABLE_THICKNESS_M / 2])
    return Body(TABLE, WORLD_FRAME, centre, (Primitive("BOX", (x1 - x0, y1 - y0, TABLE_THICKNESS_M), np.eye(4)),))


def _riser(arm: Arm) -> Body:
    x, y, height_m = arm.world_from_base.matrix[:3, 3]
    box = Primitive("BOX", (RISER_WIDTH_M, RISER_WIDTH_M, float(height_m)), np.eye(4))
    return Body(_riser_id(arm), WORLD_FRAME, transform(translation=[x, y, height_m / 2]), (box,))


def _riser_id(arm: Arm) -> str:
    return f"{arm.name}_{_RISER}"


def _is_raised(arm: Arm) -> bool:
    return bool(arm.world_from_base.matrix[2, 3] > 0)


def _shapes(asset: Asset) -> tuple[Shape, ...]:
    return tuple(shape for part in asset.collisions for shape in part_shapes(part))
