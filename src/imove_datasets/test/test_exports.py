"""What is written for each trainer, read back by readers that share no code with the writers."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from imove_core.rig import load_rig
from imove_datasets import tree_v30
from imove_datasets.export import export_dataset
from imove_datasets.pixels import padded, t_shaped
from imove_datasets.settings import FORMATS, VideoSettings, export_settings

from .episode_bags import SEEN, Episode, Table, write_bag
from .layout_readers import json_lines, read_dataset

FRANKA = load_rig("franka_single")
EPISODES = [
    Episode(steps=12, seed=0, name="episode_000000"),
    Episode(steps=20, seed=1, name="episode_000001", instruction="take the blue bowl"),
    Episode(steps=8, seed=2, name="episode_000007"),
]
# Rendered scenes and drawn waves stay far above this at the default quality.
LEAST_PSNR_DB = 30.0


def psnr_db(expected: np.ndarray, got: np.ndarray) -> float:
    error = np.mean((expected.astype(float) - got.astype(float)) ** 2)
    return float(10 * np.log10(255**2 / max(error, 1e-9)))


@pytest.fixture(scope="module")
def bags(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bags")
    for episode in EPISODES:
        write_bag(folder, episode)
    return folder


@pytest.fixture(scope="module")
def exported(bags, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    for name in FORMATS:
        export_dataset([bags], folder / name, export_settings(name, horizon=6))
    return folder


def expected_states(episode: Episode) -> np.ndarray:
    return np.array([episode.state(step) for step in range(episode.steps)], np.float32)


def expected_actions(episode: Episode) -> np.ndarray:
    return np.array([episode.target(step + 1) for step in range(episode.steps)], np.float32)


@pytest.mark.parametrize("name", FORMATS)
def test_states_actions_and_times_are_exact(exported, name) -> None:
    start = 0
    for number, (episode, got) in enumerate(zip(EPISODES, read_dataset(exported / name), strict=True)):
        assert np.array_equal(got["observation.state"], expected_states(episode))
        assert np.array_equal(got["action"], expected_actions(episode))
        frames = np.arange(episode.steps)
        assert np.array_equal(got["timestamp"], (frames / 30).astype(np.float32))
        assert np.array_equal(got["frame_index"], frames)
        assert np.array_equal(got["index"], frames + start)
        assert (got["episode_index"] == number).all()
        assert set(got["task"]) == {episode.instruction}
        start += episode.steps


@pytest.mark.parametrize("name", FORMATS)
def test_images_are_those_of_the_bag(exported, name) -> None:
    episode, got = EPISODES[1], read_dataset(exported / name)[1]
    keys = [key for key in got if isinstance(got[key], np.ndarray) and got[key].dtype == np.uint8]
    keys = [key for key in keys if not key.endswith("concatenated")]
    assert len(keys) == 3
    for camera, key in enumerate(keys):
        for step in (0, 7, 19):
            expected = padded(episode.pixels(camera, step), 224, 224)
            assert psnr_db(expected, got[key][step]) > LEAST_PSNR_DB
            # And of that step alone.
            assert psnr_db(expected, got[key][(step + 10) % 20]) < psnr_db(expected, got[key][step])


@pytest.mark.parametrize("name", FORMATS)
def test_labels_are_features(exported, name) -> None:
    episode, got = EPISODES[0], read_dataset(exported / name)[0]
    later = np.arange(episode.steps) >= episode.steps // 2
    assert got["label.phase"].tolist() == [3 if late else 1 for late in later]
    assert np.array_equal(got["label.target_held"], later.astype(int))
    assert np.array_equal(got["label.stages"][:, 0], later.astype(int))
    assert not got["label.stages"][:, 1:].any()
    assert (got["label.success"] == 1).all()


@pytest.mark.parametrize("name", FORMATS)
def test_statistics_are_those_of_the_columns(exported, name) -> None:
    stats = json.loads((exported / name / "meta/stats.json").read_text())
    values = np.concatenate([expected_states(episode) for episode in EPISODES]).astype(float)
    moving = EPISODES[0].moving > 0
    found = {key: np.array(numbers) for key, numbers in stats["observation.state"].items() if key != "count"}
    for key, expected in (
        ("mean", values.mean(axis=0)),
        ("min", values.min(axis=0)),
        ("max", values.max(axis=0)),
    ):
        assert np.allclose(found[key], expected)
    # A joint that moves by 0.04 rad keeps its own numbers; the arm that stands by gets a floor.
    joints = np.flatnonzero(moving)
    assert np.allclose(found["std"][joints], values.std(axis=0)[joints])
    assert np.allclose(found["q99"][joints], np.quantile(values, 0.99, axis=0)[joints])
    spread = (found["q99"] - found["q01"])[~moving]
    assert np.allclose(spread, [0.02] * 6 + [0.002])
    report = json.loads((exported / name / "meta/imove.json").read_text())
    floored = {item["name"] for item in report["floored"] if item["column"] == "observation.state"}
    assert floored == set(EPISODES[0].rig.joint_names[7:])


def test_v21_has_statistics_of_each_episode(exported) -> None:
    root = exported / "lerobot-v2.1"
    rows = json_lines(root / "meta/episodes_stats.jsonl")
    for episode, row in zip(EPISODES, rows, strict=True):
        state = row["stats"]["observation.state"]
        assert state["count"] == [episode.steps]
        assert np.allclose(state["q90"], np.quantile(expected_states(episode).astype(float), 0.9, axis=0))
        image = row["stats"]["observation.images.static_camera"]
        shown = np.array([padded(episode.pixels(0, step), 224, 224) for step in range(episode.steps)]) / 255
        assert np.shape(image["mean"]) == (3, 1, 1)
        # Every second pixel is looked at.
        assert np.allclose(np.ravel(image["mean"]), shown.mean(axis=(0, 1, 2)), atol=2e-3)
        assert np.allclose(np.ravel(image["std"]), shown.std(axis=(0, 1, 2)), atol=2e-3)


def test_v30_puts_many_episodes_into_a_file_and_begins_another_when_it_is_full(bags, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tree_v30, "VIDEO_FILE_MB", 0.02)
    monkeypatch.setattr(tree_v30, "DATA_FILE_MB", 0.006)
    out = tmp_path / "out"
    export_dataset([bags], out, export_settings("lerobot-v3"))
    assert len(list((out / "data").rglob("*.parquet"))) > 1
    assert len(list((out / "videos/observation.images.static_camera").rglob("*.mp4"))) > 1
    for episode, got in zip(EPISODES, read_dataset(out), strict=True):
        assert np.array_equal(got["observation.state"], expected_states(episode))
        expected = padded(episode.pixels(0, 5), 224, 224)
        assert psnr_db(expected, got["observation.images.static_camera"][5]) > LEAST_PSNR_DB


def test_v30_writes_statistics_beside_each_episode(exported) -> None:
    row = pq.read_table(exported / "lerobot-v3/meta/episodes/chunk-000/file-000.parquet").to_pylist()[2]
    assert np.allclose(row["stats/action/max"], expected_actions(EPISODES[2]).max(axis=0))
    assert np.shape(row["stats/observation.images.left_hand_camera/q50"]) == (3, 1, 1)
    assert row["stats/observation.images.left_hand_camera/count"] == [8]


def test_images_may_stay_as_they_are(bags, tmp_path) -> None:
    export_dataset([bags], tmp_path / "out", export_settings("lerobot-v2.1", video=VideoSettings(None, 10)))
    got = read_dataset(tmp_path / "out")[0]["observation.images.static_camera"]
    assert got.shape == (12, 48, 64, 3)
    assert psnr_db(EPISODES[0].pixels(0, 3), got[3]) > LEAST_PSNR_DB


def test_gr00t_gets_modality_and_relative_statistics(exported) -> None:
    meta = exported / "gr00t/meta"
    modality = json.loads((meta / "modality.json").read_text())
    assert modality["action"]["right_arm"] == {"start": 7, "end": 13}
    assert modality["state"]["right_gripper"] == {"start": 13, "end": 14}
    assert modality["video"]["static_camera"] == {"original_key": "observation.images.static_camera"}
    assert modality["annotation"]["human.task_description"] == {"original_key": "task_index"}
    info = json.loads((meta / "info.json").read_text())
    stats = json.loads((meta / "stats.json").read_text())
    marks = stats.pop("__fingerprints__")
    payload = '{"dtype":"float32","feature":"action","shape":[14]}'
    assert marks["action"] == "sha256:" + hashlib.sha256(payload.encode()).hexdigest()
    assert set(marks) == set(stats)
    assert set(stats) == {key for key, feature in info["features"].items() if "float" in feature["dtype"]}
    assert set(stats["action"]) == {"mean", "std", "min", "max", "q01", "q99"}
    relative = json.loads((meta / "relative_stats.json").read_text())
    payload = (
        '{"action_delta_indices":[0,1,2,3,4,5],"action_key":"left_arm","embodiment_tag":"new_embodiment",'
        '"format":"DEFAULT","rep":"RELATIVE","state_delta_indices":[0],"state_key":null,"type":"NON_EEF"}'
    )
    assert relative.pop("__fingerprints__")["left_arm"] == "sha256:" + hashlib.sha256(payload.encode()).hexdigest()
    assert set(relative) == {"left_arm", "right_arm"}
    expected = []
    for episode in EPISODES:
        state, action = expected_states(episode), expected_actions(episode)
        expected += [action[at : at + 6, :6] - state[at, :6] for at in range(episode.steps - 5)]
    assert np.allclose(relative["left_arm"]["mean"], np.mean(expected, axis=0), atol=1e-6)
    assert np.allclose(relative["left_arm"]["max"], np.max(expected, axis=0), atol=1e-6)
    assert np.shape(relative["right_arm"]["q01"]) == (6, 6)


def test_episodes_shorter_than_a_chunk_count_where_there_are_no_others(bags, tmp_path) -> None:
    for horizon, chunks in ((15, 6), (40, 40)):
        out = tmp_path / str(horizon)
        export_dataset([bags], out, export_settings("gr00t", horizon=horizon))
        found = json.loads((out / "meta/relative_stats.json").read_text())["left_arm"]
        expected = []
        for episode in EPISODES:
            state, action = expected_states(episode)[:, :6], expected_actions(episode)[:, :6]
            for at in range(episode.steps if horizon == 40 else episode.steps - horizon + 1):
                rows = np.minimum(np.arange(at, at + horizon), episode.steps - 1)
                expected.append(action[rows] - state[at])
        assert len(expected) == chunks
        assert np.allclose(found["mean"], np.mean(expected, axis=0), atol=1e-6)


def test_openpi_gets_statistics_of_what_its_transforms_make(exported) -> None:
    found = json.loads((exported / "openpi/assets/imove/norm_stats.json").read_text())["norm_stats"]
    grippers = np.isin(np.arange(14), (6, 13))
    chunks = []
    for episode in EPISODES:
        state, action = expected_states(episode), expected_actions(episode)
        for at in range(episode.steps):
            rows = np.minimum(np.arange(at, at + 6), episode.steps - 1)
            chunks.append(action[rows] - np.where(grippers, 0, state[at]))
    assert np.allclose(found["actions"]["mean"], np.mean(np.concatenate(chunks), axis=0), atol=1e-6)
    q01, q99 = np.array(found["actions"]["q01"]), np.array(found["actions"]["q99"])
    assert np.allclose(
        q99[:6], np.quantile(np.concatenate(chunks)[:, :6], 0.99, axis=0, method="inverted_cdf"), atol=1e-4
    )
    assert (q99 - q01 >= np.where(grippers, 0.002, 0.02) - 1e-9).all()
    assert len(found["state"]["std"]) == 14


def test_openpi_takes_one_arm_in_the_manner_of_droid(tmp_path) -> None:
    episode = Episode(rig=FRANKA, steps=6)
    write_bag(tmp_path / "bags", episode)
    export_dataset([tmp_path / "bags"], tmp_path / "out", export_settings("openpi"))
    got = read_dataset(tmp_path / "out")[0]
    low, high = FRANKA.arms[0].limits[-1]
    assert np.array_equal(got["joint_position"], expected_states(episode)[:, :7])
    assert np.array_equal(got["actions"][:, :7], expected_actions(episode)[:, :7])
    # DROID's grippers are closed at 1.
    opening = np.array([episode.state(step)[7] for step in range(6)])
    assert np.allclose(got["gripper_position"], (high - opening) / (high - low), atol=1e-6)
    assert {"exterior_image_1_left", "exterior_image_2_left", "wrist_image_left"} <= set(got)
    report = json.loads((tmp_path / "out/meta/imove.json").read_text())
    assert report["units"]["gripper"] == "0 open to 1 closed"


def test_motus_gets_one_image_of_three(exported) -> None:
    episode, got = EPISODES[0], read_dataset(exported / "motus")[0]
    shown = got["observation.images.cam_concatenated"]
    assert shown.shape == (12, 384, 320, 3)
    expected = t_shaped(*(episode.pixels(camera, 4) for camera in range(3)))
    assert psnr_db(expected, shown[4]) > LEAST_PSNR_DB
    assert not expected[:12].any() and not expected[372:].any()
    assert np.abs(expected[252:372, 40:120].astype(float).mean() - episode.pixels(1, 4).mean()) < 5
    ranges = json.loads((exported / "motus/meta/motus_stat.json").read_text())["piperx_dual"]
    both = np.concatenate([part(item) for item in EPISODES for part in (expected_states, expected_actions)])
    assert np.allclose(np.array(ranges["min"])[:6], both.min(axis=0)[:6])
    assert (np.array(ranges["max"]) - np.array(ranges["min"]) >= 0.002 - 1e-9).all()


def test_lerobot_may_carry_relative_statistics_of_actions(bags, tmp_path) -> None:
    export_dataset([bags], tmp_path / "out", export_settings("lerobot-v3", actions="relative", horizon=4))
    got = read_dataset(tmp_path / "out")
    assert np.array_equal(got[0]["action"], expected_actions(EPISODES[0]))
    stats = json.loads((tmp_path / "out/meta/stats.json").read_text())["action"]
    grippers = np.isin(np.arange(14), (6, 13))
    chunks = [
        expected_actions(e)[at : at + 4] - np.where(grippers, 0, expected_states(e)[at])
        for e in EPISODES
        for at in range(e.steps - 3)
    ]
    assert np.allclose(stats["mean"], np.concatenate(chunks).mean(axis=0), atol=1e-6)


@pytest.mark.parametrize("name", ["lerobot-v3", "lerobot-v2.1", "gr00t", "openpi"])
def test_all_wordings_take_turns(bags, tmp_path, name) -> None:
    export_dataset([bags], tmp_path / "out", export_settings(name, paraphrases="all"))
    got = read_dataset(tmp_path / "out")[0]
    assert got["task"][:4] == ["pick up the red mug", *SEEN, "pick up the red mug"]


def test_a_table_of_wordings_serves_a_sampler(exported, bags, tmp_path) -> None:
    rows = json_lines(exported / "openpi/meta/paraphrases.jsonl")
    assert rows[1] == {"episode_index": 1, "texts": ["take the blue bowl", *SEEN]}
    listed = {row["task"] for row in json_lines(exported / "openpi/meta/tasks.jsonl")}
    assert {text for row in rows for text in row["texts"]} == listed
    assert "never shown" not in listed
    export_dataset([bags], tmp_path / "out", export_settings("openpi", paraphrases="canonical"))
    assert not (tmp_path / "out/meta/paraphrases.jsonl").exists()
    assert len(json_lines(tmp_path / "out/meta/tasks.jsonl")) == 2


def test_teleoperated_bags_go_through_the_same_exporter(tmp_path) -> None:
    for number in range(2):
        name = f"episode_{number:06d}"
        table = Table(steps=40, jpeg=True, labelled=False, seed=number, name=name, custom={"source": "teleop"})
        write_bag(tmp_path / "bags", table)
    report = export_dataset([tmp_path / "bags"], tmp_path / "out", export_settings("lerobot-v3"))
    got = read_dataset(tmp_path / "out")
    assert [len(episode["index"]) for episode in got] == [episode.frames for episode in report.episodes]
    assert report.drops and all(drop.frames for drop in report.drops)
    assert report.episodes[0].about["source"] == "teleop"


def test_idle_ends_are_cut_off_and_reported(tmp_path) -> None:
    episode = Episode(steps=60, idle=(20, 40))
    write_bag(tmp_path / "bags", episode)
    settings = replace(export_settings("lerobot-v2.1"), trim_idle=True)
    report = export_dataset([tmp_path / "bags"], tmp_path / "out", settings)
    first, last = report.episodes[0].trimmed
    assert first >= 16 and last >= 15
    got = read_dataset(tmp_path / "out")[0]
    assert len(got["index"]) == 60 - first - last
    assert np.array_equal(got["observation.state"], expected_states(episode)[first : 60 - last])
    assert got["timestamp"][0] == 0
