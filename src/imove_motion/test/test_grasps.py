"""Candidate grasps of every object of the library, where it rests."""

import numpy as np
import pytest

from imove_core.transforms import apply, inverse, rotation_about_axis, transform
from imove_description.arm_model import load_arm_model
from imove_description.shapes import CollisionBox
from imove_motion.grasps import FREE_YAW_STEPS, TILTS_RAD, Grasp, grasp_candidates
from imove_motion.hand import Hand
from imove_tasks.assets.convex import part_points
from imove_tasks.assets.grasping import PALM_M
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

MODEL = load_arm_model("piper_x")
HAND = Hand(MODEL)


Pair = tuple[Asset, Grasp]


@pytest.fixture(scope="module")
def assets() -> list[Asset]:
    return [asset for asset in AssetLibrary.generate(instances_per_category=1) if asset.grips]


@pytest.fixture(scope="module")
def pairs(assets: list[Asset]) -> list[Pair]:
    return [(asset, grasp) for asset in assets for grasp in grasp_candidates(asset, resting(asset))]


def resting(asset: Asset, yaw_rad: float = 0.7) -> np.ndarray:
    return transform(rotation_about_axis([0, 0, 1], yaw_rad), [0.3, -0.1, -asset.box_min[2]])


def test_tool_poses_are_rigid_and_right_handed(pairs: list[Pair]) -> None:
    poses = np.array([grasp.world_from_tool for _, grasp in pairs])
    rotations = poses[:, :3, :3]
    np.testing.assert_allclose(
        rotations.transpose(0, 2, 1) @ rotations, np.tile(np.eye(3), (len(poses), 1, 1)), atol=1e-9
    )
    np.testing.assert_allclose(np.linalg.det(rotations), 1, atol=1e-6)
    np.testing.assert_array_equal(poses[:, 3], np.tile([0, 0, 0, 1], (len(poses), 1)))


def test_openings_let_the_object_in_and_suit_the_gripper(pairs: list[Pair]) -> None:
    for asset, grasp in pairs:
        assert 0 < grasp.width_m <= grasp.opening_m <= MODEL.gripper.max_opening_m, asset.name


def test_no_finger_tip_of_any_grasp_is_below_the_table(pairs: list[Pair]) -> None:
    for asset, grasp in pairs:
        opening_m = min(grasp.opening_m + 0.012, MODEL.gripper.max_opening_m)
        lowest = apply(grasp.world_from_tool, HAND.points(opening_m))[:, 2].min()
        assert lowest >= 0.002, f"{asset.name}: tilt {grasp.tilt_rad}, lowest point {lowest * 1000:.1f} mm"


def test_the_tool_comes_from_above_and_the_pads_are_at_the_object(pairs: list[Pair]) -> None:
    for asset, grasp in pairs:
        assert grasp.world_from_tool[2, 2] < 0
        in_object = apply(inverse(resting(asset)), grasp.world_from_tool[:3, 3])
        assert np.all(in_object >= asset.box_min - 0.012) and np.all(in_object <= asset.box_max + 0.012), asset.name


def test_each_grip_gives_every_tilt_both_ways_round_and_every_yaw_where_it_is_free(assets: list[Asset]) -> None:
    for asset in (asset for asset in assets if np.linalg.norm(asset.extents) < PALM_M):
        expected = sum(2 * len(TILTS_RAD) * (FREE_YAW_STEPS if grip.free_yaw else 1) for grip in asset.grips)
        grasps = list(grasp_candidates(asset, resting(asset)))
        assert len(grasps) == expected
        assert {grasp.tilt_rad for grasp in grasps} == {abs(tilt) for tilt in TILTS_RAD}
        assert {grasp.grip for grasp in grasps} == set(range(len(asset.grips)))


def test_no_palm_is_inside_an_object(assets: list[Asset]) -> None:
    """The palm's face is a rectangle behind the tool; what is left out is left out for a reason."""
    gripper_from_tcp = inverse(MODEL.flange_from_gripper) @ MODEL.flange_from_tcp
    palm_m = gripper_from_tcp[2, 3] - max(
        shape.link_from_box[2, 3] + shape.size_m[2] / 2
        for shape in MODEL.link(MODEL.gripper.base_link).collision
        if isinstance(shape, CollisionBox)
    )
    assert palm_m - 0.002 <= PALM_M <= palm_m
    left_out = 0
    for asset in assets:
        points = np.concatenate([part_points(part) for part in asset.collisions])
        for grasp in grasp_candidates(asset, np.eye(4)):
            in_tool = apply(inverse(grasp.world_from_tool), points)
            below_palm = (np.abs(in_tool[:, 0]) < 0.02) & (np.abs(in_tool[:, 1]) < 0.03)
            assert (-in_tool[below_palm, 2]).max(initial=0.0) <= palm_m, (asset.name, grasp)
        full = sum(2 * len(TILTS_RAD) * (FREE_YAW_STEPS if grip.free_yaw else 1) for grip in asset.grips)
        left_out += full - len(list(grasp_candidates(asset, np.eye(4))))
    assert left_out > 0


def test_jaws_close_along_the_annotated_axis_whatever_the_tilt(assets: list[Asset]) -> None:
    for asset in assets:
        pose = resting(asset)
        axes = [pose[:3, :3] @ grip.closing_axis for grip in asset.grips if not grip.free_yaw]
        if len(axes) < len(asset.grips):
            continue
        for grasp in grasp_candidates(asset, pose):
            assert max(abs(axis @ grasp.world_from_tool[:3, 1]) for axis in axes) == pytest.approx(1)


def test_jaws_are_turned_both_ways(assets: list[Asset]) -> None:
    for asset in assets[:5]:
        axes = {tuple(np.round(grasp.world_from_tool[:3, 1], 6) + 0.0) for grasp in grasp_candidates(asset, np.eye(4))}
        assert axes == {tuple(-np.array(axis) + 0.0) for axis in axes}


def test_grasps_move_with_the_object(assets: list[Asset]) -> None:
    asset = assets[0]
    here = list(grasp_candidates(asset, np.eye(4)))
    there = list(grasp_candidates(asset, resting(asset)))
    for first, second in zip(here, there, strict=True):
        np.testing.assert_allclose(resting(asset) @ first.world_from_tool, second.world_from_tool, atol=1e-12)
