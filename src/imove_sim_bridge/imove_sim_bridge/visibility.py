"""How much of each object a camera sees, by rays against contact shapes: no renderer, the same on every machine."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from imove_core.rig import Intrinsics
from imove_core.transforms import Array, apply, inverse
from imove_sim_bridge.rendering import COLLISION_GROUP
from imove_sim_bridge.scene_index import Scene

RAYS = 400
"""At most about this many rays go to one object, on a grid of whole pixels."""
_GROUPS = np.array([group == COLLISION_GROUP for group in range(mujoco.mjNGROUP)], np.uint8)


def visible_shares(scene: Scene, data: mujoco.MjData) -> dict[str, float]:
    """By object id, the share of its pixels that the fixed camera sees that sees most of it; 0 without such a camera.

    Args:
        scene: The scene.
        data: Its state; kinematics must be up to date.
    """
    fixed = [camera for camera in scene.rig.cameras if camera.arm_and_link is None]
    shares = {}
    for index, object_id in enumerate(scene.owners.object_ids):
        geoms = np.flatnonzero(np.equal(scene.owners.object_of_geom, index)).tolist()
        body, asset = scene.object_bodies[index], scene.assets[index]
        corners = np.array(np.meshgrid(*zip(asset.box_min, asset.box_max, strict=True))).reshape(3, -1).T
        in_world = corners @ data.xmat[body].reshape(3, 3).T + data.xpos[body]
        shares[object_id] = max(
            (
                visible_share(scene.model, data, camera.parent_from_optical.matrix, camera.intrinsics, geoms, in_world)
                for camera in fixed
            ),
            default=0.0,
        )
    return shares


def visible_share(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    world_from_optical: Array,
    intrinsics: Intrinsics,
    geoms: Sequence[int],
    corners: Array,
) -> float:
    """The share of an object's pixels that nothing else hides.

    Args:
        model: The scene.
        data: Its state; kinematics must be up to date.
        world_from_optical: (4, 4) pose of the camera's optical frame.
        intrinsics: Of the image.
        geoms: Ids of the object's contact shapes.
        corners: (8, 3) of the object's box, world frame, m.

    Returns:
        Rays inside the image whose first hit is the object, over rays that hit it when it is alone, also outside of the
        image; 0 where none hits it.
    """
    directions, inside = _rays(world_from_optical, intrinsics, corners)
    if not len(directions):
        return 0.0
    start = world_from_optical[:3, 3]
    own = np.isin(np.arange(model.ngeom), geoms)
    seen = np.isin(_first_hits(model, data, start, directions), geoms)
    rgba = model.geom_rgba.copy()
    try:
        # Rays pass through what is fully transparent.
        model.geom_rgba[~own, 3] = 0.0
        alone = np.isin(_first_hits(model, data, start, directions), geoms)
    finally:
        model.geom_rgba[:] = rgba
    return float(np.sum(seen & inside) / np.sum(alone)) if alone.any() else 0.0


def _rays(world_from_optical: Array, intrinsics: Intrinsics, corners: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Unit directions (N, 3), world frame, to a grid over the box's outline, and whether each is inside the image."""
    in_camera = apply(inverse(world_from_optical), corners)
    if np.any(in_camera[:, 2] <= 0):
        return np.zeros((0, 3)), np.zeros(0, bool)
    projected = in_camera @ intrinsics.matrix.T
    pixels = projected[:, :2] / projected[:, 2:]
    low, high = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
    step = max(1.0, np.ceil(np.sqrt(np.prod(high - low + 1) / RAYS)))
    columns, rows = np.meshgrid(*(np.arange(a, b + 1, step) for a, b in zip(low, high, strict=True)))
    u, v = columns.ravel(), rows.ravel()
    inside = (u >= 0) & (u <= intrinsics.width - 1) & (v >= 0) & (v <= intrinsics.height - 1)
    along = np.column_stack([(u - intrinsics.cx) / intrinsics.fx, (v - intrinsics.cy) / intrinsics.fy, np.ones(len(u))])
    world = along @ world_from_optical[:3, :3].T
    return world / np.linalg.norm(world, axis=1, keepdims=True), inside


def _first_hits(model: mujoco.MjModel, data: mujoco.MjData, start: Array, directions: Array) -> NDArray[np.int32]:
    """Ids of the first contact shape on each ray (N,), -1 for none."""
    count = len(directions)
    geoms, distances = np.full(count, -1, np.int32), np.zeros(count)
    mujoco.mj_multiRay(
        model, data, start, directions.ravel(), _GROUPS, 1, -1, geoms, distances, None, count, mujoco.mjMAXVAL
    )
    return geoms
