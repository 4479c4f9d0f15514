"""The collision shapes of an arm where its links are, for many joint states at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imove_description.arm_model import ArmModel
from imove_description.facts import JointFacts
from imove_description.reading import FloatArray
from imove_description.rotation import rotation_z_to
from imove_description.shapes import CollisionBox, CollisionShape


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex shape of a link.

    Attributes:
        kind: `box`, `cylinder` or `capsule`; rods lie along their z axis.
        size_m: full extents (3,) of a box; radius and length of the straight part of a rod.
        link_from_solid: (4, 4), m.
    """

    kind: Literal["box", "cylinder", "capsule"]
    size_m: tuple[float, ...]
    link_from_solid: FloatArray

    @property
    def bound_m(self) -> float:
        """Radius of a ball about its centre that holds it."""
        if self.kind == "box":
            return float(np.linalg.norm(self.size_m)) / 2
        radius, length = self.size_m
        return radius + length / 2 if self.kind == "capsule" else float(np.hypot(radius, length / 2))


def link_solids(model: ArmModel) -> dict[str, tuple[Solid, ...]]:
    """The shapes of every link that has some, by link name, parents first."""
    solids = {link.name: [_solid(shape) for shape in link.collision] for link in model.links}
    for finger in model.gripper.fingers:
        solids[finger.child].append(_solid(model.gripper.pad_box(finger)))
    return {name: tuple(shapes) for name, shapes in solids.items() if shapes}


def _solid(shape: CollisionShape) -> Solid:
    if isinstance(shape, CollisionBox):
        return Solid("box", tuple(shape.size_m.tolist()), shape.link_from_box)
    along = shape.end_m - shape.start_m
    pose = np.eye(4)
    pose[:3, :3] = rotation_z_to(along)
    pose[:3, 3] = (shape.start_m + shape.end_m) / 2
    size = (shape.radius_m, float(np.linalg.norm(along)))
    return Solid("capsule" if shape.round_ends else "cylinder", size, pose)


def link_poses(model: ArmModel, states: FloatArray) -> dict[str, FloatArray]:
    """Where the links are.

    Args:
        model: the arm.
        states: (s, n + 1) joint positions, rad, and gripper openings, m.

    Returns:
        base_from_link, (s, 4, 4), m, of every link by name.
    """
    joints_rad, openings_m = states[:, :-1], states[:, -1]
    poses: dict[str, FloatArray] = {model.base_link: np.tile(np.eye(4), (len(states), 1, 1))}
    for joint, angles in zip(model.joints, joints_rad.T, strict=True):
        poses[joint.child] = poses[joint.parent] @ joint.parent_from_joint @ _turns(joint, angles)
    for mount in model.mounts:
        poses[mount.child] = poses[mount.parent] @ mount.parent_from_child
    for finger in model.gripper.fingers:
        shift = np.tile(np.eye(4), (len(states), 1, 1))
        shift[:, :3, 3] = openings_m[:, None] / 2 * finger.axis
        poses[finger.child] = poses[finger.parent] @ finger.parent_from_joint @ shift
    return poses


def _turns(joint: JointFacts, angles_rad: FloatArray) -> FloatArray:
    """Rotations by angles (s,) about the joint's axis as (s, 4, 4), by Rodrigues' formula."""
    x, y, z = joint.axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    sine, versine = np.sin(angles_rad)[:, None, None], (1 - np.cos(angles_rad))[:, None, None]
    turns = np.zeros((len(angles_rad), 4, 4))
    turns[:, :3, :3] = np.eye(3) + sine * cross + versine * (cross @ cross)
    turns[:, 3, 3] = 1.0
    return turns


def edges(model: ArmModel) -> Iterator[tuple[str, str]]:
    """Parent and child of every joint and mount."""
    yield from ((joint.parent, joint.child) for joint in model.joints)
    yield from ((mount.parent, mount.child) for mount in model.mounts)
    yield from ((finger.parent, finger.child) for finger in model.gripper.fingers)
