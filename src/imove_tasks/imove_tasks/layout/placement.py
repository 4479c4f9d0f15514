"""What is to be placed, and where it was placed."""

from __future__ import annotations

from dataclasses import dataclass

from shapely import Polygon

from imove_core.transforms import Array
from imove_tasks.assets.model import Asset
from imove_tasks.layout.solids import Solid


@dataclass(frozen=True)
class Item:
    """An object that is to be placed.

    Attributes:
        id: How constraints and solutions call it.
        asset: What it is.
        stable_pose: How it rests: index into `asset.stable_poses`, 0 for the pose in which it is made.
    """

    id: str
    asset: Asset
    stable_pose: int = 0


@dataclass(frozen=True)
class Placement:
    """An object on the table: its asset and `world_from_object` (4, 4)."""

    asset: Asset
    world_from_object: Array


def footprint_polygon(asset: Asset, world_from_object: Array) -> Polygon:
    """The object's convex outline seen from above in any pose, world frame, m."""
    return Solid.of(asset, world_from_object[:3, :3]).at(world_from_object[:3, 3]).outline
