"""Servers that come, go and answer."""

from types import SimpleNamespace

import pytest
from rclpy.task import Future

from imove_ros.presence import LOST_AFTER_S, Presence, same_server, wait_for


class Server:
    """A server at a time of its own."""

    def __init__(self):
        self.ready, self.now_s = True, 100.0

    def presence(self):
        return Presence(lambda: self.ready, lambda: self.now_s)


@pytest.fixture
def server():
    """A server that is there."""
    return Server()


def test_server_that_is_away_for_a_moment_is_not_lost(server):
    presence = server.presence()
    for away_s in (0.5, 1.0, LOST_AFTER_S - 0.01):
        server.ready = False
        assert presence.there()
        server.now_s += away_s
        assert presence.there()
        server.ready = True
        assert presence.there()


def test_server_that_stays_away_is_lost_until_it_comes_back(server):
    presence = server.presence()
    server.ready = False
    server.now_s += LOST_AFTER_S
    assert not presence.there()
    server.ready = True
    assert presence.there()


def test_answer_that_is_there():
    future = Future()
    future.set_result("answer")
    assert wait_for(future, 0.0, lambda: False) == "answer"


def test_no_answer_in_time():
    assert wait_for(Future(), 0.0, lambda: True) is None


def test_server_goes_away_before_it_answers():
    assert wait_for(Future(), 3600.0, lambda: False) is None


class Graph:
    """A view of a topic's publishers."""

    def __init__(self, *gids):
        self.gids = list(gids)

    def get_publishers_info_by_topic(self, topic):
        return [SimpleNamespace(endpoint_gid=gid) for gid in self.gids]


def test_server_started_anew_is_another_one():
    graph, ready = Graph([1, 2]), [True]
    there = same_server(graph, lambda: ready[0], "/topic")
    assert there()
    graph.gids = [[1, 2], [3, 4]]
    assert there()
    graph.gids = [[3, 4]]
    assert not there()
    graph.gids = [[1, 2]]
    ready[0] = False
    assert not there()


def test_server_is_known_from_its_first_publisher_on():
    graph = Graph()
    there = same_server(graph, lambda: True, "/topic")
    assert there()
    graph.gids = [[5]]
    assert there()
    graph.gids = []
    assert not there()
