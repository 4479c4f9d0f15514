"""What one control step looks like to the rubrics: distances of tools, heights, openings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.kinematics import flange_pose
from imove_core.rig import Rig
from imove_core.state import ObjectState, StepState
from imove_core.transforms import Array


@dataclass(frozen=True, eq=False)
class Geometry:
    """Measures of one control step; K objects, A arms.

    Attributes:
        tool_box_distance_m: (A, K) from tool centre to box; 0 inside.
        nearest: (A,) index of the object nearest to each tool; of several boxes around it, the one with the nearest
            centre.
        hand_root_distance_m: (A, K) from the hand, the first link of the gripper, to the object's origin.
        bottom_m: (K,) height of the lowest box corner above the table.
        centre: (K, 3) middle of each box, world frame, m.
        poses: (K, 4, 4) world_from_object.
        half_diagonal_m: (K,) radius of the sphere around each box.
        open_share: (A,) opening of each gripper as a share of its range, 0 closed and 1 open.
    """

    tool_box_distance_m: Array
    nearest: NDArray[np.intp]
    hand_root_distance_m: Array
    bottom_m: Array
    centre: Array
    poses: Array
    half_diagonal_m: Array
    open_share: Array

    @property
    def origins(self) -> Array:
        """(K, 3) origins of the objects, world frame, m."""
        origins: Array = self.poses[:, :3, 3]
        return origins


def measure(rig: Rig, state: StepState) -> Geometry:
    """Measures a control step of a rig."""
    poses = np.array([item.world_from_object for item in state.objects])
    low = np.array([item.box_min for item in state.objects])
    high = np.array([item.box_max for item in state.objects])
    rotations, roots = poses[:, :3, :3], poses[:, :3, 3]
    centre, half = (low + high) / 2, (high - low) / 2
    joints = rig.split(state.robot.positions)
    tool_distance, centre_distance, hand_distance, open_share = [], [], [], []
    for arm in rig.arms:
        flange = arm.world_from_base.matrix @ flange_pose(arm.arm_model, joints[arm.name][:-1])
        tool = (flange @ arm.arm_model.flange_from_tcp)[:3, 3]
        inside = np.einsum("kji,kj->ki", rotations, tool - roots)
        tool_distance.append(np.linalg.norm(inside - np.clip(inside, low, high), axis=1))
        centre_distance.append(np.linalg.norm(inside - centre, axis=1))
        hand = (flange @ arm.arm_model.flange_from_gripper)[:3, 3]
        hand_distance.append(np.linalg.norm(hand - roots, axis=1))
        closed_m, open_m = arm.limits[-1]
        open_share.append((joints[arm.name][-1] - closed_m) / (open_m - closed_m))
    # Sorted by the last key first.
    nearest = np.lexsort((np.array(centre_distance), np.array(tool_distance)))[:, 0]
    middle_height = roots[:, 2] + np.einsum("ki,ki->k", rotations[:, 2], centre)
    return Geometry(
        tool_box_distance_m=np.array(tool_distance),
        nearest=nearest,
        hand_root_distance_m=np.array(hand_distance),
        bottom_m=middle_height - np.einsum("ki,ki->k", np.abs(rotations[:, 2]), half),
        centre=roots + np.einsum("kij,kj->ki", rotations, centre),
        poses=poses,
        half_diagonal_m=np.linalg.norm(half, axis=1),
        open_share=np.array(open_share),
    )


@dataclass(frozen=True, eq=False)
class View:
    """A control step beside the first one.

    Attributes:
        objects: Present states, always in the same order.
        now: Present measures.
        settled: Measures of the first control step.
    """

    objects: tuple[ObjectState, ...]
    now: Geometry
    settled: Geometry

    def index(self, object_id: str) -> int:
        """Place of an object in all measures."""
        return next(index for index, item in enumerate(self.objects) if item.id == object_id)

    def rise_m(self) -> Array:
        """(K,) height of each lowest point above where it was at first, m."""
        rise: Array = self.now.bottom_m - self.settled.bottom_m
        return rise

    def near(self, distance_m: float) -> NDArray[np.bool_]:
        """(A, K) whether an object is the one nearest to a tool, and within a distance of it."""
        distance = self.now.tool_box_distance_m
        near = np.zeros(distance.shape, dtype=bool)
        rows = np.arange(len(distance))
        near[rows, self.now.nearest] = distance[rows, self.now.nearest] <= distance_m
        return near
