"""Things and grasps in depth images of known shapes."""

import numpy as np
import pytest

from imove_baselines.grounded_pick.candidates import grasp_candidates
from imove_baselines.grounded_pick.choosing import heat_of_things, lifted
from imove_baselines.grounded_pick.heat import cell_points, soft_label
from imove_baselines.grounded_pick.reaching import Reacher
from imove_baselines.grounded_pick.things import things_on
from imove_baselines.table_view import TableView
from imove_core.clouds import Cloud
from imove_core.errors import ImoveError
from imove_core.fixed_camera import fixed_camera
from imove_core.rig import load_rig
from imove_motion.grasps import TIP_BEYOND_TCP_M

from .depth_pictures import Block, depth_of

RIG = load_rig("piperx_dual")
CAMERA, VIEW = fixed_camera(RIG), TableView.of(RIG)


def seen(*blocks: Block) -> tuple[Cloud, list]:
    cloud = Cloud.of(depth_of(blocks, CAMERA), CAMERA)
    return cloud, things_on(cloud, RIG.workspace)


@pytest.mark.parametrize("yaw_rad", [0.0, 0.4, 1.1, 2.2])
def test_a_box_is_held_across_its_narrow_side(yaw_rad: float) -> None:
    block = Block((0.33, 0.1), (0.11, 0.03, 0.04), yaw_rad)
    cloud, (thing,) = seen(block)
    np.testing.assert_allclose(thing.middle, block.center, atol=0.004)
    assert thing.height_m == pytest.approx(0.04, abs=0.001)
    best = grasp_candidates(cloud, thing)[0]
    assert np.linalg.norm(np.subtract(best.place, block.center)) < 0.01
    assert best.width_m == pytest.approx(0.03, abs=0.008)
    across = abs(np.cos(best.yaw_rad - yaw_rad))
    assert across < np.sin(np.pi / 16) + 0.02, "closing along the width"
    assert TIP_BEYOND_TCP_M + 0.002 < best.height_m < 0.04


def test_what_is_too_wide_for_the_jaw_has_no_grasp() -> None:
    cloud, (thing,) = seen(Block((0.33, 0.0), (0.12, 0.12, 0.05)))
    assert grasp_candidates(cloud, thing) == []
    with pytest.raises(ImoveError, match="nothing of the thing fits between the fingers"):
        Reacher(RIG).plan(cloud, thing, [], RIG.home_positions)


def test_a_wide_ring_is_held_by_its_rim() -> None:
    ring = Block((0.33, 0.1), (0.15, 0.15, 0.05), inner_m=0.06)
    cloud, (thing,) = seen(ring)
    best = grasp_candidates(cloud, thing)[0]
    assert 0.055 < np.linalg.norm(np.subtract(best.place, ring.center)) < 0.08
    assert best.width_m < 0.03


def test_fingers_go_where_nothing_stands() -> None:
    """A wall beside the long side leaves no room for a finger there; the ends are free."""
    block, wall = Block((0.33, 0.0), (0.055, 0.05, 0.04)), Block((0.33, 0.04), (0.3, 0.02, 0.10))
    cloud, things = seen(block, wall)
    thing = min(things, key=lambda item: item.height_m)
    best = grasp_candidates(cloud, thing)[0]
    assert abs(np.cos(best.yaw_rad)) > 0.9, "closing along x, beside which there is no wall"


def test_flat_things_leave_room_for_the_finger_tips() -> None:
    cloud, (thing,) = seen(Block((0.33, 0.1), (0.12, 0.02, 0.008)))
    best = grasp_candidates(cloud, thing)[0]
    assert best.height_m - TIP_BEYOND_TCP_M >= 0.002


def test_a_thing_is_chosen_by_its_heat_and_lifted_to_its_top() -> None:
    blocks = [Block((0.28, 0.2), (0.05, 0.05, 0.09)), Block((0.38, -0.1), (0.05, 0.03, 0.02))]
    cloud, things = seen(*blocks)
    points = cell_points(VIEW)
    for block in blocks:
        place = VIEW.seen_at(CAMERA, np.array([*block.center, block.size[2]]))
        shares = heat_of_things(soft_label(points, place, np.zeros((2, 2))), VIEW, CAMERA, things)
        chosen = things[int(shares.argmax())]
        np.testing.assert_allclose(chosen.middle, block.center, atol=0.006)
        np.testing.assert_allclose(
            lifted(place, VIEW, CAMERA, cloud.points), [*block.center, block.size[2]], atol=0.005
        )
        assert shares.sum() <= 1 + 1e-6


def test_heat_far_from_everything_is_no_ones() -> None:
    _, things = seen(Block((0.28, 0.2), (0.05, 0.05, 0.09)))
    heat = soft_label(cell_points(VIEW), np.array([0.36, -0.3]), np.zeros((2, 2)))
    assert heat_of_things(heat, VIEW, CAMERA, things).sum() < 1e-3


def test_a_plan_keeps_clear_of_the_neighbour() -> None:
    cloud, things = seen(Block((0.33, 0.1), (0.06, 0.03, 0.04)), Block((0.33, 0.2), (0.05, 0.05, 0.1)))
    thing = min(things, key=lambda item: item.height_m)
    plan = Reacher(RIG).plan(cloud, thing, [item for item in things if item is not thing], RIG.home_positions)
    assert plan.arm == "left"
    assert np.linalg.norm(plan.grasp.world_from_tool[:2, 3] - [0.33, 0.1]) < 0.03
    assert np.all(plan.positions[:, :-1] >= RIG.arm("left").limits[:-1, 0])
