"""Spatial relations: directions, bands, and the excluded band between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.meaning import SPATIAL_RELATIONS
from imove_tasks.relations import judge

BOWL = np.array([0.3, 0.0])
OPPOSITE = {"left_of": "right_of", "right_of": "left_of", "in_front_of": "behind", "behind": "in_front_of"}
places = st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)).map(np.array)


@pytest.mark.parametrize(
    ("relation", "offset"),
    [
        ("left_of", (0.0, 0.2)),  # +y is the robot's left
        ("right_of", (0.0, -0.2)),
        ("in_front_of", (0.2, 0.0)),  # farther from the robot
        ("behind", (-0.2, 0.0)),
        ("near", (0.08, 0.08)),
        ("far_from", (0.2, 0.25)),
    ],
)
def test_robot_centric_sense(relation: str, offset: tuple[float, float]) -> None:
    held = [name for name in SPATIAL_RELATIONS if judge(name, BOWL + offset, BOWL).holds]
    assert relation in held
    assert OPPOSITE.get(relation) not in held


@pytest.mark.parametrize(
    ("angle_deg", "holds", "fails"),
    [
        (0, True, False),
        (34, True, False),
        (36, False, False),
        (79, False, False),
        (81, False, True),
        (180, False, True),
    ],
)
def test_directions_have_a_band_in_which_nothing_is_said(angle_deg: float, holds: bool, fails: bool) -> None:
    for sign in (1, -1):
        angle = np.deg2rad(90 + sign * angle_deg)
        verdict = judge("left_of", BOWL + 0.2 * np.array([np.cos(angle), np.sin(angle)]), BOWL)
        assert (verdict.holds, verdict.fails) == (holds, fails)


@pytest.mark.parametrize(
    ("relation", "distance_m", "holds", "fails"),
    [
        ("near", 0.12, True, False),
        ("near", 0.16, False, False),
        ("near", 0.21, False, True),
        ("far_from", 0.31, True, False),
        ("far_from", 0.28, False, False),
        ("far_from", 0.24, False, True),
        ("in_front_of", 0.04, False, False),
        ("in_front_of", 0.55, False, False),
    ],
)
def test_distances_have_one_too(relation: str, distance_m: float, holds: bool, fails: bool) -> None:
    verdict = judge(relation, BOWL + [distance_m, 0.0], BOWL)
    assert (verdict.holds, verdict.fails) == (holds, fails)


@given(place=places, reference=places)
def test_nothing_both_holds_and_fails_and_opposites_exclude_each_other(
    place: np.ndarray, reference: np.ndarray
) -> None:
    verdicts = {name: judge(name, place, reference) for name in SPATIAL_RELATIONS}
    assert not any(verdict.holds and verdict.fails for verdict in verdicts.values())
    for one, other in (*OPPOSITE.items(), ("near", "far_from"), ("far_from", "near")):
        assert not verdicts[one].holds or verdicts[other].fails


@given(place=places, reference=places)
def test_left_of_is_right_of_seen_from_the_other(place: np.ndarray, reference: np.ndarray) -> None:
    for one, other in OPPOSITE.items():
        assert judge(one, place, reference) == judge(other, reference, place)
    for name in ("near", "far_from"):
        assert judge(name, place, reference) == judge(name, reference, place)
