"""Stamps of messages that are not decoded, and messages that never came."""

import numpy as np
import pytest

from imove_core.bag import messages
from imove_core.bag.stamps import stamp_of
from imove_recorder.arrivals import LossCounter

STAMP_NS = 12_345_678_901_234_567


def test_stamp_of_everything_that_has_one(scene, types, rig):
    for number in (0, 3):
        for arrival in scene.step(number):
            kind = next(t.type for t in _topics(rig) if t.name == arrival.topic)
            message = types.deserialize(arrival.cdr, kind)
            if kind == messages.CLOCK:
                expected = messages.ns_of(message.clock)
            elif kind == messages.TF:
                expected = messages.stamp_ns_of(message.transforms[0])
            else:
                expected = messages.stamp_ns_of(message)
            assert stamp_of(kind, arrival.cdr) == expected


def _topics(rig):
    from imove_core import contract

    return contract.topics(rig)


def test_text_and_empty_transforms_have_no_stamp(types):
    for typed in (messages.string(types, "pick up the mug"), messages.tf(types, STAMP_NS, [])):
        assert stamp_of(typed.type, types.serialize(typed.message, typed.type)) is None


def test_big_endian_message(types):
    typed = messages.clock(types, STAMP_NS)
    cdr = types.serialize(typed.message, typed.type)
    words = np.frombuffer(cdr, "<u4", offset=4).astype(">u4").tobytes()
    assert stamp_of(typed.type, b"\x00\x00\x00\x00" + words) == STAMP_NS


@pytest.mark.parametrize(
    ("numbers", "lost"),
    [((7, 8, 9), [0, 0, 0]), ((7, 9, 10, 14), [0, 1, 0, 3]), ((7, 7, 6, 8), [0, 0, 0, 0])],
)
def test_gaps_are_losses(numbers, lost):
    counter = LossCounter()
    assert [counter.lost("/tf", b"one", number) for number in numbers] == lost


def test_publishers_and_topics_count_by_themselves():
    counter = LossCounter()
    assert [counter.lost(topic, who, n) for topic, who, n in (("/a", b"1", 5), ("/a", b"2", 9), ("/b", b"1", 50))] == [
        0,
        0,
        0,
    ]
    assert counter.lost("/a", b"1", 7) == 1
