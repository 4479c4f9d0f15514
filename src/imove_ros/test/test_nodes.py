"""Nodes in a context of their own: parameters, topics of the contract."""

import os
import time

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from imove_core import contract
from imove_core.errors import ImoveError
from imove_ros.conversions import joint_state, positions_of
from imove_ros.parameters import CLOCKS, declare, declare_choice, declare_count
from imove_ros.qos import ContractTopics, profile


@pytest.fixture
def context():
    """A ROS context that hears nothing of the ones beside it."""
    context = Context()
    rclpy.init(context=context, domain_id=1 + os.getpid() % 100)
    yield context
    rclpy.try_shutdown(context=context)


@pytest.fixture
def make_node(context):
    """Makes nodes with parameters from outside."""
    nodes = []

    def make(**parameters):
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        nodes.append(Node(f"node_{len(nodes)}", context=context, parameter_overrides=overrides))
        return nodes[-1]

    yield make
    for node in nodes:
        node.destroy_node()


def test_parameters_that_are_right(make_node):
    node = make_node(rig="franka", seed=3, clock="realtime", image_width=64)
    assert declare(node, "rig", "piperx") == "franka"
    assert declare(node, "seed", 0) == 3
    assert declare(node, "other", 1.5) == 1.5
    assert declare_choice(node, "clock", CLOCKS) == "realtime"
    assert declare_count(node, "image_width", 640, most=4096) == 64


@pytest.mark.parametrize(
    ("default", "given", "said"),
    [
        ("text", 5, "parameter x must be a text: .*'5' of type 'INTEGER', expecting type 'STRING'"),
        (5, "text", "parameter x must be a whole number: .*'text' of type 'STRING', expecting type 'INTEGER'"),
        (5, 5.5, "parameter x must be a whole number: .*'5.5' of type 'DOUBLE'"),
        (1.5, True, "parameter x must be a number: .*'True' of type 'BOOL'"),
    ],
)
def test_parameter_of_another_type(make_node, default, given, said):
    with pytest.raises(ImoveError, match=said) as caught:
        declare(make_node(x=given), "x", default)
    assert "\n" not in str(caught.value)


def test_choice_and_count_out_of_range(make_node):
    with pytest.raises(ImoveError, match="unknown clock 'sundial'; allowed: lockstep, realtime"):
        declare_choice(make_node(clock="sundial"), "clock", CLOCKS)
    for value in (0, -1, 5000):
        with pytest.raises(ImoveError, match=f"parameter image_width is {value}; allowed: 1 to 4096"):
            declare_count(make_node(image_width=value), "image_width", 640, most=4096)


def test_profiles_follow_the_contract(rig):
    for topic in contract.topics(rig):
        made = profile(topic.qos)
        assert made.depth == topic.qos.depth
        assert (made.reliability == ReliabilityPolicy.RELIABLE) == topic.qos.reliable
        assert (made.durability == DurabilityPolicy.TRANSIENT_LOCAL) == topic.qos.latched


def spin_until(context, nodes, done, timeout_s=20.0):
    executor = SingleThreadedExecutor(context=context)
    for node in nodes:
        executor.add_node(node)
    deadline = time.monotonic() + timeout_s
    while not done() and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    assert done()


def test_messages_between_nodes(rig, make_node, context):
    one, other = make_node(), make_node()
    arm, received = rig.arms[0], []
    topic = contract.joint_states_topic(arm.name)
    publisher = ContractTopics(one, rig).publisher(JointState, topic)
    ContractTopics(other, rig).subscribe(JointState, topic, received.append)
    spin_until(context, [one, other], lambda: publisher.get_subscription_count() == 1)
    sent = rig.home_positions[: arm.size]
    publisher.publish(joint_state(1, arm.joint_names, sent, sent, sent))
    spin_until(context, [one, other], lambda: received)
    assert positions_of(received[0], arm).tobytes() == sent.tobytes()


def test_late_reader_gets_what_is_latched(rig, make_node, context):
    one, other = make_node(), make_node()
    received = []
    publisher = ContractTopics(one, rig).publisher(String, contract.INSTRUCTION_TOPIC)
    for text in ("first", "second"):
        publisher.publish(String(data=text))
    ContractTopics(other, rig).subscribe(String, contract.INSTRUCTION_TOPIC, received.append)
    spin_until(context, [one, other], lambda: received)
    assert [message.data for message in received] == ["second"]


def test_topic_outside_the_contract(rig, make_node):
    with pytest.raises(KeyError, match="/nobody"):
        ContractTopics(make_node(), rig).publisher(String, "/nobody")
