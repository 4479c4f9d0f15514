"""Colour, shape and material words, and the expressions made of them."""

import numpy as np
import pytest

from imove_tasks.assets import primitives as p
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.expressions import expressions
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.measure import dominant_words, shape_word, visible_shares, word_shares
from imove_tasks.assets.palette import SHADES
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.assets.vocabulary import COLORS, SHAPES, color_word


@pytest.mark.parametrize("word", COLORS)
def test_every_shade_has_its_word(word):
    assert [color_word(shade) for shade in SHADES[word]] == [word] * len(SHADES[word])


@pytest.mark.parametrize(
    ("rgb", "word"),
    [
        ((1.0, 0.0, 0.0), "red"), ((1.0, 0.5, 0.0), "orange"), ((1.0, 1.0, 0.0), "yellow"),
        ((0.0, 1.0, 0.0), "green"), ((0.0, 0.0, 1.0), "blue"), ((0.5, 0.0, 0.5), "pink"),
        ((0.4, 0.0, 0.8), "purple"), ((1.0, 0.75, 0.8), "pink"), ((0.4, 0.25, 0.1), "brown"),
        ((0.96, 0.87, 0.7), "beige"), ((1.0, 1.0, 1.0), "white"), ((0.5, 0.5, 0.5), "gray"),
        ((0.0, 0.0, 0.0), "black"), ((0.9, 0.05, 0.1), "red"),
    ],
)  # fmt: skip
def test_colour_words_of_plain_colours(rgb, word):
    assert color_word(rgb) == word


BODIES = {
    "square": p.box(0.02, 0.02, 0.01),
    "rectangular": p.box(0.03, 0.02, 0.01),
    "round": p.ellipsoid(0.03, 0.03, 0.028),
    "oval": p.ellipsoid(0.04, 0.02, 0.02),
    "cylindrical": p.cylinder(0.02, 0.05),
    "tapered": p.revolve([(0.02, 0.0), (0.03, 0.08)]),
}


@pytest.mark.parametrize("word", BODIES)
def test_shape_word_of_a_body(word):
    assert word in SHAPES
    assert shape_word(BODIES[word]) == word


def test_a_flat_disc_is_round_and_a_lying_cylinder_cylindrical():
    assert shape_word(p.cylinder(0.03, 0.005)) == "round"
    rotated = p.cylinder(0.01, 0.05)
    assert shape_word(p.Mesh(rotated.vertices[:, [2, 0, 1]], rotated.faces)) == "cylindrical"


def test_a_wedge_has_no_measured_shape():
    with pytest.raises(AssetError, match="fit no shape word"):
        shape_word(p.slab([(0.0, 0.0), (0.04, 0.0), (0.0, 0.03)], 0.01))


def visual(mesh, rgb, name="plastic"):
    return VisualMesh(mesh.vertices, mesh.faces, Material(name, (*rgb, 1.0)))


def test_hidden_and_downward_surfaces_do_not_count():
    shell = visual(p.box(0.03, 0.03, 0.03), (0.9, 0.1, 0.1))
    core = visual(p.box(0.02, 0.02, 0.02), (0.1, 0.1, 0.9), "metal")
    sole = visual(p.box(0.029, 0.029, 0.001).moved(z=-0.031), (0.1, 0.8, 0.1), "rubber")
    shares = visible_shares([shell, core, sole])
    assert sum(shares) == pytest.approx(1.0)
    assert shares[1] == 0.0
    assert shares[0] > 0.97
    assert dominant_words([core, shell, sole]) == ("red", "plastic")


def test_shares_follow_the_visible_area():
    left = visual(p.box(0.03, 0.02, 0.01).moved(x=-0.03), (0.9, 0.1, 0.1))
    right = visual(p.box(0.01, 0.02, 0.01).moved(x=0.01), (0.1, 0.1, 0.9))
    np.testing.assert_allclose(visible_shares([left, right]), [0.75, 0.25], atol=0.05)


def test_word_shares_add_up_and_break_ties_by_the_alphabet():
    assert word_shares(["red", "blue", "red"], [0.25, 0.5, 0.25]) == [("blue", 0.5), ("red", 0.5)]


def test_expressions_start_plain_and_leave_unspoken_materials_out():
    phrases = expressions("mug", ("mug", "drinking cup"), "red", "cylindrical", "ceramic")
    texts = [phrase.text for phrase in phrases]
    assert texts[:4] == ["mug", "cylindrical mug", "red mug", "ceramic mug"]
    assert len(set(texts)) == len(texts)
    told = {phrase.text: (dict(phrase.meaning), phrase.partition) for phrase in phrases}
    assert told["red ceramic mug"] == ({"category": "mug", "color": "red", "material": "ceramic"}, "seen")
    assert told["red drinking cup"] == ({"category": "mug", "color": "red"}, "unseen")
    assert told["mug made of ceramic"] == ({"category": "mug", "material": "ceramic"}, "unseen")
    apple = expressions("apple", ("apple",), "red", "round", "food")
    assert not any("food" in phrase.text or "material" in dict(phrase.meaning) for phrase in apple)
    assert {phrase.partition for phrase in apple} == {"seen", "unseen"}


def test_no_two_categories_share_a_noun():
    nouns = [noun for category in CATEGORIES.values() for noun in category.nouns]
    assert len(nouns) == len(set(nouns))


def test_the_taxonomy_has_the_published_size():
    assert len(CATEGORIES) == 103
    assert len({category.domain for category in CATEGORIES.values()}) == 7
    assert len({category.super_category for category in CATEGORIES.values()}) == 18
    assert list(SIZE_RANGES) == list(CATEGORIES)
