"""Ends what takes too long, and nothing else."""

import threading
import time

from imove_policy_node.wire.deadline import Deadline


def test_block_that_is_left_in_time_is_not_ended():
    deadline, ended = Deadline(), []
    for _ in range(3):
        with deadline.within(0.05, lambda: ended.append(1)):
            pass
    time.sleep(0.15)
    assert ended == []
    deadline.close()


def test_block_that_takes_too_long_is_ended_once():
    deadline, ended = Deadline(), threading.Event()
    calls = []

    def end():
        calls.append(1)
        ended.set()

    with deadline.within(0.02, end):
        assert ended.wait(30.0)
        time.sleep(0.1)
    assert calls == [1]
    deadline.close()


def test_shorter_block_after_a_long_one_is_ended_at_its_own_time():
    deadline, ended = Deadline(), threading.Event()
    with deadline.within(3600.0, ended.set):
        pass
    with deadline.within(0.02, ended.set):
        assert ended.wait(30.0)
    deadline.close()


def test_one_thread_serves_all_blocks_and_close_ends_it():
    deadline = Deadline()

    def threads():
        return [thread for thread in threading.enumerate() if thread.name == "deadline"]

    for _ in range(5):
        with deadline.within(60.0, lambda: None):
            assert len(threads()) == 1
    deadline.close()
    assert threads() == []
    with deadline.within(60.0, lambda: None):
        assert len(threads()) == 1
    deadline.close()
