"""The gripper of an arm as a cloud of points on what it collides with."""

from collections.abc import Iterator

import numpy as np

from imove_core.kinematics import finger_poses
from imove_core.transforms import Array, apply, inverse
from imove_description.arm_model import ArmModel
from imove_description.shapes import CollisionBox, CollisionRod, CollisionShape
from imove_tasks.assets.grasping import ANNOTATED_PALM, Palm

SPACING_M = 0.012
"""Largest distance between neighbouring points."""
_PALM_MARGIN_M = 0.0018
"""How much too deep a hand may come, as for the annotated grips."""
_PALM_FACE_DEPTH_M = 0.012
"""What of the gripper base is no further back than this belongs to the palm's face."""


class Hand:
    """Gripper base and fingers of an arm model; all points are in the tool frame."""

    def __init__(self, model: ArmModel) -> None:
        """Samples the collision shapes once; an opening only shifts the fingers."""
        gripper = model.gripper
        tool_from_gripper = inverse(model.flange_from_tcp) @ model.flange_from_gripper
        self._palm = np.vstack(
            [apply(tool_from_gripper, surface(shape)) for shape in model.link(gripper.base_link).collision]
        )
        self._model = model
        self._tool_from_gripper = tool_from_gripper
        self._fingers = {
            finger.child: np.vstack([surface(shape) for shape in _shapes_of(model, finger.child)])
            for finger in gripper.fingers
        }

    @property
    def palm(self) -> Palm:
        """What an object has to stay clear of; the annotated palm where the hand leaves at least as much room."""
        foremost = float(self._palm[:, 2].max())
        if -foremost >= ANNOTATED_PALM.distance_m:
            return ANNOTATED_PALM
        face = np.abs(self._palm[self._palm[:, 2] > foremost - _PALM_FACE_DEPTH_M, :2]).max(axis=0)
        return Palm(-foremost - _PALM_MARGIN_M, (float(face[0]), float(face[1])))

    def points(self, opening_m: float) -> Array:
        """Returns points (N, 3) on fingers and gripper base at an opening, m."""
        poses = finger_poses(self._model, self._tool_from_gripper, opening_m)
        return np.vstack([self._palm, *(apply(poses[link], points) for link, points in self._fingers.items())])


def _shapes_of(model: ArmModel, link: str) -> Iterator[CollisionShape]:
    yield from model.link(link).collision
    yield from (model.gripper.pad_box(finger) for finger in model.gripper.fingers if finger.child == link)


def surface(shape: CollisionShape) -> Array:
    """Returns points (N, 3) of a shape's surface in the link frame, m; a rod's flat ends are left out."""
    return _box_surface(shape) if isinstance(shape, CollisionBox) else _rod_surface(shape)


def _steps(length_m: float) -> int:
    """Number of points along a length so that they are no more than the spacing apart."""
    return int(np.ceil(length_m / SPACING_M)) + 1


def _box_surface(box: CollisionBox) -> Array:
    return apply(box.link_from_box, box_surface(-box.size_m / 2, box.size_m / 2))


def box_surface(box_min: Array, box_max: Array) -> Array:
    """Returns points (N, 3) on the surface of the box between two corners (3,), m."""
    counts = [_steps(size) for size in box_max - box_min]
    grid = np.stack(np.meshgrid(*(np.linspace(-1, 1, count) for count in counts), indexing="ij"), -1).reshape(-1, 3)
    on_surface = grid[np.abs(grid).max(axis=1) == 1.0]
    corners: Array = (box_min + box_max) / 2 + on_surface * (box_max - box_min) / 2
    return corners


def _rod_surface(rod: CollisionRod) -> Array:
    along = rod.end_m - rod.start_m
    length = float(np.linalg.norm(along))
    axis = along / length
    across = np.linalg.svd(axis[None])[2][1:]
    angles = np.arange(_steps(2 * np.pi * rod.radius_m)) * 2 * np.pi / _steps(2 * np.pi * rod.radius_m)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) @ across
    centres = rod.start_m + np.linspace(0, 1, _steps(length))[:, None] * along
    rings = [centre + rod.radius_m * ring for centre in centres]
    return np.vstack(rings)
