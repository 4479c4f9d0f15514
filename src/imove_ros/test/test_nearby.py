"""Messages of devices with clocks of their own, put together by time."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_ros.nearby import TOLERANCE_NS, NearbyBuffer, TickAssembler

MS = 1_000_000
KEYS = ("camera", "joints")


@pytest.fixture
def buffer():
    """A buffer with images at 30 Hz and joints at 200 Hz, a few ms apart."""
    buffer = NearbyBuffer()
    for number in range(10):
        buffer.put("camera", 7 * MS + number * 33 * MS, f"image {number}")
    for number in range(70):
        buffer.put("joints", number * 5 * MS, f"joints {number}")
    return buffer


def test_newest_observation_is_of_the_time_that_all_have_reached(buffer):
    stamp_ns, messages = buffer.newest(KEYS, 0.0)
    assert stamp_ns == (7 + 9 * 33) * MS
    assert messages == {"camera": "image 9", "joints": "joints 61"}


def test_nothing_older_than_asked_for_is_handed_over(buffer):
    assert buffer.newest(KEYS, 0.0, after_ns=(7 + 9 * 33) * MS) is None
    buffer.put("camera", 340 * MS, "image 10")
    assert buffer.newest(KEYS, 0.0, after_ns=(7 + 9 * 33) * MS)[1]["camera"] == "image 10"


def test_camera_that_stands_still_makes_no_observation(buffer):
    last_image_ns = (7 + 9 * 33) * MS
    for number in range(70, 100):
        buffer.put("joints", number * 5 * MS, f"joints {number}")
    # The time that all have reached stays that of the last image: nobody takes it for the present.
    assert buffer.newest(KEYS, 0.0, after_ns=last_image_ns) is None


def test_joints_that_stopped_long_before_an_image_do_not_belong_to_it():
    buffer = NearbyBuffer()
    buffer.put("joints", 0, "old")
    buffer.put("camera", TOLERANCE_NS + 1, "image")
    assert buffer.wait(TOLERANCE_NS + 1, KEYS, 0.0) is None
    assert buffer.wait(TOLERANCE_NS, ["joints"], 0.0) == {"joints": "old"}


def test_message_that_goes_back_in_time_is_left_out(buffer):
    buffer.put("joints", 3, "late")
    assert buffer.wait(3, ["joints"], 0.0) == {"joints": "joints 0"}


def test_waiting_ends_when_the_last_message_comes():
    buffer = NearbyBuffer()
    buffer.put("camera", 100 * MS, "image")
    sender = threading.Timer(0.05, buffer.put, ("joints", 101 * MS, "joints"))
    sender.start()
    assert buffer.wait(100 * MS, KEYS, 30.0) == {"camera": "image", "joints": "joints"}
    assert buffer.newest(KEYS, 0.0) == (100 * MS, {"camera": "image", "joints": "joints"})
    sender.join()


@given(st.lists(st.integers(0, 400 * MS), min_size=1, max_size=40), st.integers(0, 400 * MS))
def test_what_is_handed_over_is_the_nearest(stamps, stamp_ns):
    buffer = NearbyBuffer(tolerance_ns=10**9)
    for at_ns in sorted(set(stamps)):
        buffer.put("joints", at_ns, at_ns)
    found = buffer.wait(stamp_ns, ["joints"], 0.0)["joints"]
    assert abs(found - stamp_ns) == min(abs(at_ns - stamp_ns) for at_ns in stamps)


def ticks_of(arrivals):
    """What comes out when ticks and joints arrive in this order."""
    heard = []
    assembler = TickAssembler(["left", "right"], lambda stamp_ns, objects, joints: heard.append((objects, joints)))
    for key, stamp_ns in arrivals:
        if key == "objects":
            assembler.put_objects(stamp_ns, stamp_ns)
        else:
            assembler.put_joints(key, stamp_ns, stamp_ns)
    return heard


def test_tick_waits_for_the_joints_of_every_arm():
    before = [("left", 98 * MS), ("right", 97 * MS), ("objects", 100 * MS), ("left", 103 * MS)]
    assert ticks_of(before) == []
    assert ticks_of([*before, ("right", 102 * MS)]) == [(100 * MS, {"left": 98 * MS, "right": 102 * MS})]


def test_ticks_come_in_their_order_and_each_once():
    arrivals = [("objects", number * 33 * MS) for number in range(1, 6)]
    arrivals += [(arm, number * 5 * MS) for number in range(40) for arm in ("left", "right")]
    heard = ticks_of(arrivals)
    assert [objects for objects, _ in heard] == [number * 33 * MS for number in range(1, 6)]
    assert all(abs(stamp_ns - objects) <= 2.5 * MS for objects, joints in heard for stamp_ns in joints.values())


def test_tick_whose_joints_are_missing_is_left_out_and_the_next_is_not():
    arrivals = [("objects", 100 * MS), ("objects", 200 * MS)]
    arrivals += [(arm, 199 * MS) for arm in ("left", "right")] + [(arm, 204 * MS) for arm in ("left", "right")]
    assert [objects for objects, _ in ticks_of(arrivals)] == [200 * MS]
