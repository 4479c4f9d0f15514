"""Drawn layouts: apart, in view, in the workspace, the same for a seed, and refusals that name the constraint."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Point

from imove_core.errors import ImoveError
from imove_core.rig import Rig, Workspace, load_rig
from imove_core.transforms import apply, inverse, rotation_about_axis, transform
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.layout import (
    SEPARATION_M,
    LayoutSettings,
    Placement,
    draw_layout,
    footprint_polygon,
    in_view,
)

RIG = load_rig("piperx_dual")
ASSETS = [asset for asset in AssetLibrary.generate(instances_per_category=1) if asset.grips]
FEW = LayoutSettings(tries_per_object=20, restarts=3)


def anything(layout: Sequence[Placement]) -> str:
    return ""


def draw(seed: int, count: int = 6, rig: Rig = RIG) -> list[Placement]:
    rng = np.random.default_rng(seed)
    assets = [ASSETS[index] for index in rng.choice(len(ASSETS), count, replace=False)]
    return draw_layout(rig, assets, rng, anything)


@pytest.fixture(scope="module")
def layouts() -> list[list[Placement]]:
    return [draw(seed) for seed in range(20)]


def outline(placement: Placement) -> np.ndarray:
    """World x and y (N, 2) of all corners of all meshes."""
    vertices = np.vstack([mesh.vertices for mesh in placement.asset.visuals])
    return apply(placement.world_from_object, vertices)[:, :2]


def test_objects_come_in_the_order_in_which_they_were_asked_for() -> None:
    layout = draw_layout(RIG, ASSETS[:6], np.random.default_rng(0), anything)
    assert [placement.asset.uuid for placement in layout] == [asset.uuid for asset in ASSETS[:6]]


def test_objects_stand_upright_on_the_table_inside_the_workspace(layouts: list[list[Placement]]) -> None:
    for placement in (placement for layout in layouts for placement in layout):
        pose = placement.world_from_object
        np.testing.assert_allclose(pose[:3, 2], [0, 0, 1], atol=1e-12)
        vertices = np.vstack([mesh.vertices for mesh in placement.asset.visuals])
        assert apply(pose, vertices)[:, 2].min() == pytest.approx(0, abs=1e-6)
        assert RIG.workspace.x[0] <= pose[0, 3] <= RIG.workspace.x[1]
        assert RIG.workspace.y[0] <= pose[1, 3] <= RIG.workspace.y[1]


def test_a_finger_fits_between_any_two_objects(layouts: list[list[Placement]]) -> None:
    for layout in layouts:
        for index, first in enumerate(layout):
            polygon = footprint_polygon(first.asset, first.world_from_object)
            for second in layout[index + 1 :]:
                gap = min(polygon.distance(Point(point)) for point in outline(second))
                assert gap >= SEPARATION_M - 1e-6


def test_every_corner_of_every_object_is_in_the_fixed_cameras_image(layouts: list[list[Placement]]) -> None:
    camera = RIG.camera("static_camera")
    for placement in (placement for layout in layouts for placement in layout):
        vertices = np.vstack([mesh.vertices for mesh in placement.asset.visuals])
        seen = apply(inverse(camera.parent_from_optical.matrix) @ placement.world_from_object, vertices)
        assert seen[:, 2].min() > 0
        for width, height in ((640, 480), (224, 224)):
            intrinsics = camera.intrinsics.resized(width, height)
            columns = intrinsics.fx * seen[:, 0] / seen[:, 2] + intrinsics.cx
            rows = intrinsics.fy * seen[:, 1] / seen[:, 2] + intrinsics.cy
            assert 0 <= columns.min() and columns.max() <= width - 1
            assert 0 <= rows.min() and rows.max() <= height - 1


def test_positions_and_yaws_spread_over_what_is_allowed(layouts: list[list[Placement]]) -> None:
    poses = np.array([placement.world_from_object for layout in layouts for placement in layout])
    yaws = np.arctan2(poses[:, 1, 0], poses[:, 0, 0])
    for values, (low, high) in (
        (poses[:, 0, 3], RIG.workspace.x),
        (poses[:, 1, 3], RIG.workspace.y),
        (yaws, (-np.pi, np.pi)),
    ):
        counts = np.histogram(values, bins=4, range=(low, high))[0]
        assert counts.sum() == 120 and counts.min() >= 10


def test_the_same_seed_gives_the_same_layout_and_another_another() -> None:
    first, again, other = draw(4), draw(4), draw(5)
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.world_from_object, two.world_from_object)
    assert not np.array_equal(first[0].world_from_object, other[0].world_from_object)


def with_workspace(x: tuple[float, float], y: tuple[float, float]) -> Rig:
    return RIG.model_copy(update={"workspace": Workspace(x=x, y=y)})


def test_a_workspace_that_is_too_small_names_separation() -> None:
    rig = with_workspace((0.3, 0.36), (-0.03, 0.03))
    with pytest.raises(ImoveError, match="no layout of 6 objects was found in 3 tries; 'separation' failed most, "):
        draw_layout(rig, ASSETS[:6], np.random.default_rng(0), anything, FEW)


def test_a_workspace_out_of_view_names_view() -> None:
    rig = with_workspace((2.0, 3.0), (2.0, 3.0))
    with pytest.raises(ImoveError, match="no layout of 2 objects was found in 3 tries; 'view' failed most, 60 times"):
        draw_layout(rig, ASSETS[:2], np.random.default_rng(0), anything, FEW)


def test_what_the_feasibility_check_refuses_is_named_and_counted() -> None:
    seen = []

    def refuse(layout: Sequence[Placement]) -> str:
        seen.append(len(layout))
        return "grasp"

    with pytest.raises(ImoveError, match="no layout of 3 objects was found in 3 tries; 'grasp' failed most, 3 times"):
        draw_layout(RIG, ASSETS[:3], np.random.default_rng(0), refuse, FEW)
    assert seen == [3, 3, 3]


def test_a_layout_that_is_refused_is_drawn_anew() -> None:
    drawn: list[np.ndarray] = []

    def refuse_the_first_two(layout: Sequence[Placement]) -> str:
        drawn.append(layout[0].world_from_object)
        return "" if len(drawn) == 3 else "grasp"

    layout = draw_layout(RIG, ASSETS[:3], np.random.default_rng(0), refuse_the_first_two)
    assert len({pose.tobytes() for pose in drawn}) == 3
    np.testing.assert_array_equal(layout[0].world_from_object, drawn[-1])


@given(asset=st.sampled_from(ASSETS), x=st.floats(-1, 1), y=st.floats(-1, 1), yaw=st.floats(-4, 4))
@settings(deadline=None, derandomize=True)
def test_footprint_covers_the_object_seen_from_above(asset: Asset, x: float, y: float, yaw: float) -> None:
    pose = transform(rotation_about_axis([0, 0, 1], yaw), [x, y, -asset.box_min[2]])
    polygon = footprint_polygon(asset, pose).buffer(1e-6)
    corners = outline(Placement(asset, pose))
    assert all(polygon.covers(Point(corner)) for corner in corners[:: max(1, len(corners) // 50)])


def test_view_ends_at_the_edge_of_the_image() -> None:
    asset = min(ASSETS, key=lambda item: item.extents.max())
    sight = [in_view(RIG, asset, transform(None, [0.32, y, -asset.box_min[2]])) for y in np.linspace(0, 0.9, 60)]
    # Once out of view, it stays out; the square crop of 224 pixels ends where the image's height ends.
    assert sight[0] and not sight[-1]
    assert sight == sorted(sight, reverse=True)
    last = np.linspace(0, 0.9, 60)[sight.index(False) - 1]
    half_view_m = 0.85 * 240 / 384
    assert half_view_m - 0.06 < last + asset.box_max[1] < half_view_m
