"""The box of an object as lines in a camera's image."""

from __future__ import annotations

from itertools import product

import numpy as np

from imove_core.kinematics import link_poses
from imove_core.rig import Camera, Rig
from imove_core.state import ObjectState, StepState
from imove_core.transforms import Array, apply, inverse

NEAREST_M = 0.01
"""Edges are cut off here in front of the camera: what is behind it has no place in the image."""
_CORNERS = np.array(list(product((0, 1), repeat=3)))
_EDGES = [
    (first, second)
    for first, second in product(range(8), repeat=2)
    if first < second and np.abs(_CORNERS[first] - _CORNERS[second]).sum() == 1
]


def world_from_camera(rig: Rig, camera: Camera, state: StepState) -> Array:
    """Pose (4, 4) of a camera's optical frame at a control step, also of one that an arm carries.

    Args:
        rig: As it is in the episode.
        camera: One of its cameras.
        state: Of the control step.
    """
    place = camera.arm_and_link
    if place is None:
        return camera.parent_from_optical.matrix
    arm = rig.arm(place[0])
    joints = rig.split(state.robot.positions)[arm.name][:-1]
    pose: Array = (
        arm.world_from_base.matrix @ link_poses(arm.arm_model, joints)[place[1]] @ camera.parent_from_optical.matrix
    )
    return pose


def box_edges(item: ObjectState, camera: Camera, world_from_optical: Array, width: int, height: int) -> Array:
    """The edges of an object's box in an image.

    Args:
        item: The object.
        camera: Its intrinsics are scaled to the image.
        world_from_optical: (4, 4) pose of the camera.
        width: Of the image, pixels.
        height: Of the image, pixels.

    Returns:
        (N, 2, 2) column and row of both ends of up to 12 lines; they may lead out of the image.
    """
    intrinsics = camera.intrinsics.resized(width, height)
    corners = item.box_min + _CORNERS * (item.box_max - item.box_min)
    local = apply(inverse(world_from_optical) @ item.world_from_object, corners)
    lines = []
    for edge in _EDGES:
        ends = local[list(edge)]
        depth = ends[:, 2]
        if depth.max() <= NEAREST_M:
            continue
        if depth.min() < NEAREST_M:
            behind = int(depth.argmin())
            share = (NEAREST_M - depth[behind]) / (depth[1 - behind] - depth[behind])
            ends[behind] += share * (ends[1 - behind] - ends[behind])
        lines.append(
            np.column_stack(
                [
                    ends[:, 0] / ends[:, 2] * intrinsics.fx + intrinsics.cx,
                    ends[:, 1] / ends[:, 2] * intrinsics.fy + intrinsics.cy,
                ]
            )
        )
    return np.array(lines).reshape(-1, 2, 2)
