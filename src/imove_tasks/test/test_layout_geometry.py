"""The geometry that layouts rest on: outlines, views, what hides what, regions of relations, uniform points."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Point

from imove_core.meaning import SPATIAL_RELATIONS
from imove_core.rig import Rig, load_rig
from imove_core.transforms import rotation_about_axis, transform
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.layout import (
    Apart,
    Arrangement,
    AwayFromHome,
    Inside,
    InView,
    JawRoom,
    Placement,
    Station,
    Visible,
    check,
    fixed_views,
    footprint_polygon,
    in_view,
)
from imove_tasks.layout.regions import about, failing, holding, steady
from imove_tasks.layout.sampling import uniform_points
from imove_tasks.layout.solids import Solid
from imove_tasks.relations import judge

from . import layout_referee as referee

RIG = load_rig("piperx_dual")
FRANKA = load_rig("franka_single")
ASSETS = list(AssetLibrary.generate(instances_per_category=1))
GRASPABLE = [asset for asset in ASSETS if asset.grips]
angles = st.floats(-np.pi, np.pi)
numbers = st.integers(0, len(ASSETS) - 1)
shifts = st.floats(-0.5, 0.5)


def upright(asset: Asset, x: float, y: float, yaw: float = 0.0) -> Placement:
    return Placement(asset, transform(rotation_about_axis([0, 0, 1], yaw), [x, y, -asset.box_min[2]]))


@given(number=numbers, x=shifts, y=shifts, roll=angles, yaw=angles)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_a_footprint_is_the_hull_of_the_object_seen_from_above_in_any_pose(
    number: int, x: float, y: float, roll: float, yaw: float
) -> None:
    asset = ASSETS[number]
    rotation = rotation_about_axis([0, 0, 1], yaw) @ rotation_about_axis([1, 0, 0], roll)
    pose = transform(rotation, [x, y, 0.1])
    polygon, expected = footprint_polygon(asset, pose), referee.outline(Placement(asset, pose))
    assert polygon.hausdorff_distance(expected) < 1e-6
    assert polygon.area == pytest.approx(expected.area, abs=1e-9)


@given(number=numbers, roll=angles)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_core_and_reach_enclose_the_outline_from_both_sides(number: int, roll: float) -> None:
    asset = ASSETS[number]
    solid = Solid.of(asset, rotation_about_axis([1, 0, 0], roll))
    outline = solid.at(np.zeros(3)).outline
    assert Point(0, 0).buffer(solid.reach_m + 1e-9, quad_segs=400).buffer(1e-4).covers(outline)
    if solid.core_m:
        assert outline.buffer(1e-9).covers(Point(0, 0).buffer(solid.core_m))


@given(number=numbers, y=st.floats(-0.4, 0.4), x=st.floats(0.1, 0.7), yaw=angles)
@settings(deadline=None, derandomize=True, max_examples=80)
def test_what_is_in_view_is_where_the_region_says_and_what_the_referee_says(
    number: int, x: float, y: float, yaw: float
) -> None:
    asset = ASSETS[number]
    for rig in (RIG, FRANKA):
        placement = upright(asset, x, y, yaw)
        verdicts = referee.in_view(rig, placement, 4.0)
        assert in_view(rig, asset, placement.world_from_object) == all(verdicts)
        for cameras in ("all", "any"):
            constraint = InView(cameras=cameras)
            seen = referee.enough(verdicts, cameras)
            assert seen == (not check(rig, {"it": placement}, [constraint]))
            layout = Arrangement(Station(rig), {"it": Solid.of(asset, np.eye(3))}, {})
            region = constraint.region(layout, "it", None)
            assert region.buffer(1e-6).covers(Point(x, y)) or not seen


def test_view_ends_at_the_edge_of_the_image() -> None:
    asset = min(ASSETS, key=lambda item: item.extents.max())
    places = np.linspace(0, 0.9, 60)
    sight = [in_view(RIG, asset, transform(None, [0.32, y, -asset.box_min[2]])) for y in places]
    # Once out of view, it stays out; the square crop of 224 pixels ends where the image's height ends.
    assert sight[0] and sight == sorted(sight, reverse=True)
    last = places[sight.index(False) - 1]
    half_view_m = 0.85 * 240 / 384
    assert half_view_m - 0.06 < last + asset.box_max[1] < half_view_m


@pytest.mark.parametrize("rig", [RIG, FRANKA], ids=lambda rig: rig.name)
def test_the_visible_share_is_never_above_that_of_rays_and_seldom_far_below(rig: Rig) -> None:
    rng = np.random.default_rng(0)
    differences = []
    middle = [np.mean(rig.workspace.x), np.mean(rig.workspace.y)]
    for _ in range(12):
        assets = [ASSETS[index] for index in rng.choice(len(ASSETS), 4, replace=False)]
        layout = {}
        while len(layout) < 4:
            pose = upright(assets[len(layout)], *(middle + rng.uniform(-0.12, 0.12, 2)), rng.uniform(-3, 3))
            trial = {**layout, f"object_{len(layout)}": pose}
            layout = trial if not check(rig, trial, [Apart(0.004)]) else layout
        for key in layout:
            # The share is where the constraint turns, found by halving.
            for number, ray_share in enumerate(referee.visible_shares(rig, layout, key, rng)):
                differences.append(ray_share - engine_share(rig, layout, key, number))
    assert min(differences) > -0.03
    assert np.quantile(differences, 0.9) < 0.03


def engine_share(rig: Rig, layout: dict[str, Placement], key: str, number: int) -> float:
    """Largest share that `Visible` grants an object in one fixed camera."""
    name = fixed_views(rig)[number].camera.name
    kept = tuple(camera for camera in rig.cameras if camera.parent != "world" or camera.name == name)
    alone = rig.model_copy(update={"cameras": kept, "required_cameras": tuple(camera.name for camera in kept)})
    low, high = 0.0, 1.0
    for _ in range(8):
        middle = (low + high) / 2
        faults = check(alone, layout, [Visible(middle)])
        granted = not any(f" of {key} " in fault for fault in faults)
        low, high = (middle, high) if granted else (low, middle)
    return high


@pytest.mark.parametrize("reach", [0.0, 0.01, 0.02])
@pytest.mark.parametrize("relation", SPATIAL_RELATIONS)
def test_regions_of_relations_are_where_they_steadily_hold_and_fail(relation: str, reach: float) -> None:
    rng = np.random.default_rng(2)
    reference = np.array([0.2, -0.1])
    holds, fails = about(holding(relation, reach), reference), about(failing(relation, reach), reference)
    spots = reference + rng.uniform(-0.8, 0.8, (1500, 2))
    verdicts = [steady(relation, spot, reference, reach) for spot in spots]
    border = 0.001
    for region, expected in ((holds, [v.holds for v in verdicts]), (fails, [v.fails for v in verdicts])):
        points = shapely.points(spots)
        clear = shapely.distance(points, region.boundary) > border
        np.testing.assert_array_equal(shapely.contains(region, points)[clear], np.array(expected)[clear])
        assert 0 < sum(expected) < len(expected)


@given(
    relation=st.sampled_from(SPATIAL_RELATIONS),
    bearing=angles,
    distance=st.floats(0.03, 0.6),
    reach=st.floats(0.001, 0.02),
    way=angles,
    share=st.floats(0, 1),
)
@settings(deadline=None, derandomize=True, max_examples=400)
def test_a_steady_verdict_survives_every_change_within_reach(
    relation: str, bearing: float, distance: float, reach: float, way: float, share: float
) -> None:
    place = distance * np.array([np.cos(bearing), np.sin(bearing)])
    verdict = steady(relation, place, np.zeros(2), reach)
    change = (share * reach - 1e-9) * np.array([np.cos(way), np.sin(way)])
    after = judge(relation, place + change, np.zeros(2))
    assert after.holds or not verdict.holds
    assert after.fails or not verdict.fails


def test_a_region_seen_backwards_holds_the_references() -> None:
    rng = np.random.default_rng(0)
    subject = np.array([0.3, 0.1])
    region = about(holding("left_of", 0.0), subject, reverse=True)
    for spot in subject + rng.uniform(-0.6, 0.6, (300, 2)):
        if region.boundary.distance(Point(spot)) > 1e-3:
            assert region.contains(Point(spot)) == judge("left_of", subject, spot).holds


def test_points_are_uniform_in_polygons_with_holes_and_several_parts() -> None:
    shape = shapely.box(0, 0, 2, 2).difference(shapely.box(0.5, 0.5, 1.5, 1.5)) | shapely.box(3, 0, 4, 1)
    points = uniform_points(shape, 8000, np.random.default_rng(0))
    assert shapely.covers(shape.buffer(1e-9), shapely.points(points)).all()
    parts = [shapely.box(0, 0, 2, 0.5), shapely.box(0, 1.5, 1, 2), shapely.box(3, 0, 4, 1), shapely.box(0, 0, 0.5, 2)]
    for part in parts:
        share = shapely.contains(part, shapely.points(points)).mean()
        expected = part.area / shape.area
        assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / len(points))


def test_the_workspace_bounds_origins_and_the_table_bounds_outlines() -> None:
    asset = max(ASSETS, key=lambda item: item.extents[0])
    edge = RIG.workspace.x[1]
    assert check(RIG, {"it": upright(asset, edge - 0.001, 0.0)}, [Inside()]) == []
    assert check(RIG, {"it": upright(asset, edge + 0.001, 0.0)}, [Inside()]) == [
        f"inside: it lies at ({edge + 0.001:.3f}, 0.000) m, outside of the workspace"
    ]
    table = RIG.table.model_copy(update={"x": (RIG.table.x[0], edge + asset.box_max[0] - 0.002)})
    narrow = RIG.model_copy(update={"table": table})
    assert check(narrow, {"it": upright(asset, edge - 0.001, 0.0)}, [Inside()]) == [
        "inside: it reaches beyond the table"
    ]


def test_jaws_need_room_on_the_sides_where_an_object_is_gripped_only() -> None:
    # A bar along x is gripped across y: blocks at its ends do not matter, blocks on both long sides do.
    bar = next(
        asset
        for asset in GRASPABLE
        if asset.extents[0] > 3 * asset.extents[1]
        and all(abs(grip.closing_axis[1]) > 0.99 and not grip.free_yaw for grip in asset.grips)
    )
    block = next(asset for asset in GRASPABLE if 0.04 < asset.height_m < 0.06 and asset.extents[:2].max() < 0.06)
    beside = bar.extents[1] / 2 + np.linalg.norm(block.footprint, axis=1).max() + 0.004
    beyond = bar.extents[0] / 2 + np.linalg.norm(block.footprint, axis=1).max() + 0.02
    at = {"bar": upright(bar, 0.33, 0.0)}
    ends = {**at, "one": upright(block, 0.33 + beyond, 0.0), "two": upright(block, 0.33 - beyond, 0.0)}
    sides = {**at, "one": upright(block, 0.33, beside), "two": upright(block, 0.33, -beside)}
    wanted = JawRoom(0.003, ("bar",))
    assert check(RIG, ends, [wanted]) == []
    assert check(RIG, sides, [wanted]) == ["jaw room: no open gripper fits around bar"]
    assert not referee.has_jaw_room(RIG, sides, "bar", 0.003)


@given(
    chosen=st.lists(st.integers(0, len(GRASPABLE) - 1), min_size=2, max_size=4),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_where_jaws_have_room_no_part_of_the_hand_touches_a_neighbour(chosen: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    layout = {
        f"object_{number}": upright(GRASPABLE[index], *rng.uniform([0.25, -0.15], [0.41, 0.15]), rng.uniform(-3, 3))
        for number, index in enumerate(chosen)
    }
    for key in layout:
        if not check(RIG, layout, [JawRoom(0.005, (key,))]):
            assert referee.has_jaw_room(RIG, layout, key, 0.005)


def test_only_high_objects_are_kept_from_below_the_hands_at_home() -> None:
    high = max(GRASPABLE, key=lambda asset: asset.height_m)
    flat = min(GRASPABLE, key=lambda asset: asset.height_m)
    left = RIG.arms[0]
    hand = referee.apply(left.world_from_base.matrix, referee.tool_pose(left.arm_model, np.array(left.home))[:3, 3])
    below = {"it": upright(high, hand[0], hand[1])}
    raised = {"it": Placement(high, transform(None, [hand[0], hand[1], hand[2]]))}
    assert check(RIG, raised, [AwayFromHome()]) == ["away from home: it is less than 20 mm from arm left at home"]
    assert (check(RIG, below, [AwayFromHome()]) == []) == (high.height_m + 0.02 < hand[2] - 0.01)
    assert check(RIG, {"it": upright(flat, hand[0], hand[1])}, [AwayFromHome()]) == []
