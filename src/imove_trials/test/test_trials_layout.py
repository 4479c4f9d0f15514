"""Layouts: errors, symmetry, names, and the picture that shows them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics
from imove_core.state import ObjectState
from imove_core.transforms import quaternion_from_rotation, rotation_about_axis
from imove_tasks.suites import open_suite
from imove_trials.layout_check import LayoutCheck, Tolerance, check_maker, symmetry_order, turn_between
from imove_trials.layout_view import IN_PLACE, MISPLACED, UNSEEN, LayoutView, dashes, image_of, jpeg_of
from imove_trials.naming import display_names
from imove_trials.silhouettes import Lens, Silhouettes

UP = np.array([0.0, 0.0, 1.0])
ZERO = np.zeros(3)
LENS = Lens(Intrinsics(width=320, height=240, fx=192.0, fy=192.0, cx=159.5, cy=119.5))


def seen(item, shift=(0.0, 0.0), turn_rad=0.0):
    """An object as a tracker would see it: where the spec says, but for an error."""
    rotation = rotation_about_axis(UP, turn_rad) @ item.world_from_object[:3, :3]
    position = np.array(item.position) + [*shift, 0.0]
    return ObjectState(
        item.id,
        position,
        quaternion_from_rotation(rotation),
        np.array(item.box_min),
        np.array(item.box_max),
        ZERO,
        ZERO,
    )


@pytest.fixture(scope="module")
def check(spec, library):
    return check_maker(library.get, Tolerance())(spec)


def test_layout_as_the_spec_says_matches(check, spec):
    report = check.report([seen(item) for item in spec.objects])
    assert (report.match, report.fault) == (1.0, "")
    assert all(item.error_m < 1e-9 for item in report.objects)


def test_each_error_is_told(check, spec):
    first, second, third, *others = spec.objects
    names = display_names(spec)
    objects = [seen(first, (0.03, 0.04)), seen(second, (0.005, 0.0)), *(seen(item) for item in others)]
    report = check.report(objects)
    by_id = {item.id: item for item in report.objects}
    assert by_id[first.id].error_m == pytest.approx(0.05) and not by_id[first.id].ok
    assert by_id[second.id].ok
    assert by_id[third.id].measured_xy_m is None and by_id[third.id].fault == f"the {names[third.id]} is not seen"
    assert report.match == pytest.approx((len(spec.objects) - 2) / len(spec.objects))
    assert report.fault == f"the {names[first.id]} is 50 mm off, and 1 more"
    record = by_id[first.id].to_record()
    assert set(record) == {
        "id", "phrase", "target_xy_m", "target_yaw_rad", "measured_xy_m", "error_m", "yaw_error_rad", "ok",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("outline", "order"),
    [
        ([[0, 0], [2, 0], [2, 1], [0, 1]], 2),
        ([[0, 0], [1, 0], [1, 1], [0, 1]], 4),
        ([[0, 0], [2, 0], [0, 1]], 1),
        ([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 40, endpoint=False)], 0),
    ],
)
def test_symmetry_of_outlines(outline, order):
    assert symmetry_order(np.array(outline, dtype=float)) == order


@given(first=st.floats(-10, 10), second=st.floats(-10, 10), order=st.integers(1, 6), turns=st.integers(-3, 3))
def test_turn_is_as_small_as_the_symmetry_makes_it(first, second, order, turns):
    turn = turn_between(first, second, order)
    assert 0.0 <= turn <= np.pi / order + 1e-9
    assert turn_between(second, first, order) == pytest.approx(turn, abs=1e-9)
    assert turn_between(first + turns * 2 * np.pi / order, second, order) == pytest.approx(turn, abs=1e-6)


def test_turned_object_is_wrong_unless_it_looks_the_same(spec):
    item = spec.objects[0]
    long = np.array([[0, 0], [4, 0], [4, 1], [0, 1.0]])
    check = LayoutCheck(spec, {item.id: long}, Tolerance())
    for turn, ok in ((0.1, True), (0.5, False), (np.pi, True), (np.pi / 2, False)):
        found = next(o for o in check.report([seen(item, turn_rad=turn)]).objects if o.id == item.id)
        assert found.ok is ok


def test_object_whose_asset_is_unknown_is_checked_by_its_box(spec):
    def unknown(uuid):
        raise ImoveError(f"unknown asset {uuid}")

    report = check_maker(unknown, Tolerance())(spec).report([seen(item) for item in spec.objects])
    assert report.match == 1.0


@pytest.mark.parametrize("suite", ["pick_category/seen", "pick_attribute/seen", "place_a2b/seen"])
def test_names_tell_objects_apart(suite):
    for spec in open_suite(suite).specs[:30]:
        names = display_names(spec)
        assert len(set(names.values())) == len(spec.objects)
        assert all(item.labels["color"] in names[item.id] for item in spec.objects)


def test_outline_covers_what_the_object_covers(spec, rig, library):
    silhouettes = Silhouettes(rig.camera("static_camera"), LENS, library.get)
    for item in spec.objects:
        corners = np.array([item.box_min, item.box_max])
        points = np.array([[x, y, z] for x in corners[:, 0] for y in corners[:, 1] for z in corners[:, 2]])
        box = silhouettes.pixels(points @ item.world_from_object[:3, :3].T + item.world_from_object[:3, 3])
        outline = np.vstack(silhouettes.of(item))
        assert np.all(outline.min(axis=0) >= box.min(axis=0) - 1.5)
        assert np.all(outline.max(axis=0) <= box.max(axis=0) + 1.5)
        assert len(outline) > 8


def test_distortion_moves_what_is_far_from_the_middle(spec, rig, library):
    bent = Lens(LENS.intrinsics, (-0.2, 0.0, 0.0, 0.0, 0.0))
    point = np.array([[0.5, 0.3, 0.0]])
    straight, curved = (
        Silhouettes(rig.camera("static_camera"), lens, library.get).pixels(point) for lens in (LENS, bent)
    )
    assert np.linalg.norm(straight - curved) > 2.0


def has(picture, colour):
    return bool((np.abs(picture.astype(int) - colour).max(axis=2) < 8).any())


def test_picture_shows_what_is_right_and_what_is_not(spec, rig, library, check):
    view = LayoutView(spec, Silhouettes(rig.camera("static_camera"), LENS, library.get))
    grey = np.full((240, 320, 3), 128, np.uint8)
    right = view.draw(grey, check.report([seen(item) for item in spec.objects]))
    assert right.shape == (720, 960, 3)
    assert has(right, IN_PLACE) and not has(right, MISPLACED) and not has(right, UNSEEN)
    wrong = view.draw(grey, check.report([seen(item, (0.05, 0.0)) for item in spec.objects[1:]]))
    assert has(wrong, MISPLACED) and has(wrong, UNSEEN)
    assert np.all(grey == 128)
    again = image_of(jpeg_of(wrong))
    assert again.shape == wrong.shape and np.abs(again.astype(int) - wrong).mean() < 6
    assert image_of(b"no picture") is None


def test_dashes_cover_half_of_a_line():
    square = np.array([[0, 0], [90, 0], [90, 90], [0, 90]], np.float32)
    lengths = [np.linalg.norm(np.diff(piece, axis=0), axis=1).sum() for piece in dashes(square, 9.0)]
    assert sum(lengths) == pytest.approx(180.0, rel=0.05)
