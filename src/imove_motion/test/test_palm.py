"""Grips as hands take them whose palm is nearer to the pads than that for which grips are annotated."""

import numpy as np
import pytest

from imove_core.rig import load_rig
from imove_core.transforms import apply, inverse
from imove_description.arm_model import arm_names, load_arm_model
from imove_description.shapes import CollisionBox
from imove_motion.grasps import grasp_candidates
from imove_motion.hand import Hand
from imove_motion.pick import PickPlanner
from imove_tasks.assets.convex import Chords, part_points
from imove_tasks.assets.grasping import (
    ANNOTATED_PALM,
    MAX_OPENING_M,
    MAX_WIDTH_M,
    MIN_WIDTH_M,
    palm_excess_m,
    regripped,
)
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

PANDA = load_arm_model("panda")
PALM = Hand(PANDA).palm


@pytest.fixture(scope="module")
def assets() -> list[Asset]:
    return [asset for asset in AssetLibrary.generate(instances_per_category=1) if asset.grips]


def foremost_m(name: str) -> float:
    """How far the nearest face of the boxes of the gripper base lies behind the tool."""
    model = load_arm_model(name)
    tool_from_gripper = inverse(model.flange_from_tcp) @ model.flange_from_gripper
    boxes = [shape for shape in model.link(model.gripper.base_link).collision if isinstance(shape, CollisionBox)]
    return -max((tool_from_gripper @ box.link_from_box)[2, 3] + box.size_m[2] / 2 for box in boxes)


@pytest.mark.parametrize("name", arm_names())
def test_a_palm_is_never_stated_farther_than_it_is(name: str) -> None:
    palm = Hand(load_arm_model(name)).palm
    assert palm.distance_m <= ANNOTATED_PALM.distance_m
    assert palm.distance_m < foremost_m(name)


def test_hands_with_room_enough_take_the_annotated_grips(assets: list[Asset]) -> None:
    assert Hand(load_arm_model("piper_x")).palm == ANNOTATED_PALM
    assert PickPlanner(load_rig("piperx_dual")).palm == ANNOTATED_PALM
    for asset in assets:
        assert all(regripped(grip, Chords(asset.collisions), ANNOTATED_PALM) is grip for grip in asset.grips)


def test_the_palm_of_the_franka_hand() -> None:
    assert PALM.distance_m == pytest.approx(foremost_m("panda") - 0.0018, abs=1e-6)
    np.testing.assert_allclose(PALM.half_face_m, [0.0185, 0.1015], atol=1e-6)
    assert PickPlanner(load_rig("franka_single")).palm == PALM


def test_grips_move_back_only_where_they_must_and_measure_what_is_there(assets: list[Asset]) -> None:
    kept = moved = 0
    for asset in assets:
        chords = Chords(asset.collisions)
        for grip in asset.grips:
            excess_m = palm_excess_m(chords, grip.center, grip.closing_axis, grip.approach, PALM)
            new = regripped(grip, chords, PALM)
            if excess_m <= 1e-6:
                assert new is grip
                kept += 1
            elif new is not None:
                way = new.center - grip.center
                assert -way @ grip.approach == pytest.approx(excess_m, abs=1e-6)
                assert np.linalg.norm(np.cross(way + excess_m * grip.approach, grip.closing_axis)) < 1e-6
                runs = chords.intervals(new.center[None], grip.closing_axis)[:, 0]
                runs = runs[runs[:, 0] < runs[:, 1]]
                np.testing.assert_allclose([-runs[:, 0].min(), runs[:, 1].max()], new.width_m / 2, atol=1e-5)
                assert MIN_WIDTH_M <= new.width_m <= MAX_WIDTH_M and new.opening_m <= MAX_OPENING_M
                assert new.depth_m == pytest.approx(grip.depth_m + excess_m, abs=1e-5)
                moved += 1
    assert kept > moved > 0


def test_no_object_reaches_the_palm(assets: list[Asset]) -> None:
    """The palm's face is a rectangle behind the tool; the same without the new palm would reach it."""
    reached = 0
    for asset in assets[::3]:
        points = np.concatenate([part_points(part) for part in asset.collisions])

        def deepest_m(grasps, points=points) -> float:
            depths = [0.0]
            for grasp in grasps:
                in_tool = apply(inverse(grasp.world_from_tool), points)
                below = np.all(np.abs(in_tool[:, :2]) < PALM.half_face_m, axis=1)
                depths.append(float((-in_tool[below, 2]).max(initial=0.0)))
            return max(depths)

        assert deepest_m(grasp_candidates(asset, np.eye(4), PALM)) <= foremost_m("panda"), asset.name
        reached += deepest_m(grasp_candidates(asset, np.eye(4))) > foremost_m("panda")
    assert reached > 2


def test_nearly_every_object_can_be_taken(assets: list[Asset]) -> None:
    taken = [asset for asset in assets if next(grasp_candidates(asset, np.eye(4), PALM), None) is not None]
    assert len(taken) > 0.95 * len(assets)


def test_grasps_keep_the_numbers_of_their_grips(assets: list[Asset]) -> None:
    lost = 0
    for asset in assets[::4]:
        there = [regripped(grip, Chords(asset.collisions), PALM) is not None for grip in asset.grips]
        numbers = {grasp.grip for grasp in grasp_candidates(asset, np.eye(4), PALM)}
        assert numbers == set(np.flatnonzero(there))
        lost += there.count(False)
    assert lost > 0
