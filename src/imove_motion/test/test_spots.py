"""Where things can be put: in containers, and beside reference objects."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import Workspace
from imove_core.spec import PlaceRegion
from imove_core.transforms import apply
from imove_motion.clearance import Boxes
from imove_motion.hand import box_surface
from imove_motion.spots import BEYOND_M, PlaceGoal, Walls, fulfilled, spots
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.relations import judge

from .worlds import corners, inside, standing, turned

WORKSPACE = Workspace(x=(0.2, 0.5), y=(-0.4, 0.4))
RELATIONS = ("left_of", "right_of", "in_front_of", "behind", "near")


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate(instances_per_category=1)


@given(yaw=st.floats(-np.pi, np.pi), own_yaw=st.floats(-np.pi, np.pi))
@settings(deadline=None, derandomize=True, max_examples=20)
def test_in_a_container_an_object_rests_upright_on_its_floor(library: AssetLibrary, yaw: float, own_yaw: float) -> None:
    tray, egg = library.in_category("tray")[0], library.in_category("egg")[0]
    container, own = standing("tray", tray, 0.35, 0.1, yaw), standing("egg", egg, 0.3, -0.2, own_yaw)
    found = list(spots(egg, own.world_from_object, inside(tray, container), [container], WORKSPACE))
    assert found
    assert tray.region is not None
    floor_m = container.position[2] + tray.region.center[2]
    for spot in found:
        box = corners(egg, spot.world_from_object)
        assert box[:, 2].min() == pytest.approx(floor_m, abs=1e-3)
        np.testing.assert_allclose(spot.world_from_object[:3, 2], [0, 0, 1], atol=1e-9)
        state = standing("egg", egg, *spot.world_from_object[:2, 3])
        assert fulfilled(state, inside(tray, container))
    assert min(found, key=lambda spot: spot.penalty_rad) is found[0]
    np.testing.assert_allclose(found[0].world_from_object[:2, 3], container.position[:2], atol=1e-3)


@pytest.mark.parametrize("relation", RELATIONS)
def test_beside_a_reference_the_relation_clearly_holds_and_nothing_is_touched(
    library: AssetLibrary, relation: str
) -> None:
    plate, egg, can = (library.in_category(name)[0] for name in ("plate", "egg", "canned_coke"))
    reference, other = standing("plate", plate, 0.35, 0.0), standing("can", can, 0.36, 0.16)
    own = standing("egg", egg, 0.3, -0.3)
    found = list(spots(egg, own.world_from_object, PlaceGoal(reference, relation), [reference, other], WORKSPACE))
    assert found
    boxes = Boxes.of([reference, other])
    for spot in found:
        place = spot.world_from_object[:2, 3]
        for step in itertools.product((-0.008, 0.008), repeat=2):
            assert judge(relation, place + step, reference.position[:2]).holds
        assert boxes.distance(apply(spot.world_from_object, box_surface(egg.box_min, egg.box_max))) > 0.01
        assert corners(egg, spot.world_from_object)[:, 2].min() == pytest.approx(0.0, abs=1e-3)
        assert WORKSPACE.x[0] - BEYOND_M <= place[0] <= WORKSPACE.x[1] + BEYOND_M
        assert fulfilled(standing("egg", egg, *place), PlaceGoal(reference, relation))


def test_a_crowded_table_has_no_spot(library: AssetLibrary) -> None:
    plate, egg = library.in_category("plate")[0], library.in_category("egg")[0]
    reference = standing("plate", plate, 0.35, 0.0)
    crowd = [
        standing(f"plate_{x}_{y}", plate, 0.35 + 0.2 * x, 0.2 * y)
        for x, y in itertools.product(range(-2, 3), repeat=2)
        if x or y
    ]
    goal = PlaceGoal(reference, "near")
    assert not list(spots(egg, np.eye(4), goal, [reference, *crowd], WORKSPACE))


def test_an_object_elsewhere_does_not_fulfil_a_goal(library: AssetLibrary) -> None:
    tray, egg = library.in_category("tray")[0], library.in_category("egg")[0]
    container = standing("tray", tray, 0.35, 0.1, 0.4)
    assert not fulfilled(standing("egg", egg, 0.35, 0.22), inside(tray, container))
    assert not fulfilled(standing("egg", egg, 0.35, 0.0), PlaceGoal(container, "left_of"))


def test_a_goal_has_a_floor_exactly_where_something_is_put_on_it(library: AssetLibrary) -> None:
    tray = library.in_category("tray")[0]
    container = standing("tray", tray, 0.35, 0.1)
    with pytest.raises(ImoveError, match="goal 'in' tray comes without floor; 'in' needs one"):
        PlaceGoal(container)
    with pytest.raises(ImoveError, match="goal 'near' tray comes with a floor"):
        PlaceGoal(container, "near", inside(tray, container).floor)


@given(
    point=st.tuples(st.floats(-0.09, 0.09), st.floats(-0.09, 0.09), st.floats(-0.02, 0.08)),
    yaw=st.floats(-np.pi, np.pi),
    is_round=st.booleans(),
)
@settings(deadline=None, derandomize=True)
def test_raised_as_walls_ask_for_a_point_is_clear_and_no_higher_than_needed(
    point: tuple[float, float, float], yaw: float, is_round: bool
) -> None:
    floor = PlaceRegion(center=(0, 0, 0), half_extents=(0.05, 0.03), round=is_round)
    pose = turned(yaw, 0.3, 0.1, 0.004)
    walls = Walls(floor, pose, np.array([-0.07, -0.05, -0.004]), np.array([0.07, 0.05, 0.04]))
    local = np.array(point)
    rise = walls.rise(apply(pose, local[None]), 0.003)
    beyond = np.abs(local[:2]) - [0.07, 0.05]
    if (beyond > 0.0031).any():
        assert rise == -np.inf
        return
    shares = np.abs(local[:2]) / [0.047, 0.027]
    over_floor = (np.hypot(*shares) if is_round else shares.max()) <= 1.0
    if (beyond < 0.0029).all() and abs((np.hypot(*shares) if is_round else shares.max()) - 1.0) > 1e-6:
        assert local[2] + rise == pytest.approx(0.003 + (0.0 if over_floor else 0.04))
