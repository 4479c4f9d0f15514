"""Pictures of single assets: they show the object, its print the right way round, and its true colours."""

import dataclasses
from itertools import islice

import numpy as np
import pytest

from imove_sim_bridge.studio import ABOVE, CANONICAL_VIEWS, OBLIQUE, Studio, View, contact_sheet
from imove_tasks.assets import AssetError, AssetLibrary, VisualMesh
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.primitives import box
from imove_tasks.assets.textures import label, painted

HALF_M = (0.03, 0.03, 0.02)


@pytest.fixture(scope="module")
def assets():
    library = AssetLibrary.generate(instances_per_category=1)
    plain = (asset for asset in library if not any(mesh.material.texture for mesh in asset.visuals))
    return list(islice(plain, 2))


@pytest.fixture(scope="module")
def printed(assets):
    """A block with a white F on black on top."""
    mesh = laid(box(*HALF_M))
    material = painted(label((0.05, 0.05, 0.05), (1.0, 1.0, 1.0), ["F"], size=(32, 32), frame=False), "paper")
    block = VisualMesh(mesh.vertices, mesh.faces, material, mesh.uv)
    return dataclasses.replace(assets[0], visuals=(block,), box_min=-np.array(HALF_M), box_max=np.array(HALF_M))


def test_print_reads_the_right_way_round_from_above(printed):
    with Studio(printed, size_px=128, table=False) as studio:
        pixels, mask = studio.albedo(View(-90.0, 89.9))  # x to the right and y up in the picture
    rows, columns = np.nonzero(mask)
    face = pixels[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].mean(-1) > 128
    height, width = face.shape
    ink_rows, ink_columns = np.nonzero(face)
    letter = face[ink_rows.min() : ink_rows.max() + 1, ink_columns.min() : ink_columns.max() + 1]
    # An F has its stem on the left, its bars on the right in the upper part, and nothing at the lower right.
    assert letter[:, : letter.shape[1] // 4].mean() > 0.9
    assert letter[-letter.shape[0] // 5 :, -letter.shape[1] // 3 :].mean() < 0.1
    assert letter[: letter.shape[0] // 6, -letter.shape[1] // 3 :].mean() > 0.9
    assert 0.3 < height / width < 3.0


def test_albedo_gives_the_colours_of_the_materials_on_the_object_and_nothing_else(assets):
    for asset in assets:
        with Studio(asset) as studio:
            pixels, mask = studio.albedo(OBLIQUE)
            lit = studio.picture(OBLIQUE)
        colors = np.array([mesh.material.rgba[:3] for mesh in asset.visuals]) * 255.0
        seen = pixels[mask].astype(float)
        distance = np.linalg.norm(seen[:, None] - colors[None], axis=-1).min(1)
        assert 0.04 < mask.mean() < 0.6
        assert (distance < 4.0).mean() > 0.9  # the rest are edges, mixed with what is behind them
        assert np.abs(lit[mask].astype(float) - seen).mean() > 3.0  # the other one has light and shade


def test_unlit_pictures_leave_the_light_as_it_was(assets):
    with Studio(assets[0]) as studio:
        before = studio.picture(ABOVE)
        studio.albedo(ABOVE)
        np.testing.assert_array_equal(studio.picture(ABOVE), before)


def test_finishes_change_highlights_only_and_unknown_ones_are_refused(assets):
    pictures = []
    for finish in assets[0].finishes:
        with Studio(assets[0], finish=finish) as studio:
            pictures.append(studio.picture(OBLIQUE))
            albedo = studio.albedo(OBLIQUE)[0]
    assert (pictures[0] != pictures[1]).any()
    with Studio(assets[0]) as studio:
        np.testing.assert_array_equal(studio.albedo(OBLIQUE)[0], albedo)
    with pytest.raises(AssetError, match="finish 'chrome'"):
        Studio(assets[0], finish="chrome")


def test_sheets_and_turntables_have_the_promised_size(assets):
    with Studio(assets[0], size_px=64) as studio:
        turn = studio.turntable(4)
        views = [studio.picture(view) for view in CANONICAL_VIEWS.values()]
    assert [picture.shape for picture in turn + views] == [(64, 64, 3)] * 10
    assert len({picture.tobytes() for picture in turn}) == 4
    assert contact_sheet(assets, columns=2, tile_px=64).size == (128, 80)
