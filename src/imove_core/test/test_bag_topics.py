"""Which topics a bag holds."""

import pytest

from imove_core import contract
from imove_core.bag.topics import COMPRESSED_IMAGE, bag_topics, missing_topics, required_topics
from imove_core.errors import ImoveError


def test_bag_has_the_contract_without_the_health_of_nodes(rig):
    named = {topic.name: topic for topic in bag_topics(rig, depth=True)}
    of_contract = {topic.name: topic for topic in contract.topics(rig)}
    assert set(of_contract) - set(named) == {
        contract.RECORDER_STATUS_TOPIC,
        contract.DIAGNOSTICS_TOPIC,
        contract.TELEOP_TOPIC,
        contract.TRIAL_TOPIC,
        contract.LAYOUT_VIEW_TOPIC,
        *(contract.compressed_topic(camera.name) for camera in rig.cameras),
    }
    for name, topic in named.items():
        assert (topic.type, topic.qos) == (of_contract[name].type, of_contract[name].qos)


def test_depth_is_left_out_with_its_intrinsics(rig):
    left_out = {topic.name for topic in bag_topics(rig, depth=True)} - {
        topic.name for topic in bag_topics(rig, depth=False)
    }
    assert left_out == {
        name
        for camera in rig.cameras
        for name in (contract.depth_topic(camera.name), contract.depth_info_topic(camera.name))
    }


def test_jpeg_takes_the_place_of_a_raw_image(rig):
    named = {topic.name: topic for topic in bag_topics(rig, depth=False, jpeg=["left_hand_camera"])}
    compressed = named[contract.compressed_topic("left_hand_camera")]
    assert (compressed.type, compressed.required) == (COMPRESSED_IMAGE, True)
    assert contract.color_topic("left_hand_camera") not in named
    assert contract.color_topic("right_hand_camera") in named


def test_jpeg_of_an_unknown_camera_is_refused(rig):
    with pytest.raises(ImoveError, match="unknown camera of rig piperx_dual 'top'; allowed: left_hand_camera, "):
        bag_topics(rig, depth=False, jpeg=["top"])


def test_required_topics_are_marked(rig):
    marked = {topic.name for topic in bag_topics(rig, depth=True) if topic.required}
    assert marked == set(required_topics(rig))
    assert {"/tf_static", "/robot_description", "/static_camera/color/camera_info", "/left/joint_target"} <= marked


def test_missing_topics_take_jpeg_for_raw(rig):
    present = set(required_topics(rig)) - {contract.color_topic("static_camera"), "/tf_static"}
    assert missing_topics(rig, present | {contract.compressed_topic("static_camera")}) == ("/tf_static",)
    assert missing_topics(rig, present) == (contract.color_topic("static_camera"), "/tf_static")
