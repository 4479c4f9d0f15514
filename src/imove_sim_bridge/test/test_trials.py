"""Trial grasps and resting poses: they pass what can be held and stands, and tell what else is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from imove_core.rig import Rig, Workspace
from imove_core.transforms import rotation_about_axis
from imove_sim_bridge.trials import TrialReport, grasp_trials, stability_trials
from imove_tasks.assets.affordances import Grip, StablePose
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset

COUNT = 40


def tried(asset: Asset, rig: Rig, count: int = COUNT) -> TrialReport:
    return grasp_trials(asset, rig, np.random.default_rng(1), count)


@pytest.fixture(scope="module")
def block(assets: dict[str, Asset]) -> Asset:
    return assets["block"]


def block_of(block: Asset, half: tuple[float, float, float], grip_x: float = 0.0, **changes: object) -> Asset:
    """A block of other half sizes, m, held across y."""
    grip = Grip(
        center=(grip_x, 0, 0), closing_axis=(0, 1, 0), approach=(0, 0, -1), width_m=2 * half[1],
        opening_m=2 * half[1], free_yaw=False, depth_m=half[2],
    )  # fmt: skip
    made = StablePose(np.eye(3), half[2], [(0.0, 0.0)], 0.0)
    return replace(
        block, collisions=(box_part(half),), box_min=-np.array(half), box_max=np.array(half), grips=(grip,),
        stable_poses=(made,), **changes,
    )  # fmt: skip


def test_a_block_is_held_nearly_always(block: Asset, rig: Rig) -> None:
    report = tried(block, rig, 100)
    assert report.successes >= 95
    assert report.successes == sum(tally.held for tally in report.grips)
    assert report.trials == 100 == report.successes + sum(number for _, number in report.failures)
    assert 0 < report.slip_m < 0.01


def test_trials_repeat_with_the_same_seed_and_differ_with_another(block: Asset, rig: Rig) -> None:
    first = grasp_trials(block, rig, np.random.default_rng(5), 5)
    assert first == grasp_trials(block, rig, np.random.default_rng(5), 5)
    assert first.slip_m != grasp_trials(block, rig, np.random.default_rng(6), 5).slip_m


def test_a_block_wider_than_the_jaw_opens_is_never_tried(block: Asset, rig: Rig) -> None:
    assert tried(block_of(block, (0.03, 0.036, 0.025)), rig).failures == (("too wide", COUNT),)


def test_a_block_that_leaves_less_room_than_the_hand_errs_fails(block: Asset, rig: Rig) -> None:
    report = tried(block_of(block, (0.03, 0.033, 0.025)), rig)
    assert report.share < 0.7
    assert report.failures[0][0] == "blocked"


def test_a_slippery_block_stays_where_it_is(block: Asset, rig: Rig) -> None:
    report = tried(replace(block, friction=0.01), rig)
    assert report.successes == 0
    assert report.failures[0][0] == "not lifted"


def test_a_block_out_of_reach_is_said_to_be(block: Asset, rig: Rig) -> None:
    far = rig.model_copy(update={"workspace": Workspace(x=(0.9, 1.0), y=(-0.1, 0.1))})
    assert tried(block, far).failures == (("unreachable", COUNT),)


def test_a_grip_below_what_the_hand_can_reach_hits_the_table(block: Asset, rig: Rig) -> None:
    sunk = replace(block.grips[0], center=(0.0, 0.0, -0.02), depth_m=0.05)
    assert tried(replace(block, grips=(sunk,)), rig).failures == (("table", COUNT),)


def test_an_asset_without_grips_says_so(assets: dict[str, Asset], rig: Rig) -> None:
    assert tried(assets["red ball"], rig).failures == (("no grip", COUNT),)


def test_a_long_heavy_bar_held_at_its_end_turns_in_the_hand(block: Asset, rig: Rig) -> None:
    half = (0.14, 0.01, 0.012)
    assert tried(block_of(block, half, mass_kg=2.0), rig).successes >= 0.95 * COUNT
    at_end = tried(block_of(block, half, 0.12, mass_kg=2.0), rig)
    assert at_end.successes == 0
    assert dict(at_end.failures).keys() <= {"turned", "slipped", "not lifted"}


def test_something_in_the_way_of_the_fingers_blocks_them(block: Asset, rig: Rig) -> None:
    lintel = box_part((0.01, 0.05, 0.005), np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.05], [0, 0, 0, 1.0]]))
    report = tried(replace(block, collisions=(*block.collisions, lintel)), rig)
    assert report.failures == (("blocked", COUNT),)


def test_a_block_holds_on_its_faces_and_not_on_an_edge(block: Asset) -> None:
    half = (0.03, 0.018, 0.025)
    on_side = StablePose(rotation_about_axis([1, 0, 0], np.pi / 2), half[1], [(0.0, 0.0)], 0.0)
    on_edge = StablePose(rotation_about_axis([1, 0, 0], np.pi / 4), (half[1] + half[2]) / np.sqrt(2), [(0.0, 0.0)], 0.0)
    asset = replace(block, stable_poses=(block.stable_poses[0], on_side, on_edge))
    report = stability_trials(asset, np.random.default_rng(0))
    assert [pose.holds for pose in report.poses] == [True, True, False]
    assert [pose.pose for pose in report.failing] == [2]
    assert report.poses[0].drift_m < 0.005


def test_generated_objects_stand_and_are_held(rig: Rig) -> None:
    library = AssetLibrary.generate(instances_per_category=1)
    for category in ("apple", "mini_hammer", "chocolate"):
        asset = library.in_category(category)[0]
        assert tried(asset, rig, 20).share >= 0.7, category
        assert stability_trials(asset, np.random.default_rng(0)).poses[0].holds, category
