"""Subscriptions that are read by hand, with real publishers in one process."""

import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from imove_core.contract import joint_states_topic
from imove_ros.by_hand import Batches, Newest
from imove_ros.qos import ContractTopics

DEADLINE_S = 60.0


@pytest.fixture
def node() -> Iterator[Node]:
    """A node in a graph of its own."""
    rclpy.init(domain_id=96)
    node = Node("by_hand")
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


def wait_for(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def sent(number: int) -> JointState:
    message = JointState(name=[str(number)])
    message.header.stamp.sec = number
    return message


def test_newest_needs_no_executor_and_forgets_what_came_before(node):
    topic = "/left/joint_states"
    newest = Newest(node, JointState, topic)
    assert newest.get() is None
    publisher = node.create_publisher(JointState, topic, 10)
    wait_for(lambda: publisher.get_subscription_count() == 1)
    for number in (1, 2, 3):
        publisher.publish(sent(number))
    wait_for(lambda: newest.get() is not None and newest.get().name == ["3"])
    assert newest.get().name == ["3"]


def test_batches_hand_over_every_message_in_order_and_wake_the_executor_seldom(node, rig):
    topics, topic = ContractTopics(node, rig), joint_states_topic(rig.arms[0].name)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    numbers: list[int] = []
    Batches(node, 20.0).subscribe(topics, JointState, topic, lambda message: numbers.append(int(message.name[0])))
    publisher = topics.publisher(JointState, topic)
    wait_for(lambda: publisher.get_subscription_count() == 1)
    for number in range(300):
        publisher.publish(sent(number))
    wakes, deadline = 0, time.monotonic() + DEADLINE_S
    while len(numbers) < 300 and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=1.0)
        wakes += 1
    executor.shutdown()
    assert numbers == list(range(300))
    assert wakes < 100
