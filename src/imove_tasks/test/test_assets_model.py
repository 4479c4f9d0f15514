"""The value types refuse what is not true, and hash by content."""

import dataclasses

import numpy as np
import pytest

from imove_tasks.assets import Asset, AssetError, AssetLibrary, CollisionPart, Grip, Material, Region, VisualMesh
from imove_tasks.assets.primitives import box

PLASTIC = Material("plastic", (0.5, 0.5, 0.5, 1.0))


@pytest.fixture(scope="module")
def mug() -> Asset:
    return AssetLibrary.generate().in_category("mug")[0]


def grip(**changes):
    values = {
        "center": (0, 0, 0), "closing_axis": (1, 0, 0), "approach": (0, 0, -1), "width_m": 0.03,
        "opening_m": 0.04, "free_yaw": False, "depth_m": 0.01,
    }  # fmt: skip
    return Grip(**(values | changes))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Material("unobtainium", (0, 0, 0, 1)), "material 'unobtainium' is unknown, allowed are .*plastic"),
        (lambda: Material("plastic", (0, 0, 2, 1)), r"rgba of material 'plastic' is .*\[0, 1\]"),
        (lambda: CollisionPart("cone", (0.1,), np.eye(4)), "part shape 'cone' is unknown"),
        (lambda: CollisionPart("box", (0.1, 0.1), np.eye(4)), "size of a box is .* expected 3 positive"),
        (lambda: CollisionPart("sphere", (-0.1,), np.eye(4)), "size of a sphere"),
        (lambda: CollisionPart("hull", (), np.eye(4)), "a hull must have vertices"),
        (lambda: CollisionPart("box", (1, 1, 1), np.eye(3)), r"object_from_part has shape \(3, 3\)"),
        (lambda: CollisionPart("hull", (), np.eye(4), np.zeros((3, 3))), "expected at least 4"),
        (lambda: VisualMesh(np.zeros((3, 3)), np.array([[0, 1, 3]]), PLASTIC), "index 0..3 of 3 vertices"),
        (lambda: VisualMesh(np.full((3, 3), np.nan), np.array([[0, 1, 2]]), PLASTIC), "not finite"),
        (lambda: grip(closing_axis=(2, 0, 0)), "closing_axis has length 2.0"),
        (lambda: grip(approach=(1, 0, 0)), "cosine 1.0"),
        (lambda: grip(opening_m=0.02), "width <= opening"),
        (lambda: Region((0, 0, 0), (0.1, 0.0), False), "half_extents"),
    ],
)
def test_wrong_values_are_refused_by_name(make, message):
    with pytest.raises(AssetError, match=message):
        make()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tags": frozenset({"is_edible"})}, "tags.*is_edible"),
        ({"mass_kg": 0.0}, "mass 0.0 kg"),
        ({"visuals": ()}, "lacks visuals"),
        ({"grips": ()}, "0 grips"),
        ({"tags": frozenset({"is_graspable"})}, "region"),
        ({"region": None}, "region"),
    ],
)
def test_an_asset_must_agree_with_itself(mug, changes, message):
    with pytest.raises(AssetError, match=message):
        dataclasses.replace(mug, **changes)


def test_arrays_are_read_only(mug):
    for array in (mug.box_min, mug.visuals[0].vertices, mug.visuals[0].faces, mug.footprint, mug.grips[0].center):
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 1


def test_equality_and_hash_follow_the_content(mug):
    twin = dataclasses.replace(mug)
    heavier = dataclasses.replace(mug, mass_kg=mug.mass_kg + 0.001)
    moved = dataclasses.replace(mug, box_max=mug.box_max + [0.0, 0.0, 2e-7])
    assert twin == mug
    assert hash(twin) == hash(mug)
    assert len({mug.content_hash(), heavier.content_hash(), moved.content_hash()}) == 3
    assert heavier != mug
    assert mug != "mug"


def test_changes_below_the_stored_grid_do_not_change_the_hash(mug):
    assert dataclasses.replace(mug, box_max=mug.box_max + 1e-9).content_hash() == mug.content_hash()


def test_volumes_of_parts():
    eye = np.eye(4)
    corners = box(0.01, 0.02, 0.03).vertices
    assert CollisionPart("hull", (), eye, corners).volume_m3 == pytest.approx(8 * 6e-6)
    assert CollisionPart("box", (0.01, 0.02, 0.03), eye).volume_m3 == pytest.approx(8 * 6e-6)
    assert CollisionPart("cylinder", (0.01, 0.02), eye).volume_m3 == pytest.approx(np.pi * 4e-6)
    sphere = CollisionPart("sphere", (0.02,), eye).volume_m3
    assert sphere == pytest.approx(CollisionPart("ellipsoid", (0.02, 0.02, 0.02), eye).volume_m3)
    assert CollisionPart("capsule", (0.02, 0.01), eye).volume_m3 == pytest.approx(sphere + np.pi * 4e-4 * 0.02)
