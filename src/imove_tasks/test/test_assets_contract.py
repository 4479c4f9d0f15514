"""The contract of every generated asset: geometry, grips and words are what they claim to be."""

import re

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from imove_tasks.assets import Asset, AssetLibrary
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.convex import part_points
from imove_tasks.assets.measure import color_shares, visible_shares, word_shares
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

ARTICLES = {"a", "an", "the"}
LIBRARY = AssetLibrary.generate()


@pytest.fixture(params=BUILDERS)
def assets(request) -> tuple[Asset, ...]:
    """All instances of one category."""
    return LIBRARY.in_category(request.param)


def test_box_is_centred_and_that_of_the_visuals(assets):
    for asset in assets:
        points = np.concatenate([mesh.vertices for mesh in asset.visuals])
        np.testing.assert_array_equal(asset.box_min, points.min(0))
        np.testing.assert_array_equal(asset.box_max, points.max(0))
        np.testing.assert_allclose(asset.box_min, -asset.box_max, atol=2e-7)


def test_contact_parts_are_rigidly_placed_inside_the_box_and_stand_on_the_same_plane(assets):
    for asset in assets:
        lowest = []
        for part in asset.collisions:
            rotation = part.object_from_part[:3, :3]
            np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)
            points = part_points(part)
            assert (points >= asset.box_min - 0.001).all(), asset.name
            assert (points <= asset.box_max + 0.001).all(), asset.name
            assert part.volume_m3 > 1e-9
            lowest.append(points[:, 2].min())
        assert min(lowest) == pytest.approx(asset.box_min[2], abs=0.0003)


def test_visuals_are_closed_outward_and_low_poly(assets):
    for asset in assets:
        assert sum(len(mesh.faces) for mesh in asset.visuals) <= 600, asset.name
        for mesh in asset.visuals:
            edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
            directed = {(int(a), int(b)) for a, b in edges}
            assert len(directed) == len(edges)
            assert all((b, a) in directed for a, b in directed)
            count = len(mesh.vertices)
            graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
            _, piece = connected_components(graph, directed=False)
            a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
            volumes = np.bincount(piece[mesh.faces[:, 0]], np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0)
            assert (volumes > 0).all(), (asset.name, mesh.material)


def test_graspable_assets_are_light_and_high_enough_and_have_grips(assets):
    for asset in assets:
        assert asset.tags, asset.name
        assert (asset.region is not None) == ("is_container" in asset.tags)
        if "is_graspable" in asset.tags:
            assert 0.003 <= asset.mass_kg <= 0.35
            assert asset.extents[2] >= 0.012
            assert len(asset.grips) >= 2
            np.testing.assert_array_equal(asset.grips[0].approach, [0.0, 0.0, -1.0])


def test_grips_are_inside_the_object_and_within_the_jaw(assets):
    for asset in assets:
        for grip in asset.grips:
            assert (grip.center > asset.box_min).all()
            assert (grip.center < asset.box_max).all()
            assert 0.008 <= grip.width_m <= 0.062
            assert grip.width_m <= grip.opening_m <= 0.066
            above_table = grip.center[2] - asset.box_min[2]
            assert above_table >= 0.00999
            assert asset.box_max[2] - grip.center[2] <= 0.0601, asset.name
            tips = grip.center + grip.depth_m * grip.approach
            assert tips[2] - asset.box_min[2] >= 0.0019
            assert grip.approach[2] < -0.8


def test_words_are_of_the_vocabularies_and_clearly_true(assets):
    for asset in assets:
        assert asset.color in COLORS
        assert asset.shape in SHAPES
        assert asset.material in MATERIALS
        shares = visible_shares(asset.visuals)
        colors = color_shares(asset.visuals, shares)
        assert colors[0][0] == asset.color
        runner_up = colors[1][1] if len(colors) > 1 else 0.0
        assert colors[0][1] - runner_up >= 0.08, (asset.name, colors)
        materials = word_shares([mesh.material.name for mesh in asset.visuals], shares)
        assert materials[0][0] == asset.material
        longest = asset.extents.max()
        assert asset.size_bucket == ("small" if longest < 0.05 else "medium" if longest < 0.12 else "large")


def test_expressions_are_plain_noun_phrases_that_say_what_is_true(assets):
    for asset in assets:
        texts = [expression.text for expression in asset.expressions]
        assert asset.phrase == asset.category.replace("_", " ")
        assert len(set(texts)) == len(texts)
        assert asset.color in asset.name
        assert asset.name in texts
        assert {expression.partition for expression in asset.expressions} == {"seen", "unseen"}
        for expression in asset.expressions:
            assert re.fullmatch(r"[a-z]+([ -][a-z]+)*", expression.text), expression.text
            assert not ARTICLES & set(expression.text.split())
            assert all(getattr(asset, field) == word for field, word in expression.meaning)


def test_size_and_mass_are_plausible(assets):
    for asset in assets:
        plausible = SIZE_RANGES[asset.category]
        assert plausible.longest_side_m[0] <= asset.extents.max() <= plausible.longest_side_m[1], asset.name
        assert plausible.mass_kg[0] <= asset.mass_kg <= plausible.mass_kg[1], asset.name


def test_instances_of_a_category_look_different(assets):
    looks = {(asset.color, asset.shape, asset.material, tuple(np.round(asset.extents, 3))) for asset in assets}
    assert len(looks) == len(assets)
