"""The executor that takes messages where it spins, with real publishers, services and clients."""

import threading
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from imove_ros.listening_executor import ListeningExecutor

DEADLINE_S = 60.0


@pytest.fixture
def spun() -> Iterator[tuple[Node, ListeningExecutor, list[BaseException]]]:
    """A node that is spun by another thread, its executor, and what that thread raised."""
    rclpy.init(domain_id=97)
    node, executor, raised = Node("listening"), ListeningExecutor(2), []
    executor.add_node(node)

    def spin() -> None:
        try:
            executor.spin()
        except ZeroDivisionError as error:
            raised.append(error)

    thread = threading.Thread(target=spin)
    thread.start()
    yield node, executor, raised
    executor.shutdown()
    thread.join(DEADLINE_S)
    node.destroy_node()
    rclpy.try_shutdown()
    assert not thread.is_alive()


def test_messages_and_answers_arrive_while_callbacks_of_services_wait_for_them(spun):
    node, _, _ = spun
    group = ReentrantCallbackGroup()
    came, threads = threading.Event(), []

    def hear(message: String) -> None:
        threads.append(threading.get_ident())
        came.set()

    def inner(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = True
        return response

    def outer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        publisher.publish(String(data="now"))
        answered = threading.Event()
        future = ask_inner.call_async(Trigger.Request())
        future.add_done_callback(lambda _: answered.set())
        response.success = came.wait(DEADLINE_S) and answered.wait(DEADLINE_S) and future.result().success
        threads.append(threading.get_ident())
        return response

    node.create_subscription(String, "heard", hear, 10, callback_group=group)
    node.create_service(Trigger, "inner", inner, callback_group=group)
    node.create_service(Trigger, "outer", outer, callback_group=group)
    publisher = node.create_publisher(String, "heard", 10)
    ask_inner = node.create_client(Trigger, "inner", callback_group=group)
    ask_outer = node.create_client(Trigger, "outer", callback_group=group)
    assert ask_inner.wait_for_service(DEADLINE_S) and ask_outer.wait_for_service(DEADLINE_S)
    for _ in range(20):
        came.clear()
        answered = threading.Event()
        future = ask_outer.call_async(Trigger.Request())
        future.add_done_callback(lambda _, answered=answered: answered.set())
        assert answered.wait(DEADLINE_S) and future.result().success
    heard_in, served_in = set(threads[::2]), set(threads[1::2])
    assert len(heard_in) == 1 and heard_in.isdisjoint(served_in)


@pytest.mark.parametrize("where", ["subscription", "service"])
def test_what_a_callback_raises_ends_the_spinning(spun, where):
    node, executor, raised = spun
    publisher = node.create_publisher(String, "heard", 10)
    client = node.create_client(Trigger, "served")

    def fail(*_: object) -> None:
        raise ZeroDivisionError(where)

    if where == "subscription":
        node.create_subscription(String, "heard", fail, 10)
    node.create_service(Trigger, "served", fail)
    assert client.wait_for_service(DEADLINE_S)
    tries = threading.Event()
    for _ in range(int(DEADLINE_S / 0.05)):
        publisher.publish(String(data="now"))
        if where == "service":
            client.call_async(Trigger.Request())
        if raised or tries.wait(0.05):
            break
    assert str(raised[0]) == where
    executor.shutdown()
