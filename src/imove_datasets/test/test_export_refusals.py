"""What an export refuses, in one sentence, with nothing written and the bags as they were."""

import copy
import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import Writer

from imove_core.bag.errors import BagError
from imove_core.bag.messages import TypedMessage
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_datasets.export import export_dataset
from imove_datasets.layout import layout_of
from imove_datasets.settings import FORMATS, AlignmentSettings, VideoSettings, export_settings
from imove_datasets.sources import find_episodes

from .episode_bags import STEP_NS, Episode, Sent, write_bag

SETTINGS = export_settings("lerobot-v2.1")


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refused(tmp_path: Path, bags: Path, pattern: str, settings=SETTINGS) -> None:
    before = digest(bags)
    with pytest.raises(ImoveError, match=pattern) as caught:
        export_dataset([bags], tmp_path / "out", settings)
    assert "\n" not in str(caught.value)
    assert digest(bags) == before
    assert sorted(os.listdir(tmp_path)) == [bags.name]


def changed(topic: str, at_step: int, change) -> Episode:
    """An episode in which one message is changed."""

    def apply(sent: list[Sent]) -> list[Sent]:
        return [
            (at, name, TypedMessage(typed.type, change(copy.copy(typed.message))))
            if name == topic and at == at_step * STEP_NS
            else (at, name, typed)
            for at, name, typed in sent
        ]

    return Episode(steps=6, change=apply)


@pytest.mark.parametrize(
    "topic",
    [
        "/static_camera/color/camera_info",
        "/left/joint_target",
        "/right/joint_states",
        "/right_hand_camera/color/image_raw",
    ],
)
def test_a_topic_that_is_missing(tmp_path, topic) -> None:
    write_bag(tmp_path / "bags", Episode(steps=4, change=lambda sent: [item for item in sent if item[1] != topic]))
    refused(tmp_path, tmp_path / "bags", f"pick_category/episode_000000 has no message on {topic}")


def test_a_clock_that_goes_back(tmp_path) -> None:
    def back(message):
        message.header = copy.deepcopy(message.header)
        message.header.stamp.sec, message.header.stamp.nanosec = 0, 0
        return message

    write_bag(tmp_path / "bags", changed("/static_camera/color/image_raw", 3, back))
    refused(
        tmp_path, tmp_path / "bags", r"/static_camera/color/image_raw go back from 0\.0667 s to 0\.0000 s at message 3"
    )


def test_joints_that_change_their_order_in_mid_bag(tmp_path) -> None:
    def turn(message):
        message.name = message.name[::-1]
        return message

    write_bag(tmp_path / "bags", changed("/left/joint_target", 2, turn))
    refused(tmp_path, tmp_path / "bags", "the joints on /left/joint_target change from left_joint1, .* to left_gripper")


def test_joints_of_another_arm(tmp_path) -> None:
    def rename(message):
        message.name = [f"a{name}" for name in message.name]
        return message

    write_bag(tmp_path / "bags", changed("/left/joint_states", 0, rename))
    refused(tmp_path, tmp_path / "bags", "are aleft_joint1.*; arm 'left' has left_joint1")


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_an_action_that_is_not_finite(tmp_path, number) -> None:
    def spoil(message):
        message.position = np.array(message.position)
        message.position[2] = number
        return message

    write_bag(tmp_path / "bags", changed("/right/joint_target", 4, spoil))
    refused(tmp_path, tmp_path / "bags", f"joint 'right_joint3' on /right/joint_target is {number} at 0\\.1333 s")


def test_an_image_of_another_size_in_mid_bag(tmp_path) -> None:
    def shrink(message):
        message.height = 24
        return message

    write_bag(tmp_path / "bags", changed("/static_camera/color/image_raw", 3, shrink))
    refused(tmp_path, tmp_path / "bags", r"change from \(64, 48\) to \(64, 24\) pixels")


def test_an_image_in_an_unknown_encoding(tmp_path) -> None:
    def encode(message):
        message.encoding = "mono8"
        return message

    write_bag(tmp_path / "bags", changed("/static_camera/color/image_raw", 0, encode))
    refused(tmp_path, tmp_path / "bags", "is encoded mono8; allowed: rgb8, bgr8")


def test_a_phase_that_is_unknown(tmp_path) -> None:
    def rename(message):
        message.phase = "dance"
        return message

    write_bag(tmp_path / "bags", changed("/imove/phase", 2, rename))
    refused(tmp_path, tmp_path / "bags", "phase is 'dance'; allowed: idle, approach")


def test_a_bag_that_is_cut(tmp_path) -> None:
    folder = write_bag(tmp_path / "bags", Episode(steps=4))
    path = folder / f"{folder.name}_0.mcap"
    whole = path.read_bytes()
    for share in (0.0, 0.2, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        refused(tmp_path, tmp_path / "bags", str(folder))


def test_a_schema_that_is_unknown(tmp_path) -> None:
    """A bag whose images come in another encoding of definitions, as tools outside of ROS write them."""
    folder = tmp_path / "bags" / "pick_category" / "episode_000000"
    folder.mkdir(parents=True)
    whole = write_bag(tmp_path / "whole", Episode(steps=4))
    with (whole / "episode_000000_0.mcap").open("rb") as source, (folder / "a_0.mcap").open("wb") as target:
        _reencode(source, target)
    shutil.rmtree(tmp_path / "whole")
    with pytest.raises(BagError, match="protobuf"):
        export_dataset([folder / "a_0.mcap"], tmp_path / "out", SETTINGS)
    assert sorted(os.listdir(tmp_path)) == ["bags"]


def _reencode(source: BinaryIO, target: BinaryIO) -> None:
    reader, writer = make_reader(source), Writer(target)
    writer.start("ros2")
    for record in reader.iter_metadata():
        writer.add_metadata(record.name, record.metadata)
    for attachment in reader.iter_attachments():
        writer.add_attachment(0, attachment.log_time, attachment.name, attachment.media_type, attachment.data)
    channels = {}
    for schema, channel, message in reader.iter_messages():
        if channel.topic not in channels:
            encoding = "protobuf" if channel.topic.endswith("image_raw") else schema.encoding
            number = writer.register_schema(schema.name, encoding, schema.data)
            channels[channel.topic] = writer.register_channel(channel.topic, "cdr", number, channel.metadata)
        writer.add_message(channels[channel.topic], message.log_time, message.data, message.publish_time)
    writer.finish()


def test_a_bag_of_a_later_schema(tmp_path) -> None:
    write_bag(tmp_path / "bags", Episode(steps=4, custom={"schema": "2"}))
    refused(tmp_path, tmp_path / "bags", "has bag schema '2'; 1 is known")


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (Episode(steps=4, step_ns=66_666_666), "fps of pick_category/episode_000001: 15; of .*: 30"),
        (Episode(steps=4, size=(32, 24)), "cameras of .*: static_camera 32x24, .*; of .*: static_camera 64x48"),
        (Episode(steps=4, rig=load_rig("franka_single")), "rig of .*: franka_single; of .*: piperx_dual"),
    ],
)
def test_episodes_that_do_not_fit_together(tmp_path, other, what) -> None:
    write_bag(tmp_path / "bags", Episode(steps=4))
    write_bag(tmp_path / "bags", replace(other, name="episode_000001"))
    settings = replace(SETTINGS, alignment=AlignmentSettings(max_age_s=0.1))
    refused(tmp_path, tmp_path / "bags", what, settings)


def test_a_folder_that_holds_something(tmp_path) -> None:
    bags = tmp_path / "bags"
    write_bag(bags, Episode(steps=4))
    before = digest(bags)
    with pytest.raises(ImoveError, match="holds something already; a new or empty folder is needed"):
        export_dataset([bags], bags, SETTINGS)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ImoveError, match="holds something already"):
        export_dataset([bags], tmp_path / "file", SETTINGS)
    assert digest(bags) == before
    assert (tmp_path / "file").read_text() == "x"


def test_a_folder_within_an_episode(tmp_path) -> None:
    folder = write_bag(tmp_path / "bags", Episode(steps=4))
    with pytest.raises(ImoveError, match="lies in the episode"):
        export_dataset([folder], folder / "out", SETTINGS)
    assert len(list(folder.iterdir())) == 2


def test_an_episode_with_a_hole_is_left_out(tmp_path) -> None:
    hole = range(3 * STEP_NS, 20 * STEP_NS)
    write_bag(tmp_path / "bags", Episode(steps=24, change=lambda sent: [i for i in sent if i[0] not in hole]))
    refused(tmp_path, tmp_path / "bags", r"no episode is left; of pick_category/episode_000000: 0\.\d+ s lie between")
    write_bag(tmp_path / "bags", Episode(steps=5, name="episode_000001"))
    report = export_dataset([tmp_path / "bags"], tmp_path / "out", SETTINGS)
    assert [episode.episode_index for episode in report.episodes] == [None, 0]
    assert report.episodes[0].left_out and report.kept == 1


def test_an_episode_whose_recording_stopped_early_is_left_out(tmp_path) -> None:
    write_bag(tmp_path / "bags", Episode(steps=5, custom={"incomplete": "the disk is full"}))
    write_bag(tmp_path / "bags", Episode(steps=5, name="episode_000001"))
    report = export_dataset([tmp_path / "bags"], tmp_path / "out", SETTINGS)
    assert report.episodes[0].left_out == "its recording stopped early: the disk is full"
    assert report.kept == 1


def test_a_place_without_episodes(tmp_path) -> None:
    with pytest.raises(ImoveError, match="does not exist"):
        find_episodes([tmp_path / "nothing"])
    with pytest.raises(ImoveError, match="has no episode"):
        find_episodes([tmp_path])
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(ImoveError, match="is no bag"):
        find_episodes([tmp_path / "a.txt"])


def test_unfinished_bags_are_not_seen(tmp_path) -> None:
    folder = write_bag(tmp_path / "bags", Episode(steps=4))
    hidden = folder.parent / ".partial" / "episode_000009"
    hidden.mkdir(parents=True)
    (hidden / "metadata.yaml").write_text("")
    assert find_episodes([tmp_path / "bags", folder]) == (folder,)
    assert find_episodes([folder / f"{folder.name}_0.mcap"]) == (folder / f"{folder.name}_0.mcap",)


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        ({"format_name": "zarr"}, "unknown format 'zarr'; allowed: gr00t, lerobot-v2.1"),
        ({"format_name": "openpi", "actions": "delta"}, "unknown actions 'delta'; allowed: absolute, relative"),
        ({"format_name": "openpi", "paraphrases": "some"}, "unknown paraphrases 'some'"),
        ({"format_name": "openpi", "horizon": 0}, "horizon is 0"),
        ({"format_name": "motus", "actions": "relative"}, "motus takes absolute alone"),
        ({"format_name": "motus", "paraphrases": "all"}, "one text embedding an episode"),
    ],
)
def test_settings_that_no_trainer_takes(arguments, pattern) -> None:
    with pytest.raises(ImoveError, match=pattern):
        export_settings(**arguments)


@pytest.mark.parametrize(
    "make",
    [
        lambda: VideoSettings(size=225),
        lambda: VideoSettings(crf=52),
        lambda: AlignmentSettings(max_age_s=0),
        lambda: AlignmentSettings(max_gap_s=float("nan")),
    ],
)
def test_numbers_that_mean_nothing(make) -> None:
    with pytest.raises(ImoveError):
        make()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "rig", ["piperx_dual", "franka_single", "piperx_single", "fr3_single", "aloha_dual", "piper_dual"]
)
def test_every_format_has_a_place_for_every_shipped_rig(name, rig) -> None:
    layout = layout_of(name, load_rig(rig))
    assert set(layout.images) == {camera.name for camera in load_rig(rig).cameras}
    joints = [joint for vector in layout.vectors if vector.source == "state" for joint in vector.joints]
    assert sorted(joints) == list(range(load_rig(rig).size))


def test_a_rig_with_other_cameras_has_no_place_in_openpi() -> None:
    rig = load_rig("piperx_dual")
    with pytest.raises(ImoveError, match="rig piperx_dual has 2 arms and the cameras static_camera, left_hand_camera"):
        layout_of("openpi", rig.model_copy(update={"cameras": rig.cameras[:2], "required_cameras": ()}))
