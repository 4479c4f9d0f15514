"""Judges layouts by the words of each constraint alone, by corners of meshes and sampled points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product

import numpy as np
import shapely
from scipy.spatial import ConvexHull
from shapely import MultiPoint, Polygon

from imove_core.kinematics import finger_poses, link_poses, tool_pose
from imove_core.rig import WORLD_FRAME, Arm, Camera, Rig
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform
from imove_description.arm_model import load_arm_model
from imove_description.shapes import CollisionBox, CollisionShape
from imove_tasks.assets.model import Asset
from imove_tasks.layout import (
    Apart,
    AwayFromHome,
    Constraint,
    Distance,
    FreeSpot,
    Inside,
    InView,
    JawRoom,
    NotRelation,
    Placement,
    Relation,
    Visible,
)
from imove_tasks.relations import Verdict, judge

Layout = Mapping[str, Placement]
EPSILON_M = 1e-6
RAYS = 1500
XY = np.array([True, True, False])


def corners(placement: Placement) -> Array:
    """All corners of all meshes in the world."""
    vertices = np.vstack([mesh.vertices for mesh in placement.asset.visuals])
    return apply(placement.world_from_object, vertices)


def outline(placement: Placement) -> Polygon:
    return MultiPoint(corners(placement)[:, :2]).convex_hull


def place(layout: Layout, key: str) -> Array:
    return layout[key].world_from_object[:2, 3]


def fulfils(rig: Rig, layout: Layout, constraint: Constraint, rng: np.random.Generator) -> bool:
    """Whether a layout fulfils a constraint."""
    match constraint:
        case Inside():
            return all(inside(rig, placement) for placement in layout.values())
        case Apart():
            outlines = [outline(placement) for placement in layout.values()]
            return all(
                one.distance(other) >= constraint.distance_m - EPSILON_M
                for number, one in enumerate(outlines)
                for other in outlines[:number]
            )
        case InView():
            return all(enough(in_view(rig, p, constraint.margin_px), constraint.cameras) for p in layout.values())
        case Visible():
            return all(enough(visible(rig, layout, key, constraint.share, rng), constraint.cameras) for key in layout)
        case JawRoom():
            keys = constraint.object_ids or [key for key in layout if layout[key].asset.grips]
            return all(has_jaw_room(rig, layout, key, constraint.clearance_m) for key in keys)
        case AwayFromHome():
            return all(home_is_clear(arm, layout, constraint.clearance_m) for arm in rig.arms)
        case Relation():
            return all(verdict.holds for verdict in moved(layout, constraint, rng))
        case NotRelation():
            return all(verdict.fails for verdict in moved(layout, constraint, rng))
        case Distance():
            between = np.linalg.norm(place(layout, constraint.first_id) - place(layout, constraint.second_id))
            return constraint.low_m <= between <= constraint.high_m
        case FreeSpot():
            return all(has_spot(rig, layout, constraint, key, rng) for key in constraint.object_ids)
    raise AssertionError(f"the referee does not know {constraint}")


def inside(rig: Rig, placement: Placement) -> bool:
    x, y = placement.world_from_object[:2, 3]
    points = corners(placement)
    (near, far), (right, left) = rig.table.x, rig.table.y
    return (
        rig.workspace.x[0] <= x <= rig.workspace.x[1]
        and rig.workspace.y[0] <= y <= rig.workspace.y[1]
        and near <= points[:, 0].min()
        and points[:, 0].max() <= far
        and right <= points[:, 1].min()
        and points[:, 1].max() <= left
    )


def enough(verdicts: list[bool], cameras: str) -> bool:
    return all(verdicts) if cameras == "all" else any(verdicts)


def fixed(rig: Rig) -> Iterator[Camera]:
    return (camera for camera in rig.cameras if camera.parent == WORLD_FRAME)


def in_view(rig: Rig, placement: Placement, margin_px: float) -> list[bool]:
    verdicts = []
    for camera in fixed(rig):
        seen = apply(inverse(camera.parent_from_optical.matrix), corners(placement))
        ok = bool(seen[:, 2].min() > 0)
        for width, height in ((640, 480), (224, 224)):
            k = camera.intrinsics.resized(width, height)
            columns = k.fx * seen[:, 0] / seen[:, 2] + k.cx
            rows = k.fy * seen[:, 1] / seen[:, 2] + k.cy
            ok &= bool(margin_px - EPSILON_M <= min(columns.min(), rows.min()))
            ok &= bool(columns.max() <= width - 1 - margin_px + EPSILON_M)
            ok &= bool(rows.max() <= height - 1 - margin_px + EPSILON_M)
        verdicts.append(ok)
    return verdicts


@lru_cache(maxsize=64)
def hull_planes(asset: Asset) -> Array:
    """(F, 4) normals and offsets of the faces of an object's convex hull."""
    return ConvexHull(np.vstack([mesh.vertices for mesh in asset.visuals])).equations


def hit_depths(placement: Placement, origin: Array, rays: Array) -> Array:
    """Distance along rays (N, 3) to the convex hull of an object, infinite where they miss it."""
    planes = hull_planes(placement.asset)
    rotation, position = placement.world_from_object[:3, :3], placement.world_from_object[:3, 3]
    ahead, away = rays @ rotation @ planes[:, :3].T, (origin - position) @ rotation @ planes[:, :3].T + planes[:, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -away / ahead
    enter = np.where(ahead < 0, at, -np.inf).max(axis=1)
    leave = np.where(ahead > 0, at, np.inf).min(axis=1)
    return np.where(enter < leave, enter, np.inf)


def visible_shares(rig: Rig, layout: Layout, key: str, rng: np.random.Generator) -> list[float]:
    """Share of rays to an object, spread over its outline in each fixed camera, that nothing else stops."""
    shares = []
    for camera in fixed(rig):
        world_from_optical = camera.parent_from_optical.matrix
        seen = apply(inverse(world_from_optical), corners(layout[key]))
        image = seen[:, :2] / seen[:, 2:]
        points = rng.uniform(image.min(axis=0), image.max(axis=0), (RAYS, 2))
        rays = np.column_stack([points, np.ones(len(points))]) @ world_from_optical[:3, :3].T
        origin = world_from_optical[:3, 3]
        mine = hit_depths(layout[key], origin, rays)
        others = [hit_depths(layout[other], origin, rays) for other in layout if other != key]
        first = np.min(others, axis=0) if others else np.full(len(rays), np.inf)
        k = camera.intrinsics.resized(224, 224)
        within = (np.abs(points * [k.fx, k.fy] + [k.cx, k.cy] - 111.5) <= 111.5).all(axis=1)
        on_it = np.isfinite(mine)
        shares.append(float((on_it & within & (mine < first)).sum() / on_it.sum()))
    return shares


def visible(rig: Rig, layout: Layout, key: str, share: float, rng: np.random.Generator) -> list[bool]:
    # Three standard errors of a share near 0.9 of the thousand rays that meet the object.
    return [seen >= share - 0.03 for seen in visible_shares(rig, layout, key, rng)]


def points_on(shape: CollisionShape) -> Array:
    """Points about 8 mm apart on a collision shape, link frame."""
    if isinstance(shape, CollisionBox):
        axes = [np.linspace(-0.5, 0.5, int(size / 0.008) + 2) for size in shape.size_m]
        grid = np.array(list(product(*axes)))
        return apply(shape.link_from_box, grid[np.abs(grid).max(axis=1) == 0.5] * shape.size_m)
    along = shape.end_m - shape.start_m
    across = np.linalg.svd(along[None] / np.linalg.norm(along))[2][1:]
    angles = np.linspace(0, 2 * np.pi, 24)
    rim = shape.radius_m * (np.cos(angles)[:, None] * across[0] + np.sin(angles)[:, None] * across[1])
    return np.vstack([shape.start_m + share * along + rim for share in np.linspace(0, 1, 12)])


@lru_cache(maxsize=64)
def hand_points(model_name: str, opening_m: float) -> Array:
    """Points of palm and fingers in the tool frame."""
    model = load_arm_model(model_name)
    joints = np.zeros(len(model.joints))
    links = link_poses(model, joints)
    links |= finger_poses(model, links[model.gripper.base_link], opening_m)
    points = []
    for name in (model.gripper.base_link, *(finger.child for finger in model.gripper.fingers)):
        shapes = [*model.link(name).collision]
        shapes += [model.gripper.pad_box(finger) for finger in model.gripper.fingers if finger.child == name]
        points += [apply(inverse(tool_pose(model, joints)) @ links[name], points_on(shape)) for shape in shapes]
    return np.vstack(points)


def touches(points: Array, placement: Placement, clearance_m: float) -> bool:
    """Whether one of some points is within a clearance of the upright prism around an object."""
    solid = corners(placement)
    low = points[points[:, 2] < solid[:, 2].max()]
    near = np.all((low >= solid.min(axis=0) - clearance_m) & (low <= solid.max(axis=0) + clearance_m), axis=1, where=XY)
    distances = shapely.distance(shapely.points(low[near, :2]), outline(placement))
    return bool(distances.min(initial=np.inf) < clearance_m - EPSILON_M)


def has_jaw_room(rig: Rig, layout: Layout, key: str, clearance_m: float) -> bool:
    others = [placement for other, placement in layout.items() if other != key]
    asset: Asset = layout[key].asset
    for grip in asset.grips:
        opening = min(grip.opening_m + 0.012, rig.arms[0].arm_model.gripper.max_opening_m)
        points = hand_points(rig.arms[0].model, opening)
        for turn in np.arange(12 if grip.free_yaw else 1) * np.pi / 12:
            rotation = rotation_about_axis([0, 0, 1], turn)
            closing, approach = rotation @ grip.closing_axis, rotation @ grip.approach
            tool = transform(np.column_stack([np.cross(closing, approach), closing, approach]), grip.center)
            world_from_tool = layout[key].world_from_object @ tool
            in_world = apply(world_from_tool, points)
            ways = [in_world - back * world_from_tool[:3, 2] for back in (0.0, 0.03, 0.06, 0.09)]
            if world_from_tool[2, 2] < 0 and not any(touches(np.vstack(ways), p, clearance_m) for p in others):
                return True
    return False


def home_is_clear(arm: Arm, layout: Layout, clearance_m: float) -> bool:
    model = arm.arm_model
    poses = link_poses(model, np.array(arm.home))
    hand = apply(tool_pose(model, np.array(arm.home)), hand_points(arm.model, arm.home_opening_m))
    links = [apply(poses[j.child], points_on(s)) for j in model.joints for s in model.link(j.child).collision]
    points = apply(arm.world_from_base.matrix, np.vstack([hand, *links]))
    return not any(touches(points, placement, clearance_m) for placement in layout.values())


def moved(layout: Layout, constraint: Relation | NotRelation, rng: np.random.Generator) -> Iterator[Verdict]:
    """Verdicts with both objects moved by the margin, into the worst and other directions."""
    subject, reference = place(layout, constraint.subject_id), place(layout, constraint.reference_id)
    angles = np.concatenate([rng.uniform(0, 2 * np.pi, 60), np.linspace(0, 2 * np.pi, 73)])
    for angle in angles:
        way = (constraint.margin_m - EPSILON_M) * np.array([np.cos(angle), np.sin(angle)])
        yield judge(constraint.relation, subject + way, reference - way)


def has_spot(rig: Rig, layout: Layout, spot: FreeSpot, key: str, rng: np.random.Generator) -> bool:
    """Whether one of many places would do."""
    reference = place(layout, spot.reference_id)
    radius = np.linalg.norm(corners(layout[key])[:, :2] - place(layout, key), axis=1).max()
    others = shapely.union_all([outline(placement) for other, placement in layout.items() if other != key])
    (near, far), (right, left) = rig.table.x, rig.table.y
    for point in reference + rng.uniform(-0.6, 0.6, (20000, 2)):
        clear = radius - EPSILON_M <= min(point[0] - near, far - point[0], point[1] - right, left - point[1])
        if (
            clear
            and judge(spot.relation, point, reference).holds
            and others.distance(shapely.Point(point)) >= radius + spot.distance_m - 0.001
        ):
            return True
    return False
