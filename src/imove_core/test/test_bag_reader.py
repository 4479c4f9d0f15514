"""Finished bags of ours and of other recorders, and what is no bag."""

import shutil

import numpy as np
import pytest
import yaml
from mcap.writer import CompressionType, Writer
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as RosbagsWriter
from rosbags.typesys import Stores, get_typestore

from imove_core import contract
from imove_core.bag.errors import BagError
from imove_core.bag.messages import rgb_from, step_state_from
from imove_core.bag.reader import EpisodeBag, find_bags
from imove_core.bag.topics import bag_topics
from imove_core.errors import ImoveError

from .bag_episode import FACTS, INSTRUCTION, PERIOD_NS, START_NS, image_of, step_state

TEXT = "std_msgs/msg/String"


@pytest.fixture
def copied(tmp_path, whole_bag):
    return shutil.copytree(whole_bag, tmp_path / whole_bag.name)


def test_bag_tells_what_it_holds(whole_bag, rig):
    bag = EpisodeBag(whole_bag)
    assert (bag.name, bag.task, bag.custom_data) == ("episode_000123", INSTRUCTION, FACTS)
    assert {topic.name: (topic.type, topic.qos) for topic in bag.topics} == {
        topic.name: (topic.type, topic.qos) for topic in bag_topics(rig, depth=False)
    }
    assert bag.rig() == rig
    assert bag.attached_json("labels.json") == {"schema": 1, "success": True}
    assert bag.message_counts["/clock"] == 31
    assert (bag.span().start_ns, bag.span().end_ns) == (START_NS, START_NS + 30 * PERIOD_NS)


def test_file_alone_tells_the_same(whole_bag):
    bag, file = EpisodeBag(whole_bag), EpisodeBag(whole_bag / "episode_000123_0.mcap")
    for name in ("name", "task", "custom_data", "topics", "message_counts", "attachments"):
        assert getattr(bag, name) == getattr(file, name)
    assert file.described_counts is None
    assert list(file.messages()) == list(bag.messages())


def test_control_steps_come_back_bit_for_bit(whole_bag, rig):
    bag = EpisodeBag(whole_bag)
    arms = {contract.joint_states_topic(arm.name): arm.name for arm in rig.arms}
    joints, steps = {}, []
    for message, content in bag.decoded([*arms, contract.OBJECTS_TOPIC]):
        if message.topic in arms:
            joints[arms[message.topic]] = content
        else:
            steps.append(step_state_from(rig, joints, content))
    for step, state in enumerate(steps):
        expected = step_state(rig, step)
        assert state.robot.positions.tobytes() == expected.robot.positions.tobytes()
        assert state.objects[0].position.tobytes() == expected.objects[0].position.tobytes()
    assert len(steps) == 31


def test_images_come_back(whole_bag):
    decoded = EpisodeBag(whole_bag).decoded([contract.color_topic("static_camera")])
    for step, (_, content) in enumerate(decoded):
        assert np.array_equal(rgb_from(content), image_of(step))


def test_topics_are_filtered_and_checked(whole_bag):
    bag = EpisodeBag(whole_bag)
    assert {message.topic for message in bag.messages(["/clock", "/tf_static"])} == {"/clock", "/tf_static"}
    with pytest.raises(ImoveError, match="unknown topic of bag episode_000123 '/clok'; allowed: /clock, "):
        bag.messages(["/clok"])
    with pytest.raises(BagError, match=r"has no attachment video\.mp4; it has spec\.json, rig\.json"):
        bag.attached_json("video.mp4")


def other_file(path, times, **options):
    """A file of another recorder: times of messages in the order in which they are written."""
    with path.open("wb") as stream:
        writer = Writer(stream, **options)
        writer.start("ros2", "another")
        schema = writer.register_schema(TEXT, "ros2msg", b"string data\n")
        channel = writer.register_channel("/text", "cdr", schema, {})
        for number, time in enumerate(times):
            writer.add_message(channel, time, b"\x00\x01\x00\x00\x02\x00\x00\x00%c\x00" % (97 + number), time)
        writer.finish()


TIMES = [5, 1, 9, 3, 3, 2, 8, 0]


@pytest.mark.parametrize(
    "options",
    [
        {"chunk_size": 40},
        {"chunk_size": 80, "compression": CompressionType.LZ4},
        {"chunk_size": 10_000, "compression": CompressionType.NONE},
        {"use_chunking": False},
        {"use_statistics": False},
        {"use_statistics": False, "use_summary_offsets": False, "repeat_channels": False, "repeat_schemas": False},
        {"chunk_size": 60, "enable_crcs": False, "enable_data_crcs": True},
    ],
)
def test_files_of_other_recorders_come_in_the_order_of_time(tmp_path, options):
    other_file(tmp_path / "x.mcap", TIMES, **options)
    bag = EpisodeBag(tmp_path / "x.mcap")
    decoded = [(message.log_time_ns, content.data) for message, content in bag.decoded()]
    assert decoded == sorted(((time, chr(97 + number)) for number, time in enumerate(TIMES)), key=lambda one: one[0])
    assert [message.log_time_ns for message in bag.messages_as_written()] == TIMES
    assert bag.message_counts == {"/text": len(TIMES)}
    assert (bag.task, bag.custom_data) == ("", {})


def test_split_bags_are_merged(tmp_path):
    for number, times in enumerate(([1, 2, 7], [3, 8])):
        other_file(tmp_path / f"bag_{number}.mcap", times)
    information = {"storage_identifier": "mcap", "relative_file_paths": ["bag_0.mcap", "bag_1.mcap"]}
    (tmp_path / "metadata.yaml").write_text(yaml.safe_dump({"rosbag2_bagfile_information": information}))
    bag = EpisodeBag(tmp_path)
    assert [message.log_time_ns for message in bag.messages()] == [1, 2, 3, 7, 8]
    assert bag.message_counts == {"/text": 5}
    assert bag.described_counts is None


def test_bags_of_rosbags_are_read(tmp_path):
    store = get_typestore(Stores.ROS2_KILTED)
    with RosbagsWriter(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/text", TEXT, typestore=store)
        message = store.types[TEXT](data="hello")
        writer.write(connection, 17, store.serialize_cdr(message, TEXT))
    decoded = [(message.log_time_ns, content.data) for message, content in EpisodeBag(tmp_path / "bag").decoded()]
    assert decoded == [(17, "hello")]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("a: [", "holds metadata that are not YAML"),
        ("a: 1", "has no rosbag2_bagfile_information"),
        ("- 1", "has no rosbag2_bagfile_information"),
        ("rosbag2_bagfile_information: {storage_identifier: sqlite3}", "is stored as 'sqlite3'; 'mcap' is allowed"),
        ("rosbag2_bagfile_information: {storage_identifier: mcap}", "names no files"),
        (
            "rosbag2_bagfile_information: {storage_identifier: mcap, relative_file_paths: [../x.mcap]}",
            r"names the file '\.\./x\.mcap', which is not in the folder",
        ),
        ("!!python/object/apply:os.system [ls]", "holds metadata that are not YAML"),
        ("[" * 5000, "holds metadata that are not YAML"),
    ],
)
def test_metadata_that_are_none_are_named(copied, content, fault):
    (copied / "metadata.yaml").write_text(content)
    with pytest.raises(BagError, match=fault):
        EpisodeBag(copied)


def test_what_is_no_bag_is_named(tmp_path):
    with pytest.raises(BagError, match="bag .*/nothing does not exist"):
        EpisodeBag(tmp_path / "nothing")
    with pytest.raises(BagError, match=r"has no metadata\.yaml: it is no bag"):
        EpisodeBag(tmp_path)
    (tmp_path / "x.mcap").write_bytes(b"something else")
    with pytest.raises(BagError, match="is no MCAP file: it does not start as one"):
        EpisodeBag(tmp_path / "x.mcap")
    with (tmp_path / "x.mcap").open("wb") as stream:
        Writer(stream).start("x")
    with pytest.raises(BagError, match="has the profile 'x'; 'ros2' is allowed"):
        EpisodeBag(tmp_path / "x.mcap")


def test_bags_are_found_and_unfinished_ones_are_not(tmp_path, whole_bag, copied):
    shutil.copytree(whole_bag, tmp_path / "task" / ".partial" / "episode_000124")
    assert find_bags(tmp_path) == (copied,)
    assert find_bags(copied) == (copied,)
    assert find_bags(copied / "episode_000123_0.mcap") == (copied / "episode_000123_0.mcap",)
    with pytest.raises(BagError, match="holds no bag; a bag is a folder with metadata.yaml"):
        find_bags(tmp_path / "task")
    with pytest.raises(BagError, match="does not exist"):
        find_bags(tmp_path / "nothing")
