"""What fits into what, and where it then stands."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Point, Polygon, box
from shapely.affinity import rotate, scale, translate

from imove_core.spec import PlaceRegion
from imove_core.transforms import rotation_about_axis
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.placing import FLAT_DEPTH_M, FLOOR_MARGIN_M, fits, on_floor, outline, stands


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate(instances_per_category=1)


def floor(half_x: float, half_y: float, is_round: bool) -> PlaceRegion:
    return PlaceRegion(center=(0.0, 0.0, 0.0), half_extents=(half_x, half_y), round=is_round)


def area(region: PlaceRegion, margin_m: float) -> Polygon:
    """The floor without its margin, the independent way: as a polygon."""
    half_x, half_y = (half - margin_m for half in region.half_extents)
    if region.round:
        return scale(Point(0, 0).buffer(1.0, quad_segs=256), half_x, half_y)
    return box(-half_x, -half_y, half_x, half_y)


def one(library: AssetLibrary, category: str) -> Asset:
    return library.in_category(category)[0]


@given(
    half=st.tuples(st.floats(0.03, 0.12), st.floats(0.03, 0.12)),
    is_round=st.booleans(),
    turn=st.floats(-np.pi, np.pi),
    category=st.sampled_from(["egg", "ballpoint_pen", "canned_coke", "stapler", "scissors", "apple"]),
)
@settings(deadline=None, derandomize=True, max_examples=40)
def test_what_stands_on_a_floor_has_its_whole_outline_on_it(
    library: AssetLibrary, half: tuple[float, float], is_round: bool, turn: float, category: str
) -> None:
    asset, region = one(library, category), floor(*half, is_round)
    allowed = area(region, FLOOR_MARGIN_M).buffer(1e-5)
    seen = Polygon(asset.footprint)
    found = list(stands(asset, rotation_about_axis([0, 0, 1], turn), region))
    for stand in found:
        turned = rotate(seen, turn + stand.yaw_rad, origin=(0, 0), use_radians=True)
        assert allowed.covers(translate(turned, stand.x, stand.y))
    # Found or not, it does not depend on how the object is turned at first.
    assert bool(found) == bool(list(stands(asset, np.eye(3), region)))


def test_the_middle_of_a_floor_comes_first(library: AssetLibrary) -> None:
    found = list(stands(one(library, "egg"), np.eye(3), floor(0.08, 0.08, True)))
    middle = [not (stand.x or stand.y) for stand in found]
    assert middle[0] and not middle[-1]
    assert middle == sorted(middle, reverse=True)


@given(points=st.lists(st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)), min_size=1), is_round=st.booleans())
@settings(deadline=None, derandomize=True)
def test_points_on_a_floor_are_those_inside_its_shape(points: list[tuple[float, float]], is_round: bool) -> None:
    region = floor(0.1, 0.06, is_round)
    shape = area(region, 0.01)
    for point, inside in zip(points, on_floor(np.array(points), region, 0.01), strict=True):
        if shape.boundary.distance(Point(point)) > 1e-4:
            assert inside == shape.contains(Point(point))


def test_nothing_is_on_a_floor_smaller_than_its_margin() -> None:
    assert not on_floor(np.zeros((1, 2)), floor(0.004, 0.1, False), 0.004).any()


def test_the_outline_of_a_thing_on_its_side_is_that_side(library: AssetLibrary) -> None:
    can = one(library, "canned_coke")
    lying = rotation_about_axis([1, 0, 0], np.pi / 2)
    assert np.ptp(outline(can, np.eye(3)), axis=0) == pytest.approx(can.extents[:2], abs=1e-6)
    assert np.ptp(outline(can, lying), axis=0) == pytest.approx(can.extents[[0, 2]], abs=1e-6)


@pytest.mark.parametrize(
    ("what", "where", "expected"),
    [
        ("apple", "plate", True),
        ("apple", "bowl", True),
        ("canned_coke", "coaster", True),
        ("stapler", "tray", True),
        ("ballpoint_pen", "tray", True),
        # Longer than the mug is wide: it would lie across the rim.
        ("ballpoint_pen", "mug", False),
        ("ballpoint_pen", "pen_holder", False),
        ("chopsticks", "plate", False),
        # No container, nothing to be held by.
        ("apple", "stapler", False),
        ("tray", "tray", False),
        ("plate", "tray", False),
    ],
)
def test_pairs_that_everybody_would_judge_alike(library: AssetLibrary, what: str, where: str, expected: bool) -> None:
    assert fits(one(library, what), one(library, where)) is expected


def test_what_rolls_is_not_put_where_no_rim_holds_it(library: AssetLibrary) -> None:
    coaster, can = one(library, "coaster"), one(library, "canned_coke")
    assert coaster.region is not None
    assert coaster.box_max[2] - coaster.region.center[2] < FLAT_DEPTH_M
    unsteady = dataclasses.replace(
        can, stable_poses=(dataclasses.replace(can.stable_poses[0], tip_angle_rad=0.05), *can.stable_poses[1:])
    )
    assert fits(can, coaster) and not fits(unsteady, coaster)
    assert fits(unsteady, one(library, "tray"))


def test_what_would_fall_far_does_not_fit(library: AssetLibrary) -> None:
    # The fingers do not fit beside it, so it would be let go at the rim.
    tray, eraser = one(library, "tray"), one(library, "eraser")
    assert tray.region is not None
    narrow = dataclasses.replace(tray.region, half_extents=(0.03, 0.03))
    deep = dataclasses.replace(tray, uuid="deep", region=narrow, box_max=tray.box_max + [0, 0, 0.10])
    shallow = dataclasses.replace(tray, uuid="shallow", region=narrow)
    assert fits(eraser, shallow) and not fits(eraser, deep)
