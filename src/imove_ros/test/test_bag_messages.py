"""Messages made without ROS are the bytes that nodes publish, and their types are ROS's own."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from imove_interfaces.msg import Episode, EpisodeResult, Phase, StageEvent
from rclpy.serialization import deserialize_message, serialize_message
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from imove_core.bag import messages as bag
from imove_core.bag.topics import COMPRESSED_IMAGE, bag_topics
from imove_core.bag.types import message_types
from imove_core.rig import load_rig
from imove_core.transforms import rotation_about_axis, transform
from imove_ros import conversions as ros

STAMP_NS = 12_345_678_901


@pytest.fixture(scope="module")
def types():
    """Message types without ROS."""
    return message_types()


def stamped(message, stamp_ns=STAMP_NS):
    """The message with a stamp in its header."""
    message.header.stamp = ros.time_from_ns(stamp_ns)
    return message


def pairs(rig, make_state, types):
    """Kind, message of a node, message made without ROS."""
    rng, arm, camera = np.random.default_rng(3), rig.arms[1], rig.cameras[0]
    rows, none = rng.normal(size=(3, arm.size)), np.zeros(0)
    state = make_state(step=17, stamp_ns=STAMP_NS)
    pixels = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
    depth = rng.integers(0, 65536, (48, 64), dtype=np.uint16)
    pose = transform(rotation_about_axis([1, 2, 3], 0.7), rng.normal(size=3))
    offsets = [33_333_333, 2_066_666_667, 3_000_000_000]
    names, frame = arm.joint_names, camera.optical_frame
    tf = TFMessage(transforms=[ros.transform_message(STAMP_NS, "world", "left_tcp", pose)])
    episode = {
        "episode_id": "a/b/1",
        "suite": "s",
        "condition": "normal",
        "rig": rig.name,
        "spec_json": '{"né": "☃"}',
        "settled_pose_hash": "00",
    }
    event = {
        "episode_id": "e",
        "rubric": "strict",
        "stage": "lift",
        "object_id": "mug_0",
        "destination_id": "",
        "is_target": True,
        "elapsed_s": 1.1,
    }
    phase = {"episode_id": "abc", "step": 7, "phase": "grasp"}
    result = {"episode_id": "e", "outcome": "completed", "record_json": "{}"}
    stamp, velocities, efforts = STAMP_NS, rows[1], rows[2]
    return {
        "joint state": (
            ros.joint_state(stamp, names, rows[0], velocities, efforts),
            bag.joint_state(types, stamp, names, rows[0], velocities, efforts),
        ),
        "joint target": (
            ros.joint_state(stamp, names, rows[0], none, none),
            bag.joint_state(types, stamp, names, rows[0], none, none),
        ),
        "trajectory": (
            ros.joint_trajectory(arm, stamp, offsets, rows),
            bag.joint_trajectory(types, arm, stamp, offsets, rows),
        ),
        "objects": (ros.object_states(state, "e", "world"), bag.object_states(types, state, "e", "world")),
        "colour": (ros.image_message(stamp, frame, pixels), bag.image(types, stamp, frame, pixels)),
        "depth": (ros.image_message(stamp, frame, depth), bag.image(types, stamp, frame, depth)),
        "camera info": (
            ros.camera_info(stamp, frame, camera.intrinsics),
            bag.camera_info(types, stamp, frame, camera.intrinsics),
        ),
        "tf": (tf, bag.tf(types, stamp, [("world", "left_tcp", pose)])),
        "clock": (Clock(clock=ros.time_from_ns(stamp)), bag.clock(types, stamp)),
        "string": (String(data="né ☃"), bag.string(types, "né ☃")),
        "episode": (stamped(Episode(**episode)), bag.episode(types, stamp, **episode)),
        "stage event": (stamped(StageEvent(**event)), bag.stage_event(types, stamp, **event)),
        "phase": (stamped(Phase(**phase)), bag.phase(types, stamp, **phase)),
        "result": (stamped(EpisodeResult(**result)), bag.episode_result(types, stamp, **result)),
    }


def test_bytes_are_those_of_a_node(rig, make_state, types):
    for kind, (published, made) in pairs(rig, make_state, types).items():
        cdr, sent = types.serialize(made.message, made.type), bytes(serialize_message(published))
        # ROS leaves bytes between fields, and after a message with empty sequences, as they happen to be.
        assert (len(sent) > len(cdr)) == (kind in ("joint target", "trajectory")), kind
        assert cdr == types.serialize(types.deserialize(sent, made.type), made.type), kind


def test_ros_reads_what_was_made(rig, make_state, types):
    for kind, (published, made) in pairs(rig, make_state, types).items():
        received = deserialize_message(types.serialize(made.message, made.type), type(published))
        assert received == published, kind


def installed_hash(type_name):
    """The hash in the description that the build of a message package installs."""
    package, kind, name = type_name.split("/")
    for prefix in os.environ["AMENT_PREFIX_PATH"].split(os.pathsep):
        path = Path(prefix) / "share" / package / kind / f"{name}.json"
        if path.is_file():
            hashes = json.loads(path.read_text())["type_hashes"]
            return next(entry["hash_string"] for entry in hashes if entry["type_name"] == type_name)
    raise FileNotFoundError(type_name)


def test_hashes_are_those_of_the_installed_types(types):
    names = {topic.type for topic in bag_topics(load_rig("piperx_dual"), depth=True)} | {COMPRESSED_IMAGE}
    assert {name: types.type_hash(name) for name in names} == {name: installed_hash(name) for name in names}
