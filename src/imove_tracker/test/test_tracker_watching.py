"""When the tracker tells what: ticks, layouts and episodes; which images it looks at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.fixed_camera import fixed_camera
from imove_core.rig import Intrinsics
from imove_tracker.pairing import ImagePairs
from imove_tracker.rectifying import Rectifier
from imove_tracker.ticks import MOST_BEHIND, Ticks
from imove_tracker.tracker import Tracker
from imove_tracker.watching import Watching

from .tracked_scenes import RIG, library, scene

SECOND = 1_000_000_000


@given(steps=st.lists(st.integers(0, 200_000_000), max_size=40), start_ns=st.integers(0, 2 * 10**18))
def test_each_tick_is_told_once_in_order_and_none_before_its_time(steps, start_ns):
    ticks, now_ns, told = Ticks(30.0, start_ns), start_ns, []
    for step in steps:
        now_ns += step
        due = list(ticks.due(now_ns))
        assert all(stamp <= now_ns for _, stamp in due)
        told += due
    numbers = [number for number, _ in told]
    assert numbers == list(range(len(numbers)))
    assert all(stamp == start_ns + round(number * SECOND / 30) for number, stamp in told)


def test_ticks_of_a_long_silence_are_left_out():
    ticks = Ticks(30.0, 0)
    due = list(ticks.due(10 * SECOND))
    assert len(due) == MOST_BEHIND and due[-1][0] == 300


@pytest.fixture
def watching():
    return Watching(RIG, Tracker(RIG, library(), fixed_camera(RIG)))


def hear(watching, stamp_ns):
    """Both arms stand at home; what is due then."""
    for arm in RIG.arms:
        watching.joints.measured(arm.name, stamp_ns, arm.home_positions)
        watching.joints.wanted(arm.name, arm.home_positions)
    return list(watching.due())


def test_without_anything_to_watch_the_ticks_go_on_empty(watching):
    watching.joints.measured("left", SECOND, RIG.arms[0].home_positions)
    assert list(watching.due()) == []
    told = hear(watching, SECOND)
    assert [(one.episode_id, one.step, one.tracked, one.shown) for one in told] == [("", 0, None, ())]
    assert [one.step for one in hear(watching, SECOND + SECOND // 10)] == [1, 2, 3]


def test_an_episode_has_ticks_of_its_own_from_its_stamp_on(watching):
    spec = scene(0)
    hear(watching, SECOND)
    watching.episode("one", 2 * SECOND, spec.to_json())
    assert hear(watching, 2 * SECOND - 1) == []
    (first,) = hear(watching, 2 * SECOND)
    ids = tuple(item.id for item in spec.objects)
    assert (first.episode_id, first.step, first.stamp_ns, first.shown) == ("one", 0, 2 * SECOND, ids)
    # Nobody has seen anything yet: a person says that they lie there.
    assert set(first.tracked.basis) == {"confirmed"}
    watching.result("another")
    assert watching.episode_id == "one"
    watching.result("one")
    (after,) = hear(watching, 2 * SECOND + SECOND // 30)
    assert (after.episode_id, after.shown) == ("", ())
    assert after.tracked is not None


def test_an_episode_whose_end_is_announced_before_it_comes_is_told_of_to_its_last_step(watching):
    watching.episode("one", SECOND, scene(0).to_json())
    assert [one.step for one in hear(watching, SECOND + SECOND // 10)] == [0, 1, 2, 3]
    watching.result("one", 5)
    told = hear(watching, SECOND + SECOND // 2)
    assert [(one.episode_id, one.step) for one in told] == [("one", 4), ("one", 5)]
    assert watching.episode_id == ""
    assert {one.episode_id for one in hear(watching, SECOND + SECOND * 6 // 10)} == {""}


@pytest.mark.parametrize("last_step", [None, 0, 3])
def test_an_episode_whose_last_step_is_past_ends_at_once(watching, last_step):
    watching.episode("one", SECOND, scene(0).to_json())
    hear(watching, SECOND + SECOND // 10)
    watching.result("one", last_step)
    assert watching.episode_id == ""


def test_the_next_layout_ends_an_episode_that_was_to_go_on(watching):
    watching.episode("one", SECOND, scene(0).to_json())
    hear(watching, SECOND)
    watching.result("one", 50)
    watching.trial("homing", scene(0).to_json())
    assert watching.episode_id == "one"
    watching.trial("laying_out", scene(1).to_json())
    assert watching.episode_id == ""


def test_objects_that_are_laid_out_are_shown_only_once_they_are_seen(watching):
    spec = scene(0)
    watching.trial("laying_out", spec.to_json())
    (told,) = hear(watching, SECOND)
    assert (told.episode_id, told.shown) == ("", ())
    assert len(told.tracked.objects) == len(spec.objects)


def test_a_running_episode_is_not_disturbed_by_the_trial_and_needs_no_spec(watching):
    watching.episode("teleoperated", SECOND, "")
    watching.trial("laying_out", scene(0).to_json())
    (told,) = hear(watching, SECOND)
    assert (told.episode_id, told.tracked) == ("teleoperated", None)


def test_specs_for_another_rig_and_broken_ones_are_refused(watching):
    other = scene(0).model_copy(update={"rig": "franka_single"})
    with pytest.raises(ImoveError, match="is for rig 'franka_single'; the tracker watches 'piperx_dual'"):
        watching.episode("one", SECOND, other.to_json())
    with pytest.raises(ImoveError, match="episode spec"):
        watching.trial("checking", "{}")


def test_pairs_are_of_one_exposure_and_no_more_often_than_asked():
    pairs, given_ns = ImagePairs(10.0), []
    for number in range(30):
        stamp_ns = number * SECOND // 30
        assert pairs.color(stamp_ns, f"c{number}") is None
        pair = pairs.depth(stamp_ns + 1000, f"d{number}")
        if pair is not None:
            assert pair == (stamp_ns, f"c{number}", f"d{number}")
            given_ns.append(stamp_ns)
    assert given_ns == [number * SECOND // 30 for number in range(0, 30, 3)]


def test_images_of_two_exposures_are_no_pair_and_slow_looks_come_seldom():
    pairs = ImagePairs(10.0)
    assert pairs.color(0, "c") is None
    assert pairs.depth(SECOND // 30, "d") is None
    assert pairs.color(SECOND // 30, "c") == (SECOND // 30, "c", "d")
    pairs.looked(0.5)
    for stamp_ns, due in ((SECOND // 2, False), (SECOND + SECOND // 30, True)):
        pairs.color(stamp_ns, "c")
        assert (pairs.depth(stamp_ns, "d") is not None) == due
    with pytest.raises(ImoveError, match="image_rate_hz is 0; a positive number is needed"):
        ImagePairs(0.0)


def test_distortion_is_taken_out_and_unknown_models_are_refused():
    intrinsics = Intrinsics(width=64, height=48, fx=40, fy=40, cx=31.5, cy=23.5)
    rgb, depth = np.zeros((48, 64, 3), np.uint8), np.full((48, 64), 700, np.uint16)
    rgb[:, 46] = 255
    assert Rectifier(intrinsics, "plumb_bob", [0.0] * 5).color(rgb) is rgb
    straight = Rectifier(intrinsics, "plumb_bob", [-0.3, 0.0, 0.0, 0.0, 0.0])
    # Barrel distortion bends straight lines outwards at their middle: a straight one was bent the other way.
    columns = straight.color(rgb)[..., 0].argmax(axis=1)
    assert columns[4] > columns[24] >= 46
    assert set(np.unique(straight.depth(depth)[10:-10, 10:-10])) == {700}
    with pytest.raises(ImoveError, match="distortion model 'fisheye'"):
        Rectifier(intrinsics, "fisheye", [0.1])
