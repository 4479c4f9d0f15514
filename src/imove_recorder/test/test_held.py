"""What is held before an episode begins, and latched samples."""

import pytest

from imove_recorder.arrivals import Arrival
from imove_recorder.held import HeldMessages, LatchedSamples


def arrival(topic="/a", size=10, publisher=b"1"):
    return Arrival(topic, bytes([len(topic)]) * size, 0, publisher)


def test_only_what_is_of_the_episode_is_handed_over_in_order_and_once():
    held = HeldMessages(1000)
    sent = [arrival(f"/{number}") for number in range(4)]
    for message, stamp_ns in zip(sent, (5, 20, 10, 9), strict=True):
        held.add(message, stamp_ns)
    assert held.reaches_back_to(0)
    assert list(held.take(10)) == [sent[1], sent[2]]
    assert list(held.take(0)) == []


@pytest.mark.parametrize(("from_ns", "whole"), [(0, False), (1, False), (2, True)])
def test_oldest_go_and_it_is_known_how_far_back_the_rest_reaches(from_ns, whole):
    held = HeldMessages(30)
    for stamp_ns in range(5):
        held.add(arrival(), stamp_ns)
    assert held.reaches_back_to(from_ns) is whole
    assert len(list(held.take(0))) == 3


def test_one_latched_sample_of_each_publisher():
    latched = LatchedSamples()
    assert latched.renew(arrival("/tf_static", publisher=b"1"))
    assert latched.renew(arrival("/tf_static", publisher=b"2"))
    assert not latched.renew(arrival("/tf_static", publisher=b"1"))
    assert [sample.publisher for sample in latched] == [b"2", b"1"]
    assert latched.newest("/tf_static").publisher == b"1"
    assert latched.newest("/other") is None
    assert latched.topics() == {"/tf_static"}
    assert list(latched.copy(without="/tf_static")) == []
