"""Every fault that a bag can have is named with its topic."""

import math
import shutil
from dataclasses import replace

import pytest

from imove_core.bag.errors import BagError
from imove_core.bag.topics import bag_topics
from imove_core.bag.verify import verify
from imove_core.bag.writer import BagWriter

from .bag_episode import FACTS, PERIOD_NS, SETTINGS, START_NS, entries, write_episode

AT = START_NS + 20 * PERIOD_NS


def at_step_20(topic, edit):
    """Changes the message of a topic at control step 20."""

    def change(name, message, stamp):
        if name == topic and stamp == AT:
            edit(message.message)
        return [(name, message, stamp)]

    return change


def clock_back(message):
    message.clock.sec = 0


def stamp_back(message):
    message.header.stamp.sec = 0


def other_order(message):
    message.name = [*message.name[1:], message.name[0]]


def without_gripper(message):
    message.name = message.name[:-1]


def no_number(message):
    message.position[2] = math.nan


def infinite_pose(message):
    message.objects[0].pose.position.y = math.inf


def no_focal_length(message):
    message.k[0] = 0.0


def short_image(message):
    message.data = message.data[:-3]


def odd_encoding(message):
    message.encoding = "yuv422"


CASES = [
    ("/clock", clock_back, "/clock: the clock goes backwards from 1.633333 s to 0.666667 s (message 20)"),
    ("/imove/objects", stamp_back, "/imove/objects: the clock goes backwards from 1.633333 s to 0.666667 s"),
    ("/left/joint_states", other_order, "/left/joint_states: the joint order changes from left_joint1, left_joint2"),
    ("/right/joint_target", without_gripper, "/right/joint_target: joint right_gripper of arm 'right' is missing"),
    ("/left/joint_target", no_number, "/left/joint_target: position is nan, which is not finite (message 20)"),
    ("/imove/objects", infinite_pose, "/imove/objects: objects[0].pose.position.y is inf, which is not finite"),
    ("/static_camera/color/camera_info", no_focal_length, "camera_info: camera info has focal lengths 0, "),
    ("/static_camera/color/image_raw", short_image, "image_raw: the 64x48 image has 9213 bytes in rows of 192"),
    ("/static_camera/color/image_raw", odd_encoding, "image_raw: the image is encoded 'yuv422'; allowed: rgb8"),
]


@pytest.mark.parametrize(("topic", "edit", "fault"), CASES, ids=[edit.__name__ for _, edit, _ in CASES])
def test_fault_of_a_message_is_named(tmp_path, rig, types, topic, edit, fault):
    write_episode(tmp_path / "bag", rig, types, change=at_step_20(topic, edit))
    faults = verify(tmp_path / "bag")
    assert len(faults) == 1
    assert fault in faults[0]


def test_whole_bag_has_no_fault(whole_bag):
    assert verify(whole_bag) == []
    assert verify(whole_bag / "episode_000123_0.mcap") == []


def test_recording_clock_that_goes_backwards(tmp_path, rig, types):
    def earlier(topic, message, stamp):
        return [(topic, message, stamp - 10 * PERIOD_NS if topic == "/clock" and stamp == AT else stamp)]

    write_episode(tmp_path / "bag", rig, types, change=earlier)
    (fault,) = verify(tmp_path / "bag")
    assert fault.startswith("/clock: the clock of the recording goes backwards from 1.633333 s to 1.333333 s")


@pytest.mark.parametrize("topic", ["/static_camera/color/camera_info", "/tf_static", "/left/joint_target"])
def test_missing_topic_is_named(tmp_path, rig, types, topic):
    write_episode(tmp_path / "bag", rig, types, change=lambda *entry: [] if entry[0] == topic else [entry])
    assert verify(tmp_path / "bag") == [f"{topic}: required, and no message is in the bag"]


class Changed:
    """Types of which one has another schema in the bag."""

    def __init__(self, types, name, **changes):
        self._types, self._name, self._changes = types, name, changes

    def schema(self, name):
        schema = self._types.schema(name)
        return replace(schema, **self._changes) if name == self._name else schema

    def __getattr__(self, name):
        return getattr(self._types, name)


STRING_TOPICS = ("/robot_description", "/imove/instruction")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"encoding": "protobuf"}, "schema of std_msgs/msg/String is encoded 'protobuf'; allowed: ros2idl, ros2msg"),
        ({"encoding": ""}, "schema of std_msgs/msg/String is encoded ''"),
        ({"definition": "[]"}, "definition of std_msgs/msg/String cannot be read"),
        ({"type_hash": "RIHS01_00"}, "std_msgs/msg/String was recorded with another definition, RIHS01_00"),
        ({"definition": "float64[9] data\n"}, "bytes are no std_msgs/msg/String message"),
    ],
)
def test_unknown_schema_is_named(tmp_path, rig, types, changes, fault):
    write_episode(tmp_path / "bag", rig, Changed(types, "std_msgs/msg/String", **changes))
    faults = verify(tmp_path / "bag")
    assert {one.partition(":")[0] for one in faults} == set(STRING_TOPICS)
    assert all(fault in one for one in faults)


def test_type_of_another_contract_is_named(tmp_path, rig, types):
    topics = [
        replace(topic, type="std_msgs/msg/Header", required=False) if topic.name == "/clock" else topic
        for topic in bag_topics(rig, depth=False)
    ]
    with BagWriter(tmp_path / "bag", topics, SETTINGS, FACTS, "", types) as writer:
        for topic, message, stamp in entries(rig, types, 1):
            if topic != "/clock":
                writer.write(topic, types.serialize(message.message, message.type), stamp, stamp)
        writer.attach("rig.json", rig.model_dump_json().encode(), "application/json")
        writer.finish({})
    faults = verify(tmp_path / "bag")
    assert "/clock: has the type 'std_msgs/msg/Header'; the contract says rosgraph_msgs/msg/Clock" in faults


def test_facts_and_files_that_are_missing_are_named(tmp_path, rig, types):
    topics = [replace(topic, required=False) for topic in bag_topics(rig, depth=False)]
    with BagWriter(tmp_path / "bag", topics, SETTINGS, {"schema": "2", "rig": "../rig.yaml"}, "", types) as writer:
        writer.attach("spec.json", b"{", "application/json")
        writer.finish({})
    faults = verify(tmp_path / "bag")
    assert "custom data have no 'episode_id'" in faults
    assert "custom data have the schema '2'; '1' is known" in faults
    assert any(fault.startswith("attachment spec.json of bag") and fault.endswith("is not JSON") for fault in faults)
    assert "attachment labels.json is missing" in faults
    assert any("the bag has no rig.json, and its rig '../rig.yaml' is none of " in fault for fault in faults)


def test_counts_of_metadata_are_compared(tmp_path, whole_bag):
    folder = shutil.copytree(whole_bag, tmp_path / whole_bag.name)
    path = folder / "metadata.yaml"
    described = path.read_text().partition('name: "/clock"')
    path.write_text(described[0] + described[1] + described[2].replace("message_count: 31", "message_count: 30", 1))
    assert verify(folder) == ["/clock: metadata.yaml counts 30 messages, the bag has 31"]


def test_incomplete_recording_is_named(tmp_path, rig, types):
    with BagWriter(tmp_path / "bag", bag_topics(rig, depth=False), SETTINGS, FACTS, "", types) as writer:
        for topic, message, stamp in entries(rig, types, 1):
            if topic != "/tf_static":
                writer.write(topic, types.serialize(message.message, message.type), stamp, stamp)
        with pytest.raises(BagError):
            writer.finish({})
    faults = verify(tmp_path / ".partial" / "bag")
    assert "the recording is incomplete: bag bag has no message on required topic /tf_static" in faults
