"""Grasps that are drawn about the annotated ones."""

import numpy as np
import pytest

from imove_core.transforms import apply, inverse
from imove_motion.grasps import Grasp, grasp_candidates
from imove_motion.planning.grasp_draws import GraspTolerances, drawn_grips
from imove_tasks.assets.convex import Chords
from imove_tasks.assets.grasping import ANNOTATED_PALM, MAX_OPENING_M
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

from .worlds import turned

TOLERANCES = GraspTolerances()
POSE = turned(0.4, 0.3, 0.1, 0.05)


@pytest.fixture(scope="module")
def assets() -> list[Asset]:
    library = AssetLibrary.generate(instances_per_category=1)
    return [asset for asset in library if asset.grips][::9]


def drawn(asset: Asset, seed: int, tolerances: GraspTolerances = TOLERANCES) -> list[Grasp]:
    grips = drawn_grips(asset, ANNOTATED_PALM, tolerances, np.random.default_rng(seed))
    return [grasp for tilt_rad in (0.0, 0.3) for grasp in grips.grasps(POSE, tilt_rad)]


def test_a_seed_gives_the_same_grasps_and_another_others(assets: list[Asset]) -> None:
    for asset in assets[:5]:
        first, again, other = drawn(asset, 3), drawn(asset, 3), drawn(asset, 4)
        assert first and len(first) == len(again)
        for one, two in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.world_from_tool, two.world_from_tool)
        assert not np.array_equal(first[0].world_from_tool, other[0].world_from_tool)


def test_most_draws_can_be_used(assets: list[Asset]) -> None:
    shares = []
    for asset in assets:
        directions = sum(8 if grip.free_yaw else 2 for grip in asset.grips)
        shares.append(len(drawn(asset, 0)) / (3 * directions))
    assert np.mean(shares) > 0.7
    assert max(shares) <= 1.0


def test_the_object_is_between_the_jaws_as_thick_as_they_say(assets: list[Asset]) -> None:
    for asset in assets:
        chords = Chords(asset.collisions)
        for grasp in drawn(asset, 1):
            object_from_tool = inverse(POSE) @ grasp.world_from_tool
            # A thin thing is held higher than where it was measured, so that the tips clear the table.
            held = apply(object_from_tool, np.array([[0.0, 0.0, depth] for depth in np.linspace(0.0, 0.012, 7)]))
            runs = chords.intervals(held, object_from_tool[:3, 1])
            assert grasp.tilt_rad or np.any(runs[..., 0] < runs[..., 1])
            grip = asset.grips[grasp.grip]
            assert abs(grasp.width_m - grip.width_m) <= TOLERANCES.width_m
            assert grasp.width_m <= grasp.opening_m <= MAX_OPENING_M


def test_turns_are_within_the_tolerances(assets: list[Asset]) -> None:
    most = TOLERANCES.roll_rad + TOLERANCES.pitch_rad + TOLERANCES.yaw_rad
    seen = []
    for asset in assets:
        straight = [grasp.world_from_tool for grasp in grasp_candidates(asset, POSE) if not grasp.tilt_rad]
        for grasp in drawn(asset, 2):
            if grasp.tilt_rad == 0.0 and not asset.grips[grasp.grip].free_yaw:
                angles = [
                    np.arccos(np.clip((np.trace(pose[:3, :3].T @ grasp.world_from_tool[:3, :3]) - 1) / 2, -1, 1))
                    for pose in straight
                ]
                seen.append(min(angles))
    assert max(seen) <= most
    assert max(seen) > 0.5 * TOLERANCES.pitch_rad


def test_without_tolerances_grasps_are_the_annotated_ones(assets: list[Asset]) -> None:
    exact = GraspTolerances(roll_rad=0.0, pitch_rad=0.0, yaw_rad=0.0)
    for asset in [asset for asset in assets if not any(grip.free_yaw for grip in asset.grips)][:4]:
        straight = [grasp.world_from_tool for grasp in grasp_candidates(asset, POSE) if not grasp.tilt_rad]
        found = [grasp.world_from_tool for grasp in drawn(asset, 0, exact) if not grasp.tilt_rad]
        assert found
        for pose in found:
            assert min(np.abs(pose - other).max() for other in straight) < 1e-3
