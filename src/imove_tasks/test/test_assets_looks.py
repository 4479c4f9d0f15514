"""Pictures on meshes: texture coordinates, shading normals, printed patterns and what they say of colour."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_tasks.assets import AssetError, Material, VisualMesh
from imove_tasks.assets import primitives as make
from imove_tasks.assets.looks import Texture
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.normals import corner_normals
from imove_tasks.assets.palette import SHADES
from imove_tasks.assets.textures import checks, dots, grain, keypad, label, painted, ruled, speckles, stripes, text_mask

RED, WHITE = SHADES["red"][0], SHADES["white"][0]
PLASTIC = Material("plastic", (0.5, 0.5, 0.5, 1.0))


def plain(mesh: make.Mesh) -> VisualMesh:
    return VisualMesh(mesh.vertices, mesh.faces, PLASTIC)


def test_round_surfaces_are_shaded_round_and_boxes_flat():
    ball = make.ellipsoid(0.03, 0.03, 0.03)
    outward = ball.vertices[ball.faces] / np.linalg.norm(ball.vertices[ball.faces], axis=-1, keepdims=True)
    assert np.einsum("ijk,ijk->ij", corner_normals(plain(ball)), outward).min() > 0.98
    crate = make.box(0.01, 0.02, 0.03)
    normals = corner_normals(plain(crate))
    assert set(np.abs(normals).max(-1).ravel().round(6)) == {1.0}
    np.testing.assert_allclose(normals[:, 0], normals[:, 1])


def test_a_cylinder_is_round_at_its_side_and_sharp_at_its_rim():
    can = make.cylinder(0.03, 0.05, 24)
    normals = corner_normals(plain(can))
    corners = can.vertices[can.faces]
    lids = np.ptp(corners[..., 2], axis=1) < 1e-9
    np.testing.assert_allclose(np.abs(normals[lids][..., 2]), 1.0, atol=1e-9)
    side = normals[~lids]
    np.testing.assert_allclose(side[..., 2], 0.0, atol=1e-9)
    radial = corners[~lids][..., :2] / np.linalg.norm(corners[~lids][..., :2], axis=-1, keepdims=True)
    assert np.einsum("ijk,ijk->ij", side[..., :2], radial).min() > 0.999


def test_a_face_without_area_does_not_spoil_its_neighbours():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0, 0]], dtype=float)
    normals = corner_normals(VisualMesh(vertices, np.array([[0, 1, 2], [0, 3, 1]]), PLASTIC))
    np.testing.assert_allclose(normals[0], [[0, 0, 1]] * 3)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1.0)


@given(st.integers(3, 40), st.floats(1.0, 5.0), st.floats(1.0, 5.0))
def test_a_wrapped_picture_goes_once_round_without_a_torn_face(sectors, around, along):
    mesh = wrapped(make.cylinder(0.03, 0.05, sectors).moved(z=0.2), around=around, along=along)
    side = np.ptp(mesh.vertices[mesh.faces][..., 2], axis=1) > 1e-9
    assert np.ptp(mesh.uv[side][..., 0], axis=1).max() <= around / sectors + 1e-9
    widths = np.ptp(mesh.uv[side][..., 0], axis=1)
    assert widths.sum() == pytest.approx(2 * around)  # two triangles a sector
    assert mesh.uv[..., 1].min() == pytest.approx(0.0)
    assert mesh.uv[..., 1].max() == pytest.approx(along)


@pytest.mark.parametrize(
    ("axis", "u_direction", "v_direction"),
    [(2, (1, 0, 0), (0, 1, 0)), (1, (-1, 0, 0), (0, 0, 1)), (0, (0, 1, 0), (0, 0, 1))],
)
def test_a_laid_picture_reads_upright_from_its_side(axis, u_direction, v_direction):
    mesh = laid(make.box(0.01, 0.02, 0.03), axis=axis, repeat=(2.0, 1.0))
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    extent = np.ptp(corners, axis=0)
    u, v = mesh.uv.reshape(-1, 2).T
    offset = corners @ np.array(u_direction) / (extent @ np.abs(u_direction)) * 2.0
    np.testing.assert_allclose(u - offset, (u - offset)[0], atol=1e-9)
    offset = corners @ np.array(v_direction) / (extent @ np.abs(v_direction))
    np.testing.assert_allclose(v - offset, (v - offset)[0], atol=1e-9)
    # Right, up and the direction toward the viewer make a right-handed frame: print is not mirrored.
    assert np.cross(u_direction, v_direction)[axis] == 1


def test_colour_words_of_a_picture_are_shares_of_its_pixels():
    shares = dict(painted(stripes(WHITE, RED, share=0.25), "paper").color_shares)
    assert shares == {"white": 0.75, "red": 0.25}
    assert dict(checks(WHITE, RED).color_shares) == {"white": 0.5, "red": 0.5}
    assert dict(dots(WHITE, RED).color_shares)["red"] == pytest.approx(np.pi * 0.26**2, abs=0.02)


def test_print_is_made_of_the_two_colours_only_and_depends_on_nothing_else():
    rng = np.random.default_rng
    for draw in (
        lambda: label(WHITE, RED, ["MILK", "FRESH"]), lambda: keypad(WHITE, RED, 6, 3), lambda: ruled(WHITE, RED, 5),
        lambda: speckles(WHITE, RED, rng(3)), lambda: grain(WHITE, RED, rng(3)),
    ):  # fmt: skip
        texture = draw()
        assert texture == draw()
        assert set(dict(texture.color_shares)) == {"white", "red"}


def test_letters_stand_in_the_middle_of_a_label():
    mask = (label(WHITE, RED, ["H"], size=(32, 32), frame=False).pixels == np.round(np.array(RED) * 255)).all(-1)
    np.testing.assert_array_equal(mask, mask[::-1, :])  # an H is the same upside down
    assert mask.sum() == text_mask("H").sum() * 16


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: text_mask("Milk"), r"text 'Milk' has \['i', 'k', 'l'\]"),
        (lambda: label(WHITE, RED, ["AN ENORMOUSLY LONG WORD"]), "do not fit a label of 64 by 64"),
        (lambda: Texture(np.zeros((4, 4), np.uint8)), r"texture is uint8 of shape \(4, 4\)"),
        (lambda: Material("plastic", (0, 0, 0, 1), finish="glazed"), "finish 'glazed' of plastic is unknown"),
        (lambda: VisualMesh(np.eye(3), [[0, 1, 2]], painted(checks(WHITE, RED), "paper")), "only one of texture"),
        (lambda: VisualMesh(np.eye(3), [[0, 1, 2]], PLASTIC, np.zeros((1, 3, 2))), "only one of texture"),
    ],
)
def test_wrong_pictures_are_refused_by_name(make_it, message):
    with pytest.raises(AssetError, match=message):
        make_it()


def test_textures_and_materials_are_equal_by_content():
    assert painted(checks(WHITE, RED), "paper") == painted(checks(WHITE, RED), "paper")
    assert len({checks(WHITE, RED), checks(WHITE, RED), checks(RED, WHITE)}) == 2
    assert Material("metal", (0.1, 0.1, 0.1, 1.0)).finish == "brushed"
