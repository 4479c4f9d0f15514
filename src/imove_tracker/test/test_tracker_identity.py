"""Which cluster is which object."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_tracker.appearance import color_distance, light_gain
from imove_tracker.clusters import Cluster
from imove_tracker.identity import Expected, assign

COLORS = ([0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.15, 0.2, 0.8], [0.8, 0.75, 0.1])


def expected(number: int, place, color=None, top_m=0.03, area_m2=1e-3) -> Expected:
    return Expected(np.array(place, float), top_m, area_m2, np.array(COLORS[number] if color is None else color))


def cluster(place, color, top_m=0.03, area_m2=1e-3) -> Cluster:
    corners = np.array([[-0.01, -0.01], [0.01, 0.01]]) + place
    points = np.column_stack([np.repeat(corners, 20, axis=0), np.full(40, top_m)])
    return Cluster(np.ones((2, 2), bool), points, np.tile(np.array(color, float), (40, 1)), area_m2)


@given(order=st.permutations(range(4)), light=st.floats(0.5, 1.0))
def test_each_object_is_found_whatever_the_order_and_the_brightness(order, light):
    places = [(0.25, -0.3), (0.3, -0.1), (0.28, 0.1), (0.4, 0.3)]
    objects = [expected(number, places[number]) for number in range(4)]
    clusters = [cluster(np.array(places[number]) + 0.01, np.array(COLORS[number]) * light) for number in order]
    found = assign(objects, clusters, 0.05)
    assert [order[item.cluster] for item in found] == [0, 1, 2, 3]
    assert all(item.rival is None for item in found)


def test_objects_that_changed_places_are_told_by_their_looks():
    objects = [expected(0, (0.25, 0.0), top_m=0.08), expected(2, (0.25, 0.15), top_m=0.02)]
    clusters = [cluster((0.25, 0.0), COLORS[2], top_m=0.02), cluster((0.25, 0.15), COLORS[0], top_m=0.08)]
    assert [item.cluster for item in assign(objects, clusters, 0.12)] == [1, 0]


def test_what_is_nowhere_to_be_seen_gets_nothing():
    objects = [expected(0, (0.25, 0.0)), expected(2, (0.25, 0.3), top_m=0.10, area_m2=6e-3)]
    found = assign(objects, [cluster((0.25, 0.01), COLORS[0])], 0.05)
    assert (found[0].cluster, found[1].cluster) == (0, None)
    assert [item.cluster for item in assign(objects, [], 0.05)] == [None, None]
    assert assign([], [cluster((0, 0), COLORS[0])], 0.05) == []


def test_twins_at_the_same_distance_are_in_doubt():
    objects = [expected(0, (0.25, -0.01)), expected(0, (0.25, 0.01))]
    found = assign(objects, [cluster((0.2, 0.0), COLORS[0]), cluster((0.3, 0.0), COLORS[0])], 0.05)
    assert {item.rival for item in found} == {0, 1}


def test_hue_counts_and_brightness_hardly():
    red, dark_red, green = np.array([0.8, 0.2, 0.2]), np.array([0.5, 0.125, 0.125]), np.array([0.2, 0.8, 0.2])
    assert color_distance(red, red) == 0.0
    assert color_distance(red, dark_red) < 0.15 < color_distance(red, green)


def test_light_is_read_off_the_objects():
    usual = np.array([[0.5, 0.5, 0.5], [0.6, 0.3, 0.2], [0.2, 0.4, 0.6]])
    warm = np.array([1.2, 1.0, 0.8])
    gain = light_gain(usual * warm, usual)
    assert gain / gain[1] == pytest.approx(warm, rel=1e-6)
    assert np.prod(gain) == pytest.approx(1.0)
