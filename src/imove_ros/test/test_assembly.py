"""Messages of one stamp put together, whatever order and thread they come in."""

import threading

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message

from imove_core.contract import OBJECTS_TOPIC, joint_states_topic, joint_target_topic
from imove_ros.assembly import KEPT_STATES, StampBuffer, StateAssembler
from imove_ros.conversions import joint_state, object_states

EPISODE = "scene/000/normal"
PERIOD_NS = 33_333_333


class Topics:
    """Hands each message to the callback that is subscribed to its topic."""

    def __init__(self):
        self._callbacks = {}

    def subscribe(self, message_type, topic, callback):
        self._callbacks[topic] = callback

    def deliver(self, topic, message):
        self._callbacks[topic](deserialize_message(serialize_message(message), type(message)))


@pytest.fixture
def topics():
    """Topics without a graph."""
    return Topics()


@pytest.fixture
def received(rig, topics):
    """What an assembler on these topics hands over."""
    states = []
    StateAssembler(topics, rig, lambda *step: states.append(step))
    return states


def targets_at(rig, step):
    """Other targets at every step."""
    return rig.home_positions + step / 7


def messages(rig, state):
    """The messages of a control step, in topic order."""
    parts = [rig.split(values) for values in (state.robot.positions, state.robot.velocities, state.robot.efforts)]
    sent = [
        (
            joint_states_topic(arm.name),
            joint_state(state.stamp_ns, arm.joint_names, *(part[arm.name] for part in parts)),
        )
        for arm in rig.arms
    ]
    targets = rig.split(targets_at(rig, state.step))
    empty = np.zeros(0)
    sent += [
        (joint_target_topic(arm.name), joint_state(state.stamp_ns, arm.joint_names, targets[arm.name], empty, empty))
        for arm in rig.arms
    ]
    return [*sent, (OBJECTS_TOPIC, object_states(state, EPISODE, "world"))]


def assert_equal(one, other):
    assert (one.stamp_ns, one.step) == (other.stamp_ns, other.step)
    for name, values in vars(one.robot).items():
        assert values.tobytes() == getattr(other.robot, name).tobytes()
    for a, b in zip(one.objects, other.objects, strict=True):
        assert np.array_equal(a.position, b.position)
        assert np.array_equal(a.quaternion_xyzw, b.quaternion_xyzw)
        assert (a.id, a.held_by, a.touched_by, a.supported_by) == (b.id, b.held_by, b.touched_by, b.supported_by)


def states_of(make_state, count):
    return [make_state(step, 10**9 + step * PERIOD_NS) for step in range(count)]


def test_state_arrives_bit_for_bit(rig, topics, received, make_state):
    state = make_state(3, 5_000_000_001)
    for item in messages(rig, state):
        assert received == []
        topics.deliver(*item)
    assert received[0][0] == EPISODE
    assert_equal(received[0][1], state)
    assert received[0][2].tobytes() == targets_at(rig, 3).tobytes()


def test_topics_that_lag_keep_the_order_of_steps(rig, topics, received, make_state):
    states = states_of(make_state, 40)
    by_topic = list(zip(*(messages(rig, state) for state in states), strict=True))
    for one_topic in reversed(by_topic):
        for item in one_topic:
            topics.deliver(*item)
    assert len(received) == len(states)
    for (_, got, targets), sent in zip(received, states, strict=True):
        assert_equal(got, sent)
        assert targets.tobytes() == targets_at(rig, sent.step).tobytes()


def test_step_that_is_published_again_is_handed_over_again(rig, topics, received, make_state):
    state = make_state()
    for item in messages(rig, state) * 2:
        topics.deliver(*item)
    assert len(received) == 2
    assert_equal(received[0][1], received[1][1])


def test_incomplete_steps_are_forgotten_in_the_end(rig, topics, received, make_state):
    state = make_state()
    *joints, objects = messages(rig, state)
    for item in joints:
        topics.deliver(*item)
    for step in range(1, KEPT_STATES + 1):
        topics.deliver(*messages(rig, make_state(step, state.stamp_ns + step * PERIOD_NS))[0])
    topics.deliver(*objects)
    assert received == []


def test_buffer_waits_for_every_key():
    buffer = StampBuffer()
    buffer.put("a", 5, "a5")
    assert buffer.wait(5, ["a", "b"], 0.0) is None
    buffer.put("b", 5, "b5")
    assert buffer.wait(5, ["a", "b"], 0.0) == {"a": "a5", "b": "b5"}
    assert buffer.wait(5, [], 0.0) == {"a": "a5", "b": "b5"}
    assert buffer.wait(6, ["a"], 0.0) is None


def test_newest_complete_stamp():
    buffer = StampBuffer()
    for stamp in (1, 2, 3):
        buffer.put("a", stamp, f"a{stamp}")
    for stamp in (1, 2):
        buffer.put("b", stamp, f"b{stamp}")
    assert buffer.newest(["a", "b"], 0.0) == (2, {"a": "a2", "b": "b2"})
    assert buffer.newest(["a"], 0.0, after_ns=2) == (3, {"a": "a3"})
    assert buffer.newest(["a", "b"], 0.0, after_ns=2) is None


def test_oldest_stamps_are_forgotten():
    buffer = StampBuffer(kept=3)
    for stamp in range(5):
        buffer.put("a", stamp, stamp)
    assert [stamp for stamp in range(5) if buffer.wait(stamp, ["a"], 0.0)] == [2, 3, 4]


def test_stamps_of_an_older_simulator_are_not_taken_for_the_present_ones():
    buffer = StampBuffer()
    for stamp in (10, 20, 30):
        buffer.put("a", stamp, "old")
        buffer.put("b", stamp, "old")
    buffer.put("a", 10, "new")
    assert buffer.wait(20, ["a", "b"], 0.0) is None
    assert buffer.newest(["a", "b"], 0.0, after_ns=10) is None
    buffer.put("b", 10, "new")
    assert buffer.newest(["a", "b"], 0.0) == (10, {"a": "new", "b": "new"})


def test_writers_and_a_reader_in_threads():
    count, keys = 2000, ["a", "b", "c"]
    buffer = StampBuffer(kept=count)

    def write(key):
        for stamp in range(count):
            buffer.put(key, stamp, (key, stamp))

    threads = [threading.Thread(target=write, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    found = [buffer.wait(stamp, keys, 30.0) for stamp in range(count)]
    for thread in threads:
        thread.join()
    assert found == [{key: (key, stamp) for key in keys} for stamp in range(count)]


def test_reader_wakes_up_when_the_last_part_comes():
    buffer = StampBuffer()
    buffer.put("a", 7, "a")
    late = threading.Timer(0.05, buffer.put, ("b", 7, "b"))
    late.start()
    assert buffer.newest(["a", "b"], 30.0) == (7, {"a": "a", "b": "b"})
    late.join()
