"""Videos of episodes: what PyAV reads back, the banner, and the outline of the target."""

from dataclasses import replace

import av
import numpy as np
import pytest

from imove_analysis.episodes import ObjectEvent
from imove_analysis.records import COMPLETED, Execution, make_record
from imove_analysis.runs import EPISODES, PROVENANCE, SUITE, open_run
from imove_analysis.videos import video_path
from imove_bringup.episode_video import VideoMaker, render_video
from imove_bringup.episode_video.banner import StageSign, stage_signs
from imove_bringup.episode_video.choosing import choose_episodes
from imove_bringup.episode_video.frames import Frame, recorded, rendered, shown_states
from imove_bringup.episode_video.outline import box_edges, world_from_camera
from imove_bringup.episode_video.picture import TARGET, Caption, draw_picture, picture_size
from imove_bringup.episode_video.video_file import write_video
from imove_bringup.replay.recorded import read_episode
from imove_bringup.synthesis.synthesis import synthesise
from imove_core.bag.errors import BagError
from imove_core.bag.reader import EpisodeBag
from imove_core.canonical import canonical_json
from imove_core.episode_rig import episode_rig
from imove_core.errors import ImoveError
from imove_core.fixed_camera import pixels_of
from imove_core.rig import load_rig
from imove_core.state import pose_hash
from imove_core.step_trace import trace_bytes
from imove_core.transforms import apply
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.stages import EpisodeScore, StageEvent
from imove_tasks.suites import Suite, open_suite, write_suite

from .synthesis_cases import rewritten, small_job

STEPS = 20
REACHED_AT = 10
RIG = load_rig("piperx_dual")


@pytest.fixture(scope="module")
def spec():
    """A scene of a shipped suite."""
    return open_suite("pick_category/seen").specs[0]


@pytest.fixture(scope="module")
def states(spec):
    """A few control steps in which nothing moves."""
    backend = create_backend("mujoco", RIG, open_library(()).get, (64, 48))
    backend.load(spec)
    found = [backend.reset()]
    found += backend.advance({}, STEPS)
    backend.close()
    return found


@pytest.fixture
def run(tmp_path, spec, states):
    """A run with two episodes of the scene; the target is reached in the middle, under `alternative` another object."""
    target, other = spec.instruction("normal").target, spec.instruction("alternative").target
    lines = []
    for condition, reached in (("normal", target), ("alternative", target)):
        named = {"normal": target, "alternative": other}[condition]
        event = StageEvent("strict", "reach", reached, reached == named, REACHED_AT, REACHED_AT / 30)
        score = EpisodeScore(named, (event,), None, STEPS)
        execution = Execution(
            COMPLETED, score, settled_pose_hash=pose_hash(states[0].objects), trace=trace_bytes(states)
        )
        record = make_record(spec, condition, 0, execution)
        path = tmp_path / record["trace"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(execution.trace)
        lines.append(canonical_json(record) + "\n")
    suite = Suite("pick_category/one", 0, "snapshot", (spec,))
    write_suite(suite, tmp_path / SUITE)
    settings = {
        "policy": "test",
        "suite": suite.name,
        "suite_hash": suite.content_hash,
        "rig": RIG.name,
        "sim": "mujoco",
    }
    (tmp_path / PROVENANCE).write_text(canonical_json({"settings": settings}))
    (tmp_path / EPISODES).write_text("".join(lines))
    return open_run(tmp_path)


def pictures_of(path):
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        facts = stream.codec_context.name, stream.codec_context.pix_fmt, stream.average_rate
        return facts, [frame.to_ndarray(format="rgb24") for frame in file.decode(stream)]


def test_a_video_of_a_trace(run, tmp_path):
    path = tmp_path / "videos/one.mp4"
    assert render_video(run, run.episodes[0], path) == STEPS // 2 + 1
    (codec, pixel_format, rate), pictures = pictures_of(path)
    assert (codec, pixel_format, rate) == ("h264", "yuv420p", 30)
    assert [picture.shape for picture in pictures] == [(288, 960, 3)] * (STEPS // 2 + 1)
    # A browser plays it without having all of it: the index comes before the pictures.
    content = path.read_bytes()
    assert content.find(b"moov") < content.find(b"mdat")
    assert sorted(file.name for file in path.parent.iterdir()) == ["one.mp4", "one.png"]
    # The sign of the first stage turns green when it is reached; that of the second stays dark.
    before, after = pictures[REACHED_AT // 2 - 1][-12, 400], pictures[REACHED_AT // 2][-12, 400]
    assert before.max() < 60
    assert int(after[1]) - int(after[0]) > 50
    assert pictures[-1][-12, 900].max() < 60
    # Under another text the same object is the wrong one.
    render_video(run, run.episodes[1], path)
    _, others = pictures_of(path)
    assert int(others[-1][-12, 400][0]) - int(others[-1][-12, 400][2]) > 80


def test_the_target_is_outlined_where_it_is(run, spec, states):
    camera = RIG.camera("static_camera")
    item = next(item for item in states[0].objects if item.id == spec.instruction("normal").target)
    lines = box_edges(item, camera, world_from_camera(RIG, camera, states[0]), 320, 240)
    assert lines.shape == (12, 2, 2)
    corners = apply(item.world_from_object, np.array([item.box_min, item.box_max]))
    for corner in pixels_of(camera, 320, 240, corners):
        assert np.abs(lines.reshape(-1, 2) - corner).sum(axis=1).min() < 1e-6
    images = {"static_camera": np.zeros((240, 320, 3), np.uint8)}
    caption = Caption("pick up the mug", "", {item.id: TARGET})
    drawn = draw_picture(Frame(states[0], images), RIG, caption, [StageSign("Reach", "open")], "0.0 s")
    green = np.argwhere((drawn == TARGET).all(axis=2)) - [24, 0]
    low, high = lines.reshape(-1, 2).min(axis=0), lines.reshape(-1, 2).max(axis=0)
    np.testing.assert_allclose(green.min(axis=0)[::-1], low, atol=2.5)
    np.testing.assert_allclose(green.max(axis=0)[::-1], high, atol=2.5)
    nothing = draw_picture(
        Frame(states[0], images), RIG, replace(caption, outlined={}), [StageSign("Reach", "open")], ""
    )
    assert not (nothing == TARGET).all(axis=2).any()


def test_boxes_around_and_behind_a_camera(states):
    camera, item = RIG.camera("static_camera"), states[0].objects[0]
    at_object = np.eye(4)
    at_object[:3, 3] = item.position
    around = replace(item, position=np.zeros(3), box_min=np.full(3, -1.0), box_max=np.full(3, 1.0))
    cut = box_edges(around, camera, np.eye(4), 320, 240)
    # The four edges behind the camera are left out, those that go past it are cut.
    assert cut.shape == (8, 2, 2) and np.isfinite(cut).all()
    behind = replace(around, position=np.array([0.0, 0.0, -5.0]))
    assert box_edges(behind, camera, np.eye(4), 320, 240).shape == (0, 2, 2)


def test_a_camera_that_an_arm_carries_moves_with_it(states):
    camera = RIG.camera("left_hand_camera")
    first = world_from_camera(RIG, camera, states[0])
    turned = states[0].robot.positions.copy()
    turned[0] += 0.5
    moved = world_from_camera(RIG, camera, replace(states[0], robot=replace(states[0].robot, positions=turned)))
    base = RIG.arms[0].world_from_base.matrix[:3, 3]
    assert np.linalg.norm(moved[:3, 3] - first[:3, 3]) > 0.05
    assert np.linalg.norm(moved[:2, 3] - base[:2]) == pytest.approx(np.linalg.norm(first[:2, 3] - base[:2]))


def event(stage, object_id, step, is_target=False, destination=""):
    return ObjectEvent(stage, object_id, destination, step, is_target)


def test_signs_of_stages():
    names = {"a": "red mug", "b": "bowl", "c": "plate"}
    stages = ("reach", "lift", "reach_place", "place")
    events = [
        event("reach", "b", 30),
        event("reach", "a", 60, is_target=True),
        event("lift", "b", 70),
        event("reach_place", "a", 90, is_target=True, destination="c"),
    ]

    def at(step, any_counts=False):
        return [(sign.text, sign.standing) for sign in stage_signs(stages, events, names, any_counts, step, 30)]

    assert at(29) == [("Reach", "open"), ("Lift", "open"), ("ReachPlace", "open"), ("Place", "open")]
    assert at(30)[0] == ("Reach: bowl, 1.0 s", "wrong")
    assert at(60)[0] == ("Reach: red mug, 2.0 s", "reached")
    assert at(90)[1:] == [
        ("Lift: bowl, 2.3 s", "wrong"), ("ReachPlace: red mug to plate, 3.0 s", "reached"), ("Place", "open"),
    ]  # fmt: skip
    assert at(90, any_counts=True)[0] == ("Reach: bowl, 1.0 s", "reached")


def test_every_second_step_and_the_last_are_shown(states):
    assert [state.step for state in shown_states(states[:6])] == [0, 2, 4, 5]
    assert [state.step for state in shown_states(states[:5])] == [0, 2, 4]
    assert picture_size(3, 320, 240) == (960, 288)


def test_a_bag_shows_what_its_states_show(tmp_path):
    """The images of a bag are those that are rendered again from the control steps in it, at the same steps."""
    job = small_job(tmp_path, depth=False)
    assert synthesise(job, 1, 1, "", lambda outcome: None).kept == 1
    bag = EpisodeBag(tmp_path / job.task / "episode_000000")
    episode = read_episode(bag)
    backend = create_backend("mujoco", load_rig(job.rig), open_library(()).get, job.image_size)
    again = rendered(backend, episode_rig(episode.rig, episode.spec.randomization), episode.spec, episode.states)
    found = recorded(bag, job.image_size)
    assert found.count == again.count == len(episode.states) // 2 + 1
    for taken, shown in zip(found.frames, again.frames, strict=True):
        assert taken.state.step == shown.state.step
        assert taken.images.keys() == shown.images.keys()
        for name, image in taken.images.items():
            assert np.abs(image.astype(int) - shown.images[name]).mean() < 1.0, (name, taken.state.step)
    backend.close()
    blind = rewritten(bag, tmp_path / "blind", change=lambda item: None if "image_raw" in item.topic else item.cdr)
    with pytest.raises(BagError, match="has no colour image of camera"):
        recorded(EpisodeBag(blind), job.image_size)


def test_choice_of_episodes(run):
    keys = [episode.key for episode in run.episodes]
    assert choose_episodes(run, "all", 10) == list(run.episodes)
    assert choose_episodes(run, "failed", 1) == [run.episodes[0]]
    assert choose_episodes(run, f"{keys[1]}, {keys[0]}", 10) == list(run.episodes)
    with pytest.raises(ImoveError, match=r"unknown episode of .* 'nothing'; allowed: all, failed, "):
        choose_episodes(run, "nothing", 10)
    assert video_path(run, run.episodes[0]) == run.folder.resolve() / "videos" / f"{keys[0]}.mp4"
    with pytest.raises(ImoveError, match="outside of"):
        video_path(run, replace(run.episodes[0], spec_id="../../elsewhere"))


def test_what_cannot_be_shown(run, tmp_path):
    maker = VideoMaker(run)
    path = tmp_path / "one.mp4"
    with pytest.raises(ImoveError, match="were not kept"):
        maker.make(replace(run.episodes[0], trace=None), path)
    with pytest.raises(ImoveError, match="lies outside of"):
        maker.make(replace(run.episodes[0], bag="../elsewhere"), path)
    with pytest.raises(ImoveError, match="does not exist"):
        maker.make(replace(run.episodes[0], bag="bags/none", trace=None), path)
    maker.close()
    assert not path.exists()


def test_a_video_that_cannot_be_finished_leaves_nothing(tmp_path):
    def broken():
        yield np.zeros((48, 64, 3), np.uint8)
        raise ImoveError("lost")

    with pytest.raises(ImoveError, match="lost"):
        write_video(tmp_path / "one.mp4", broken())
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(ImoveError, match="cannot be written"):
        write_video(tmp_path / "file/one.mp4", [np.zeros((48, 64, 3), np.uint8)])
