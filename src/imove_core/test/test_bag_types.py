"""Definitions, hashes and bytes of messages without ROS."""

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from imove_core.bag.errors import BagError
from imove_core.bag.schema import TypeSchema
from imove_core.bag.topics import bag_topics
from imove_core.bag.types import MessageTypes, message_types
from imove_core.errors import ImoveError
from imove_core.rig import load_rig, rig_names

JOINT_STATE = "sensor_msgs/msg/JointState"


def test_every_topic_of_every_rig_has_a_definition_and_a_hash(types):
    for name in rig_names():
        for topic in bag_topics(load_rig(name), depth=True):
            schema = types.schema(topic.type)
            assert schema.encoding == "ros2msg"
            assert len(bytes.fromhex(schema.type_hash.removeprefix("RIHS01_"))) == hashlib.sha256().digest_size
            assert topic.type in schema.fields()


def test_definition_lists_each_dependency_once(types):
    text = types.definition("imove_interfaces/msg/ObjectStates")
    headed = [line.removeprefix("MSG: ") for line in text.splitlines() if line.startswith("MSG: ")]
    assert sorted(headed) == sorted(set(headed))
    assert {"std_msgs/Header", "imove_interfaces/ObjectState", "geometry_msgs/Quaternion"} <= set(headed)
    assert text.splitlines()[text.splitlines().index(f"MSG: {headed[0]}") - 1] == "=" * 80


def test_type_hash_is_that_of_ros(types):
    # As installed by ROS 2 Kilted in share/sensor_msgs/msg/JointState.json.
    assert types.type_hash(JOINT_STATE) == "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"


def test_fields_that_are_left_out_are_zero(types):
    message = types.make("sensor_msgs/msg/CameraInfo", width=3)
    assert (message.width, message.height, message.distortion_model, message.roi.do_rectify) == (3, 0, "", False)
    assert message.k.tolist() == [0.0] * 9
    assert len(message.d) == 0
    assert types.make("geometry_msgs/msg/PoseWithCovariance").covariance.shape == (36,)


def test_unknown_names_are_refused_with_what_there_is(types):
    with pytest.raises(ImoveError, match=r"unknown field of sensor_msgs/msg/JointState 'positions'; allowed: effort, "):
        types.make(JOINT_STATE, positions=[])
    with pytest.raises(ImoveError, match=r"unknown message type 'sensor_msgs/msg/Joint'.*sensor_msgs/msg/JointState"):
        types.definition("sensor_msgs/msg/Joint")


def test_message_of_another_type_is_refused(types):
    with pytest.raises(BagError, match="message does not fit sensor_msgs/msg/JointState"):
        types.serialize(types.make("std_msgs/msg/String"), JOINT_STATE)


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_cut_bytes_are_refused(types, cut):
    message = types.make(JOINT_STATE, name=["a", "b"], position=np.ones(2))
    cdr = types.serialize(message, JOINT_STATE)
    with pytest.raises(BagError, match="bytes are no sensor_msgs/msg/JointState message"):
        types.deserialize(cdr[:cut], JOINT_STATE)


def test_bytes_after_the_end_are_ignored(types):
    message = types.make(JOINT_STATE, name=["a", "b"], position=np.ones(2))
    cdr = types.serialize(message, JOINT_STATE)
    for extra in (b"", b"\xff", bytes(8)):
        assert types.deserialize(cdr + extra, JOINT_STATE).position.tolist() == [1.0, 1.0]


def test_big_endian_is_read_and_noise_is_refused(types):
    assert types.deserialize(b"\x00\x00\x00\x00" + b"\x00\x00\x00\x02" + b"a\x00", "std_msgs/msg/String").data == "a"
    with pytest.raises(BagError, match="12 bytes are no std_msgs/msg/String message: it does not start as CDR"):
        types.deserialize(b"\x07" * 12, "std_msgs/msg/String")


def test_bytes_are_little_endian_cdr_with_header(types):
    assert types.serialize(types.make("std_msgs/msg/String", data="ab"), "std_msgs/msg/String") == (
        b"\x00\x01\x00\x00" + b"\x03\x00\x00\x00" + b"ab\x00"
    )


def test_types_come_from_an_installed_package_first(tmp_path, monkeypatch, types):
    share = tmp_path / "share" / "imove_interfaces" / "msg"
    shutil.copytree(Path(__file__).parents[2] / "imove_interfaces" / "msg", share)
    (share / "Extra.msg").write_text("float64 number\n")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'nothing'}:{tmp_path}")
    assert "imove_interfaces/msg/Extra" in message_types().names()
    assert "imove_interfaces/msg/Extra" not in types.names()


def test_types_of_schemas_decode_what_they_describe(types):
    known = MessageTypes.of_schemas([types.schema("imove_interfaces/msg/Phase")])
    message = types.make("imove_interfaces/msg/Phase", step=7, phase="lift")
    cdr = types.serialize(message, "imove_interfaces/msg/Phase")
    assert known.deserialize(cdr, "imove_interfaces/msg/Phase").phase == "lift"
    assert known.type_hash("imove_interfaces/msg/Phase") == types.type_hash("imove_interfaces/msg/Phase")


@pytest.mark.parametrize(
    ("name", "encoding", "text", "fault"),
    [
        ("a/msg/B", "protobuf", "", "schema of a/msg/B is encoded 'protobuf'; allowed: ros2idl, ros2msg"),
        ("a/msg/B", "ros2msg", "[]", "definition of a/msg/B cannot be read: it is not a ros2msg text"),
        ("B", "ros2msg", "int32 a", "schema 'B' is not a message type"),
        ("a/msg/B:\n    import os", "ros2msg", "int32 a", "is not a message type"),
        ("a/msg/B", "ros2msg", "int32 a\n" * 100_000, "has 800000 characters"),
        ("a/msg/B", "ros2msg", "c/D a\n", "definition of a/msg/B uses 'c/msg/D', which it does not define"),
        ("a/msg/B", "ros2msg", "B a\n", "definition of a/msg/B is made of itself through a/msg/B"),
    ],
)
def test_schemas_that_cannot_be_read_are_named(name, encoding, text, fault):
    with pytest.raises(BagError) as caught:
        MessageTypes.of_schemas([TypeSchema(name, encoding, text, "")])
    assert fault in str(caught.value)


def test_two_definitions_of_a_type_are_refused():
    with pytest.raises(BagError, match="definition of a/msg/B does not fit the others"):
        MessageTypes.of_schemas(
            [TypeSchema("a/msg/B", "ros2msg", "int32 a\n", ""), TypeSchema("a/msg/B", "ros2msg", "int8 a\n", "")]
        )
