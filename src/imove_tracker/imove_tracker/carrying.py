"""Objects between fingers: which one a hand has closed on, and where it comes to lie when the hand lets go."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from imove_core.spec import SceneObject
from imove_core.transforms import Array, apply, inverse
from imove_tracker.tracks import Track

REACH_M = 0.02
"""The middle between the fingers is in the box of what they close on, or no farther from it than this."""
BELOW_M = 0.012
"""The floor that something is put on may seem so much higher than its lowest point, by errors of both."""
DROP_M = 0.02
"""What is let go no higher than this above its rest has been put down, not dropped."""


def gripped_object(
    objects: Mapping[str, SceneObject], tracks: Mapping[str, Track], tools: Mapping[str, Array], arm: str
) -> str | None:
    """Id of the object on which an arm has closed its fingers, None for none.

    Of several boxes about the tool, the one with the nearest middle; what another arm carries is not free.

    Args:
        objects: Of the spec by id.
        tracks: By id.
        tools: Poses (4, 4) of the tools by arm.
        arm: Whose fingers closed.
    """
    tool = tools[arm][:3, 3]
    best: tuple[float, float, str] | None = None
    for name, track in tracks.items():
        if track.arm:
            continue
        item = objects[name]
        inside = apply(inverse(track.pose), tool)
        low, high = np.array(item.box_min), np.array(item.box_max)
        away = float(np.linalg.norm(inside - np.clip(inside, low, high)))
        if away <= REACH_M:
            key = (away, float(np.linalg.norm(inside - (low + high) / 2)), name)
            best = key if best is None or key < best else best
    return best[2] if best else None


def upright(item: SceneObject, pose: Array) -> Array:
    """A pose (4, 4) turned back to how the object was laid out, but for its yaw: as things come to lie."""
    settled = item.world_from_object[:3, :3]
    # Of all turns about the vertical, the one for which the settled rotation comes nearest to that of the pose.
    between = pose[:3, :3] @ settled.T
    yaw = np.arctan2(between[1, 0] - between[0, 1], between[0, 0] + between[1, 1])
    cos, sin = np.cos(yaw), np.sin(yaw)
    result = pose.copy()
    result[:3, :3] = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]) @ settled
    return result


def put_down(item: SceneObject, pose: Array, floor_m: float = 0.0) -> Array:
    """Where an object comes to lie that is let go at a pose (4, 4): straight below, as it lay before.

    Args:
        item: Of the spec.
        pose: Where it is let go.
        floor_m: Height of what is below it, above the table.
    """
    result = upright(item, pose)
    result[2, 3] = item.position[2] + floor_m
    return result


def floor_below(
    item: SceneObject, pose: Array, objects: Mapping[str, SceneObject], poses: Mapping[str, Array]
) -> float:
    """Height above the table of what an object would come to lie on, m: a container's floor, the top of another, or 0.

    Args:
        item: The object, of the spec.
        pose: (4, 4) where it is let go.
        objects: All of the spec, by id.
        poses: (4, 4) theirs, by id.
    """
    height_m = float(pose[2, 3] - item.position[2]) + BELOW_M
    found = 0.0
    for name, other in objects.items():
        if name == item.id:
            continue
        inside = apply(inverse(poses[name]), pose[:3, 3])
        low, high = np.array(other.box_min), np.array(other.box_max)
        if (inside[:2] >= low[:2]).all() and (inside[:2] <= high[:2]).all():
            # A plate's floor is a little below its rim; what has no floor is lain on.
            local_m = float(high[2]) if other.region is None else float(other.region.center[2])
            floor_m = float(poses[name][2, 3]) + local_m
            found = floor_m if found < floor_m <= height_m else found
    return found
