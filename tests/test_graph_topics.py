"""The sim bridge by itself: what is on its topics, and that images are rendered only for those who look."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from imove_interfaces.msg import Episode, ObjectStates, PolicyStatus
from imove_interfaces.srv import Advance, ResetEpisode
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from imove_core import contract
from imove_core.spec import EpisodeSpec
from imove_core.state import pose_hash
from imove_ros.conversions import joint_trajectory, ns_from_time, objects_from, positions_of, rgb_from
from imove_tasks.suites import open_suite

from .graph_helpers import IMAGE, listener, node_processes, records, small_suite, wait_until

pytestmark = pytest.mark.graph
HORIZON = 60
STATIC, HAND = "static_camera", "left_hand_camera"


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of one short episode."""
    return small_suite(tmp_path_factory.mktemp("suite") / "small.jsonl", 1, HORIZON)


@pytest.fixture(scope="module")
def spec(suite) -> EpisodeSpec:
    """The episode of the suite."""
    return open_suite(str(suite)).specs[0]


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    """A simulator in lockstep, and room for more."""
    with node_processes(tmp_path_factory.mktemp("graph")) as nodes:
        nodes.simulator()
        yield nodes


@pytest.fixture
def ear(nodes):
    """A listener that also asks the simulator."""
    with listener(nodes.domain) as ear:
        yield ear


@pytest.fixture
def reset(ear, spec):
    """Sets up the episode; returns the answer."""

    def ask(condition="normal"):
        request = ResetEpisode.Request(episode_id="episode", spec_json=spec.to_json(), condition=condition)
        return ear.call(ResetEpisode, contract.RESET_EPISODE_SERVICE, request)

    return ask


@pytest.fixture
def advance(ear):
    """Runs control steps; returns the answer."""

    def ask(steps, requester="/somebody", images=False, episode_id="episode", **fields):
        request = Advance.Request(episode_id=episode_id, requester=requester, steps=steps, images=images, **fields)
        return ear.call(Advance, contract.ADVANCE_SERVICE, request)

    return ask


def heard(messages, count, since_ns=0):
    """Waits for so many messages stamped from a time on."""

    def fresh():
        return [message for message in messages if ns_from_time(message.header.stamp) >= since_ns]

    wait_until(lambda: len(fresh()) >= count, lambda: f"{len(fresh())} of {count} messages came")
    return fresh()


@pytest.fixture
def known(ear, reset, advance):
    """Waits until the simulator knows a subscription: until something arrives."""

    def wait(messages):
        def arrived():
            reset()
            advance(1, requester=ear.node.get_fully_qualified_name(), images=True)
            return messages

        wait_until(arrived, lambda: "nothing came on the topic")
        return messages

    return wait


def stamps(messages):
    return [ns_from_time(message.header.stamp) for message in messages]


def test_episode_is_announced_and_its_first_observation_published(ear, reset, known, spec):
    states = known(ear.hear(ObjectStates, contract.OBJECTS_TOPIC))
    answer = reset()
    assert (answer.ok, answer.message) == (True, "")
    start_ns = ns_from_time(answer.stamp)
    first = heard(states, 1, start_ns)[0]
    assert (first.episode_id, first.step, first.header.stamp) == ("episode", 0, answer.stamp)
    assert pose_hash(objects_from(first)) == answer.settled_pose_hash
    episode = heard(ear.hear(Episode, contract.EPISODE_TOPIC), 1)[0]
    assert (episode.episode_id, episode.condition, episode.rig) == ("episode", "normal", ear.rig.name)
    assert (episode.header.stamp, episode.settled_pose_hash) == (answer.stamp, answer.settled_pose_hash)
    assert EpisodeSpec.from_json(episode.spec_json) == spec
    instruction = ear.hear(String, contract.INSTRUCTION_TOPIC)
    wait_until(lambda: instruction, lambda: "no instruction came")
    assert instruction[0].data == spec.instruction("normal").text


def test_condition_and_spec_are_checked(ear, reset, spec):
    assert (reset("loud").ok, reset("loud").message[:24]) == (False, "unknown condition 'loud'")
    request = ResetEpisode.Request(episode_id="episode", spec_json="{}", condition="normal")
    answer = ear.call(ResetEpisode, contract.RESET_EPISODE_SERVICE, request)
    assert (answer.ok, answer.message.startswith("episode spec: ")) == (False, True)


def test_time_moves_only_when_it_is_asked_to(ear, reset, advance, known):
    joints = known(ear.hear(JointState, contract.joint_states_topic("left")))
    start_ns = ns_from_time(reset().stamp)
    answer = advance(4)
    assert (answer.ok, answer.step) == (True, 4)
    assert stamps(heard(joints, 5, start_ns)) == [start_ns + round(step * 1e9 / 30) for step in range(5)]
    assert ns_from_time(answer.stamp) == stamps(joints)[-1]
    answer = advance(0)
    assert (answer.ok, answer.step) == (True, 4)
    assert stamps(heard(joints, 6, start_ns))[-2:] == [ns_from_time(answer.stamp)] * 2


def test_clock_never_goes_back(ear, reset, advance, known):
    clock = known(ear.hear(Clock, contract.CLOCK_TOPIC))
    last_ns = ns_from_time(advance(5).stamp)
    start_ns = ns_from_time(reset().stamp)
    assert start_ns >= last_ns + 10**9
    wait_until(lambda: ns_from_time(clock[-1].clock) == start_ns, lambda: "the clock stands still")
    ticks = [ns_from_time(message.clock) for message in clock]
    assert ticks == sorted(ticks)


def test_commands_are_followed_or_refused(ear, reset, advance, known):
    targets = known(ear.hear(JointState, contract.joint_target_topic("left")))
    arm = ear.rig.arm("left")
    start_ns = ns_from_time(reset().stamp)
    goal = np.array([*arm.home, arm.home_opening_m])
    goal[0] += 0.05
    command = joint_trajectory(arm, start_ns, [200_000_000], goal[None])
    assert advance(10, arms=["left"], commands=[command]).ok
    assert positions_of(heard(targets, 11, start_ns)[-1], arm) == pytest.approx(goal, abs=1e-9)
    command.points[0].positions[2] = float("nan")
    answer = advance(10, arms=["left"], commands=[command])
    assert (answer.ok, answer.step) == (False, 0)
    assert "has nan for joint 'left_joint3'" in answer.message
    answer = advance(5, episode_id="another")
    assert (answer.ok, answer.message) == (False, "advance is for episode 'another'; set up is 'episode'")
    assert advance(1).step == 11


def infos(ear):
    """Intrinsics messages of every camera: each comes with a rendered image."""
    return {camera.name: ear.hear(CameraInfo, contract.color_info_topic(camera.name)) for camera in ear.rig.cameras}


def test_nothing_is_rendered_for_nobody(ear, reset, advance, known):
    rendered = infos(ear)
    colour_topics = [contract.color_topic(camera.name) for camera in ear.rig.cameras]
    wait_until(lambda: not any(map(ear.node.count_subscribers, colour_topics)), lambda: "somebody listens")
    joints = known(ear.hear(JointState, contract.joint_states_topic("left")))
    start_ns = ns_from_time(reset().stamp)
    advance(5, images=True)
    heard(joints, 6, start_ns)
    assert rendered == {camera.name: [] for camera in ear.rig.cameras}


def test_only_the_camera_that_is_looked_at_is_rendered(ear, reset, advance, known):
    rendered = infos(ear)
    images = known(ear.hear(Image, contract.color_topic(HAND)))
    start_ns = ns_from_time(reset().stamp)
    advance(5)
    seen = heard(images, 6, start_ns)
    assert stamps(seen) == [start_ns + round(step * 1e9 / 30) for step in range(6)]
    assert stamps(heard(rendered.pop(HAND), 6, start_ns)) == stamps(seen)
    assert set(map(len, rendered.values())) == {0}
    size = (IMAGE["image_height"], IMAGE["image_width"])
    assert all((image.height, image.width) == size for image in seen)
    assert all(image.header.frame_id == ear.rig.camera(HAND).optical_frame for image in seen)
    assert np.ptp(rgb_from(seen[-1]).astype(int)) > 50


def test_whoever_asks_gets_images_of_the_last_step_and_only_when_it_wants_them(ear, reset, advance, known):
    me = ear.node.get_fully_qualified_name()
    images = known(ear.hear(Image, contract.color_topic(STATIC)))
    start_ns = ns_from_time(reset().stamp)
    assert stamps(heard(images, 1, start_ns)) == [start_ns]
    advance(5, requester=me, images=False)
    end_ns = ns_from_time(advance(5, requester=me, images=True).stamp)
    assert stamps(heard(images, 2, start_ns)) == [start_ns, end_ns]
    assert ns_from_time(advance(0, requester=me, images=True).stamp) == end_ns
    assert stamps(heard(images, 3, start_ns)) == [start_ns, end_ns, end_ns]


def test_intrinsics_and_depth_are_those_of_the_rig(ear, reset, known):
    depths = known(ear.hear(Image, contract.depth_topic(STATIC)))
    infos = known(ear.hear(CameraInfo, contract.depth_info_topic(STATIC)))
    start_ns = ns_from_time(reset().stamp)
    depth, info = heard(depths, 1, start_ns)[0], heard(infos, 1, start_ns)[0]
    camera = ear.rig.camera(STATIC)
    wanted = camera.intrinsics.resized(IMAGE["image_width"], IMAGE["image_height"])
    assert info.k.reshape(3, 3) == pytest.approx(wanted.matrix)
    assert (info.width, info.height, info.header) == (wanted.width, wanted.height, depth.header)
    assert depth.encoding == "16UC1"
    pixels = np.frombuffer(depth.data, np.uint16).reshape(depth.height, depth.width)
    table_mm = 1e3 * camera.parent_from_optical.matrix[2, 3]
    assert np.median(pixels[pixels.shape[0] // 3]) == pytest.approx(table_mm, abs=2)


def test_frames_and_description(ear, known, spec):
    moving, fixed = known(ear.hear(TFMessage, "/tf")), ear.hear(TFMessage, "/tf_static")
    wait_until(lambda: fixed, lambda: "no static frames came")
    names = {frame.child_frame_id for frame in moving[-1].transforms}
    assert {f"{arm.name}_tcp" for arm in ear.rig.arms} <= names
    assert {item.id for item in spec.objects} <= names
    fixed_names = {frame.child_frame_id for frame in fixed[0].transforms}
    assert ear.rig.camera(STATIC).optical_frame in fixed_names
    assert not names & fixed_names
    description = ear.hear(String, contract.ROBOT_DESCRIPTION_TOPIC)
    wait_until(lambda: description, lambda: "no description came")
    joints = {joint.get("name") for joint in ElementTree.fromstring(description[0].data).iter("joint")}
    assert {name for arm in ear.rig.arms for name in arm.joint_names[:-1]} <= joints


def test_policy_sees_its_own_step_and_a_passive_listener_every_step(nodes, ear, suite, tmp_path):
    topic, images, status = contract.color_topic(STATIC), [], []
    ear.node.create_subscription(Image, topic, images.append, QoSProfile(depth=2 * HORIZON))
    ear.topics.subscribe(PolicyStatus, contract.POLICY_STATUS_TOPIC, status.append)
    wait_until(lambda: ear.node.count_publishers(topic), lambda: f"nobody publishes {topic}")
    nodes.policy("salient_object")
    run = nodes.evaluator(suite, tmp_path / "run", policy="salient_object", episodes=1)
    assert (run.wait(), run.err) == (0, "")
    record = records(tmp_path / "run")[0]
    assert (record["prompt_verified"], record["inferences"]) == (True, HORIZON // 15)
    start_ns = stamps(heard(ear.hear(Episode, contract.EPISODE_TOPIC), 1))[0]
    every_step = [start_ns + round(step * 1e9 / 30) for step in range(HORIZON + 1)]
    assert sorted(set(stamps(heard(images, HORIZON + 1, start_ns)))) == every_step
    wait_until(lambda: status and status[-1].step == HORIZON - 15, lambda: "the last question was not announced")
    assert all(stamp == every_step[message.step] for stamp, message in zip(stamps(status), status, strict=True))
    assert {message.prompt for message in status} == {record["prompt_sent"]}
