"""Objects on a table, for tests of motions."""

import numpy as np

from imove_core.spec import PlaceRegion
from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, rotation_about_axis, transform
from imove_motion.spots import PlaceGoal
from imove_tasks.assets.model import Asset

ZERO = np.zeros(3)


def standing(object_id: str, asset: Asset, x: float, y: float, yaw_rad: float = 0.0) -> ObjectState:
    """An object as it is made, on the table."""
    quaternion = np.array([0, 0, np.sin(yaw_rad / 2), np.cos(yaw_rad / 2)])
    position = np.array([x, y, -asset.box_min[2]])
    return ObjectState(object_id, position, quaternion, asset.box_min, asset.box_max, ZERO, ZERO)


def inside(container: Asset, state: ObjectState) -> PlaceGoal:
    """The goal to put something into a container."""
    region = container.region
    assert region is not None
    floor = PlaceRegion(center=tuple(region.center.tolist()), half_extents=region.half_extents, round=region.round)
    return PlaceGoal(state, "in", floor)


def corners(asset: Asset, world_from_object: Array) -> Array:
    """(8, 3) corners of an object's box in the world."""
    grid = np.array(np.meshgrid(*zip(asset.box_min, asset.box_max, strict=True))).reshape(3, -1).T
    return apply(world_from_object, grid)


def turned(yaw_rad: float, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """A pose (4, 4) turned about z."""
    return transform(rotation_about_axis([0, 0, 1], yaw_rad), [x, y, z])
