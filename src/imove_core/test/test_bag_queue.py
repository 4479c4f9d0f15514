"""The queue in front of a bag writer."""

import threading
import time

import pytest

from imove_core.bag.errors import BagError
from imove_core.bag.queue import QueuedWriter, TopicCounts
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.recover import recover
from imove_core.bag.topics import BagTopic
from imove_core.bag.verify import verify
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.contract import Qos

TEXT = "std_msgs/msg/String"
TOPICS = (BagTopic("/fast", TEXT, Qos(3)), BagTopic("/slow", TEXT, Qos(3)))


class HeldWriter(BagWriter):
    """A writer whose disk waits until it is let go."""

    def __init__(self, *arguments):
        self.may_write = threading.Event()
        super().__init__(*arguments)

    def write(self, *arguments):
        assert self.may_write.wait(10)
        super().write(*arguments)


def make(kind, folder, types, **settings):
    return kind(folder, TOPICS, WriterSettings("none", **{"reserve_bytes": 0, **settings}), {}, "", types)


def cdr_of(types, size):
    return types.serialize(types.make(TEXT, data="x" * size), TEXT)


def test_everything_is_written_and_counted(tmp_path, types):
    queued = QueuedWriter(make(BagWriter, tmp_path / "bag", types), ["/fast", "/slow"])
    assert queued.counts()["/slow"] == TopicCounts(0, 0, 0, 0)
    cdr = cdr_of(types, 1000)
    for number in range(500):
        assert queued.put("/fast", cdr, number, number)
    assert queued.put("/slow", cdr, 500, 400)
    queued.attach("labels.json", b"{}", "application/json")
    summary = queued.finish({"success": "true"})
    assert summary.message_counts == {"/fast": 500, "/slow": 1}
    assert queued.counts()["/fast"] == TopicCounts(500, 500, 0, 500 * len(cdr))
    bag = EpisodeBag(tmp_path / "bag")
    assert bag.custom_data == {"success": "true", "dropped_messages": "0"}
    assert [message.publish_time_ns for message in bag.messages(["/slow"])] == [400]
    assert bag.attachments == {"labels.json": b"{}"}
    assert queued.waiting_bytes == 0
    with pytest.raises(BagError, match="bag bag is closed; nothing can be added to it"):
        queued.put("/fast", cdr, 0, 0)


def test_full_queue_drops_and_counts_and_leaves_a_gap(tmp_path, types):
    writer = make(HeldWriter, tmp_path / "bag", types)
    cdr = cdr_of(types, 1000)
    queued = QueuedWriter(writer, capacity_bytes=3 * len(cdr))
    taken = [queued.put("/fast", cdr, number, number) for number in range(5)]
    assert taken == [True, True, True, False, False]
    assert queued.counts()["/fast"] == TopicCounts(5, 0, 2, 0)
    writer.may_write.set()
    while queued.waiting_bytes:
        time.sleep(0.001)
    assert queued.put("/fast", cdr, 5, 5)
    queued.finish({})
    bag = EpisodeBag(tmp_path / "bag")
    assert [message.sequence for message in bag.messages()] == [0, 1, 2, 5]
    assert bag.custom_data["dropped_messages"] == "2"
    assert "/fast: 2 messages were dropped (message 3)" in verify(tmp_path / "bag")


def test_message_larger_than_the_queue_passes_alone(tmp_path, types):
    queued = QueuedWriter(make(BagWriter, tmp_path / "bag", types), capacity_bytes=10)
    assert queued.put("/fast", cdr_of(types, 1000), 0, 0)
    assert queued.finish({}).message_counts["/fast"] == 1


def test_a_full_disk_is_raised_at_the_next_call(tmp_path, types):
    queued = QueuedWriter(make(BagWriter, tmp_path / "bag", types, reserve_bytes=1 << 60, flush_s=0))
    queued.put("/fast", cdr_of(types, 10), 0, 0)
    for _ in range(10_000):
        try:
            queued.check()
        except BagError:
            break
        time.sleep(0.001)
    for call in (queued.check, lambda: queued.put("/fast", b"", 1, 1), lambda: queued.finish({})):
        with pytest.raises(BagError, match="recording of bag stopped: the disk has"):
            call()
    assert EpisodeBag(tmp_path / ".partial" / "bag").message_counts["/fast"] == 1


def test_unknown_topic_is_raised_at_the_end(tmp_path, types):
    queued = QueuedWriter(make(BagWriter, tmp_path / "bag", types))
    queued.put("/other", b"", 0, 0)
    with pytest.raises(BagError, match="bag bag has no topic '/other'; allowed: /fast, /slow"):
        queued.finish({})


def test_discarding_throws_away_what_waits(tmp_path, types):
    writer = make(HeldWriter, tmp_path / "bag", types)
    queued = QueuedWriter(writer)
    for number in range(5):
        queued.put("/fast", cdr_of(types, 10), number, number)
    timer = threading.Timer(0.05, writer.may_write.set)
    timer.start()
    queued.discard()
    timer.join()
    assert list(tmp_path.iterdir()) == []


def test_idle_queue_flushes_a_slow_topic(tmp_path, types):
    writer = make(BagWriter, tmp_path / "bag", types, flush_s=0.05)
    queued = QueuedWriter(writer)
    queued.put("/slow", cdr_of(types, 10), 0, 0)
    before = writer.bytes_written
    for _ in range(10_000):
        if writer.bytes_written > before:
            break
        time.sleep(0.001)
    assert recover(writer.partial_folder, tmp_path / "saved").messages == 1
    queued.discard()


def test_cut_recording_is_a_valid_unfinished_bag(tmp_path, types):
    queued = QueuedWriter(make(BagWriter, tmp_path / "bag", types))
    queued.put("/fast", cdr_of(types, 10), 0, 0)
    assert queued.cut("the operator stopped it") == tmp_path / ".partial" / "bag"
    bag = EpisodeBag(tmp_path / ".partial" / "bag")
    assert bag.message_counts["/fast"] == 1
    assert bag.custom_data["incomplete"] == "the operator stopped it"
