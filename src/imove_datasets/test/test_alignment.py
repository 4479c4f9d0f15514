"""Messages become frames: as they were at an image, never older than allowed, never interpolated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.bag.errors import BagError
from imove_core.bag.reader import EpisodeBag
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_datasets.alignment import Drop, align, as_of, first_after, reference_camera
from imove_datasets.frames import frame_images, make_frames
from imove_datasets.guards import MARGIN_FRAMES, check_actions, moving_part
from imove_datasets.settings import AlignmentSettings
from imove_datasets.tracks import EpisodeTracks, read_tracks

from .episode_bags import STEP_NS, Episode, Table, write_bag

TIMES = st.lists(st.integers(0, 50), max_size=12).map(sorted)


def tracks_of(tmp_path, episode: Episode) -> tuple[EpisodeBag, EpisodeTracks]:
    bag = EpisodeBag(write_bag(tmp_path, episode))
    return bag, read_tracks(bag, "task/episode")


@given(TIMES, TIMES, st.integers(0, 20))
def test_as_of_is_the_last_message_that_is_not_later(stamps, times, age) -> None:
    index, old = as_of(np.array(stamps, np.int64), np.array(times, np.int64), age)
    for at, time in enumerate(times):
        earlier = [number for number, stamp in enumerate(stamps) if stamp <= time]
        assert index[at] == (earlier[-1] if earlier else -1)
        assert old[at] == bool(earlier and time - stamps[earlier[-1]] > age)


@given(TIMES, TIMES, st.integers(0, 20))
def test_first_after_is_the_first_message_that_is_later(stamps, times, wait) -> None:
    index, late = first_after(np.array(stamps, np.int64), np.array(times, np.int64), wait)
    for at, time in enumerate(times):
        later = [number for number, stamp in enumerate(stamps) if stamp > time]
        assert index[at] == (later[0] if later else -1)
        assert late[at] == bool(later and stamps[later[0]] - time > wait)


def test_steps_of_a_simulator_become_frames_one_to_one(tmp_path) -> None:
    episode = Episode(steps=9)
    _, tracks = tracks_of(tmp_path, episode)
    aligned = align(tracks, AlignmentSettings())
    frames = make_frames(tracks, aligned, 0.05)
    assert aligned.fps == 30
    assert frames.stamps_ns.tolist() == [step * STEP_NS for step in range(9)]
    assert np.array_equal(frames.state, [episode.state(step) for step in range(9)])
    assert np.array_equal(frames.action, [episode.target(step + 1) for step in range(9)])
    # The last image has no target after it.
    assert aligned.drops == (Drop("/left/joint_target", "no later target", 1),)


def test_a_table_with_its_own_clocks_goes_through_the_same_code(tmp_path) -> None:
    episode = Table(steps=40, jpeg=True, labelled=False, seed=3)
    bag, tracks = tracks_of(tmp_path, episode)
    aligned = align(tracks, AlignmentSettings())
    frames = make_frames(tracks, aligned, 0.05)
    assert aligned.fps == 30
    assert 30 <= len(frames) < 40
    for row, stamp_ns in enumerate(frames.stamps_ns):
        # Joints at 200 Hz: the measured row is the one of the last 5 ms, exactly as sent.
        measured = episode.sent_states[episode.sent_states["stamp"] <= stamp_ns][-1]
        assert 0 <= stamp_ns - measured["stamp"] <= 5_000_000
        assert np.array_equal(frames.state[row], measured["positions"])
        commanded = episode.sent_targets[episode.sent_targets["stamp"] > stamp_ns][0]
        assert np.array_equal(frames.action[row], commanded["positions"])
    assert sum(drop.frames for drop in aligned.drops) == len(tracks.images["static_camera"].stamps_ns) - len(frames)
    images = list(frame_images(bag, tracks, frames))
    assert len(images) == len(frames)
    for camera, shown in images[7].items():
        number = int(frames.images[camera][7])
        expected = episode.pixels(*episode.sent_images[camera][number]).astype(float)
        assert np.abs(shown - expected).mean() < 3
    assert (frames.labels["label.phase"] == -1).all()
    assert (frames.labels["label.stages"] == -1).all()
    assert (frames.labels["label.success"] == 1).all()


def test_a_camera_that_stops_drops_frames_and_is_named(tmp_path) -> None:
    topic = "/left_hand_camera/color/image_raw"

    def without(sent):
        return [item for item in sent if not (item[1] == topic and 4 * STEP_NS <= item[0] < 8 * STEP_NS)]

    _, tracks = tracks_of(tmp_path, Episode(steps=12, change=without))
    aligned = align(tracks, AlignmentSettings())
    assert Drop(topic, "too old", 3) in aligned.drops
    # The image of step 3 is 33 ms old at step 4, which is still allowed.
    kept = [0, 1, 2, 3, 4, 8, 9, 10, 11]
    assert aligned.stamps_ns.tolist() == [step * STEP_NS for step in kept]
    assert aligned.picks[topic].tolist() == [0, 1, 2, 3, 3, 4, 5, 6, 7]
    assert aligned.longest_gap_s == pytest.approx(4 * STEP_NS / 1e9)


def test_what_comes_late_is_missing_at_the_start(tmp_path) -> None:
    topic = "/right/joint_states"
    episode = Episode(steps=8, change=lambda sent: [i for i in sent if i[1] != topic or i[0] >= 2 * STEP_NS])
    _, tracks = tracks_of(tmp_path, episode)
    assert Drop(topic, "missing", 2) in align(tracks, AlignmentSettings()).drops


def test_a_target_that_comes_too_late_is_no_action(tmp_path) -> None:
    topic = "/right/joint_target"
    episode = Episode(steps=8, change=lambda sent: [i for i in sent if i[1] != topic or i[0] != 5 * STEP_NS])
    _, tracks = tracks_of(tmp_path, episode)
    assert Drop(topic, "target too late", 1) in align(tracks, AlignmentSettings()).drops


def test_joints_in_another_order_are_put_into_that_of_the_rig(tmp_path) -> None:
    plain = Episode(steps=4)
    _, expected = tracks_of(tmp_path / "a", plain)
    _, tracks = tracks_of(tmp_path / "b", Table.reversed_joints(plain))
    assert np.array_equal(tracks.states["left"].values, expected.states["left"].values)


def test_the_reference_camera_is_the_first_that_stands_still() -> None:
    rig = load_rig("franka_single")
    assert reference_camera(rig) == "ext1_camera"
    assert reference_camera(rig, "wrist_camera") == "wrist_camera"
    with pytest.raises(ImoveError, match="unknown camera of rig franka_single 'top'"):
        reference_camera(rig, "top")


def test_a_rate_that_is_no_whole_number_is_refused(tmp_path) -> None:
    _, tracks = tracks_of(tmp_path, Episode(step_ns=3 * 10**9, steps=3))
    with pytest.raises(BagError, match=r"come at 0\.33 Hz; a whole number"):
        align(tracks, AlignmentSettings())


def test_idle_ends_are_found_with_a_margin(tmp_path) -> None:
    _, tracks = tracks_of(tmp_path, Episode(steps=40, idle=(10, 25)))
    frames = make_frames(tracks, align(tracks, AlignmentSettings()), 0.05)
    first, end = moving_part(frames)
    assert 10 - MARGIN_FRAMES - 1 <= first <= 10
    assert 25 <= end <= 25 + MARGIN_FRAMES + 1
    part = frames.cut(first, end)
    assert len(part) == end - first
    assert np.array_equal(part.state, frames.state[first:end])


def test_an_episode_in_which_nothing_moves_stays_whole(tmp_path) -> None:
    _, tracks = tracks_of(tmp_path, Episode(steps=6, idle=(6, 6)))
    frames = make_frames(tracks, align(tracks, AlignmentSettings()), 0.05)
    assert moving_part(frames) == (0, 6)
    check_actions(frames, "e")


def test_actions_that_are_states_are_refused(tmp_path) -> None:
    class Copies(Episode):
        def target(self, step: int) -> np.ndarray:
            return self.state(step - 1)

    _, tracks = tracks_of(tmp_path, Copies(steps=10))
    frames = make_frames(tracks, align(tracks, AlignmentSettings()), 0.05)
    with pytest.raises(BagError, match="the target is the measured position"):
        check_actions(frames, "task/episode")
