"""Seeded layouts: objects on the table, apart from each other, in view, each within reach of an arm."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from imove_core.errors import ImoveError
from imove_core.rig import WORLD_FRAME, Camera, Rig
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform
from imove_tasks.assets.model import Asset

# The open gripper (70 mm, fingers 14 mm thick) must fit between neighbours on at least one side of each object.
SEPARATION_M = 0.045
EDGE_MARGIN_PX = 4.0
VIEW_SIZES = ((640, 480), (224, 224))
"""Image sizes in which every object must be wholly in view: the device's, and a square crop."""


@dataclass(frozen=True)
class Placement:
    """An object on the table: its asset and `world_from_object` (4, 4)."""

    asset: Asset
    world_from_object: Array


Feasibility = Callable[[Sequence[Placement]], str]
"""Returns "" when every object can be picked, else the reason why not."""


@dataclass(frozen=True)
class LayoutSettings:
    """Limits of the search.

    Attributes:
        tries_per_object: Places tried for one object before the layout is started anew.
        restarts: Layouts tried before giving up.
    """

    tries_per_object: int = 60
    restarts: int = 200


def draw_layout(
    rig: Rig,
    assets: Sequence[Asset],
    rng: np.random.Generator,
    feasibility: Feasibility,
    settings: LayoutSettings = LayoutSettings(),
) -> list[Placement]:
    """Places all assets, the largest first, with random position and yaw.

    Args:
        rig: Workspace and cameras.
        assets: Objects to place; the result is in this order.
        rng: Source of all draws.
        feasibility: Checks a whole layout.
        settings: Limits of the search.

    Raises:
        ImoveError: No layout was found; the message names the constraint that failed most.
    """
    order = sorted(range(len(assets)), key=lambda index: -_radius(assets[index]))
    failures: Counter[str] = Counter()
    for _ in range(settings.restarts):
        placed: dict[int, Placement] = {}
        polygons: list[Polygon] = []
        for index in order:
            found = _place(rig, assets[index], polygons, rng, settings.tries_per_object, failures)
            if found is None:
                break
            placed[index], polygon = found
            polygons.append(polygon)
        else:
            layout = [placed[index] for index in range(len(assets))]
            reason = feasibility(layout)
            if not reason:
                return layout
            failures[reason] += 1
    constraint, count = failures.most_common(1)[0]
    raise ImoveError(
        f"no layout of {len(assets)} objects was found in {settings.restarts} tries; '{constraint}' failed most, "
        f"{count} times"
    )


def _place(
    rig: Rig,
    asset: Asset,
    polygons: list[Polygon],
    rng: np.random.Generator,
    tries: int,
    failures: Counter[str],
) -> tuple[Placement, Polygon] | None:
    for _ in range(tries):
        x, y = rng.uniform(*rig.workspace.x), rng.uniform(*rig.workspace.y)
        yaw = rng.uniform(-np.pi, np.pi)
        pose = transform(rotation_about_axis([0, 0, 1.0], yaw), [x, y, -asset.box_min[2]])
        polygon = footprint_polygon(asset, pose)
        if any(polygon.distance(other) < SEPARATION_M for other in polygons):
            failures["separation"] += 1
        elif not in_view(rig, asset, pose):
            failures["view"] += 1
        else:
            return Placement(asset, pose), polygon
    return None


def footprint_polygon(asset: Asset, world_from_object: Array) -> Polygon:
    """The object's outline on the table, world frame."""
    corners = np.column_stack([asset.footprint, np.zeros(len(asset.footprint))])
    return Polygon(apply(world_from_object, corners)[:, :2])


def in_view(rig: Rig, asset: Asset, world_from_object: Array) -> bool:
    """Whether every fixed camera sees the whole box of the object at all of `VIEW_SIZES`."""
    corners = np.array(np.meshgrid(*zip(asset.box_min, asset.box_max, strict=True))).reshape(3, -1).T
    points = apply(world_from_object, corners)
    fixed = [camera for camera in rig.cameras if camera.parent == WORLD_FRAME]
    return all(_projects_inside(camera, points, *size) for camera in fixed for size in VIEW_SIZES)


def _projects_inside(camera: Camera, points: Array, width: int, height: int) -> bool:
    intrinsics = camera.intrinsics.resized(width, height)
    in_camera = apply(inverse(camera.parent_from_optical.matrix), points)
    if np.any(in_camera[:, 2] <= 0):
        return False
    pixels = in_camera @ intrinsics.matrix.T
    pixels = pixels[:, :2] / pixels[:, 2:]
    size = np.array([width, height])
    return bool(np.all(pixels >= EDGE_MARGIN_PX) and np.all(pixels <= size - 1 - EDGE_MARGIN_PX))


def _radius(asset: Asset) -> float:
    return float(np.linalg.norm(asset.footprint, axis=1).max())
