"""The topic contract of a rig."""

import json
import re

import pytest

from imove_core.contract import (
    IMAGES,
    LATCHED,
    STEPS,
    Qos,
    Topic,
    endpoints,
    qos_of,
    topic_contract,
    topics,
    topics_of,
)
from imove_core.rig import Rig, load_rig, rig_names


@pytest.fixture(params=rig_names())
def any_rig(request: pytest.FixtureRequest) -> Rig:
    return load_rig(request.param)


def find(rig: Rig, name: str) -> Topic:
    return next(topic for topic in topics(rig) if topic.name == name)


def test_every_name_is_absolute_and_listed_once(any_rig: Rig) -> None:
    names = [item.name for item in (*topics(any_rig), *endpoints(any_rig))]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"(/[a-z][a-z0-9_]*)+", name) for name in names)


def test_types_are_full_interface_names(any_rig: Rig) -> None:
    assert all(re.fullmatch(r"[a-z_0-9]+/msg/[A-Z]\w+", topic.type) for topic in topics(any_rig))
    services = r"(imove_interfaces/(srv|action)|std_srvs/srv)/[A-Z]\w+"
    assert all(re.fullmatch(services, item.type) for item in endpoints(any_rig))


def test_each_camera_has_colour_and_aligned_depth_in_its_optical_frame(any_rig: Rig) -> None:
    for camera in any_rig.cameras:
        mine = {t.name: t for t in topics(any_rig) if t.name.startswith(f"/{camera.name}/")}
        assert {name.removeprefix(f"/{camera.name}/"): topic.type for name, topic in mine.items()} == {
            "color/image_raw": "sensor_msgs/msg/Image",
            "color/image_raw/compressed": "sensor_msgs/msg/CompressedImage",
            "color/camera_info": "sensor_msgs/msg/CameraInfo",
            "aligned_depth_to_color/image_raw": "sensor_msgs/msg/Image",
            "aligned_depth_to_color/camera_info": "sensor_msgs/msg/CameraInfo",
        }
        assert {topic.frame for topic in mine.values()} == {f"{camera.name}_color_optical_frame"}
        assert {topic.qos for topic in mine.values()} == {IMAGES}
        assert {topic.rate_hz for topic in mine.values()} == {30.0}


def test_each_arm_has_states_targets_and_commands(any_rig: Rig) -> None:
    for arm in any_rig.arms:
        mine = {t.name: t.type for t in topics(any_rig) if t.name.startswith(f"/{arm.name}/")}
        assert mine == {
            f"/{arm.name}/joint_states": "sensor_msgs/msg/JointState",
            f"/{arm.name}/joint_target": "sensor_msgs/msg/JointState",
            f"/{arm.name}/joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
        }


def test_shared_topics_are_those_of_the_design(rig: Rig) -> None:
    own = {camera.name for camera in rig.cameras} | {arm.name for arm in rig.arms}
    own |= {f"{arm.name}_leader" for arm in rig.arms}
    shared = {t.name: t.type.split("/")[-1] for t in topics(rig) if t.name.split("/")[1] not in own}
    assert shared == {
        "/tf": "TFMessage",
        "/tf_static": "TFMessage",
        "/robot_description": "String",
        "/imove/episode": "Episode",
        "/imove/instruction": "String",
        "/imove/objects": "ObjectStates",
        "/imove/stage_events": "StageEvent",
        "/imove/phase": "Phase",
        "/imove/policy_status": "PolicyStatus",
        "/imove/safety_events": "SafetyEvent",
        "/imove/emergency_stop": "Bool",
        "/imove/result": "EpisodeResult",
        "/diagnostics": "DiagnosticArray",
        "/recorder/status": "RecorderStatus",
        "/imove/teleop": "TeleopState",
        "/imove/tracking": "TrackerStatus",
        "/imove/trial": "TrialState",
        "/imove/trial/verdict": "EpisodeResult",
        "/imove/layout_view/compressed": "CompressedImage",
        "/clock": "Clock",
    }
    assert [topic.name for topic in topics(rig) if topic.domain == "sim"] == ["/clock"]
    assert {topic.name for topic in topics(rig) if topic.domain == "real"} == {
        "/imove/tracking",
        "/imove/trial",
        "/imove/trial/verdict",
        "/imove/layout_view/compressed",
        *(f"/{camera.name}/color/image_raw/compressed" for camera in rig.cameras),
    }
    assert {topic.name for topic in topics(rig)} - {topic.name for topic in topics_of(rig, "real")} == {"/clock"}


def test_what_a_late_reader_needs_is_latched_and_nothing_else(rig: Rig) -> None:
    latched = {topic.name for topic in topics(rig) if topic.qos.latched}
    assert latched == {
        "/tf_static",
        "/robot_description",
        "/imove/episode",
        "/imove/instruction",
        "/imove/emergency_stop",
        "/imove/trial",
        "/imove/trial/verdict",
    }
    assert all(topic.rate_hz == 0 for topic in topics(rig) if topic.qos.latched)


def test_a_whole_episode_of_steps_fits_the_queue_and_nothing_is_best_effort(rig: Rig) -> None:
    assert STEPS.depth > 300
    assert find(rig, "/imove/objects").qos == find(rig, "/left/joint_states").qos == STEPS
    assert all(topic.qos.reliable for topic in topics(rig))


def test_qos_is_found_by_name(rig: Rig) -> None:
    assert qos_of(rig, "/imove/episode") == LATCHED == Qos(depth=1, latched=True)
    with pytest.raises(KeyError, match="/imove/episodes"):
        qos_of(rig, "/imove/episodes")


def test_printed_contract_is_plain_data_with_joints_in_order(rig: Rig) -> None:
    printed = topic_contract(rig)
    assert json.loads(json.dumps(printed)) == printed
    assert printed["joints"] == {arm.name: list(arm.joint_names) for arm in rig.arms}
    assert [*printed["joints"]["left"], *printed["joints"]["right"]] == list(rig.joint_names)
    assert len(printed["topics"]) == len(topics(rig))
    assert {item["name"] for item in printed["endpoints"]} == {item.name for item in endpoints(rig)}
