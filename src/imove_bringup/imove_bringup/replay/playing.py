"""Plays the messages of a bag at the pace at which they were recorded, through whatever publishes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from imove_core import contract
from imove_core.bag.messages import JOINT_TRAJECTORY, NS, ns_of, stamp_ns_of
from imove_core.bag.reader import BagMessage, EpisodeBag
from imove_core.errors import ImoveError

Publish = Callable[[str, bytes], None]
"""Sends a serialised message on a topic."""


def in_playing_order(bag: EpisodeBag) -> Iterator[BagMessage]:
    """The messages of a bag: first what is latched from the start, so that nobody sees a scene that it cannot place.

    Raises:
        ImoveError: The bag has no message, or is damaged.
    """
    latched = [topic.name for topic in bag.topics if topic.qos.latched]
    others = bag.messages()
    first = next(others, None)
    if first is None:
        raise ImoveError(f"bag {bag.path} has no message to play")
    begun = [message for message in bag.messages(latched) if message.log_time_ns <= first.log_time_ns]
    yield from begun
    sent = {(message.topic, message.sequence) for message in begun}
    for message in bag.messages():
        if (message.topic, message.sequence) not in sent:
            yield message


@dataclass(frozen=True)
class Pacer:
    """Waits for the time at which a message is due.

    Attributes:
        rate: Recorded seconds a second.
        now_s: A clock that never goes back, s.
        sleep: Waits for so many seconds.
    """

    rate: float
    now_s: Callable[[], float]
    sleep: Callable[[float], None]

    def play(self, bag: EpisodeBag, publish: Publish) -> int:
        """Publishes every message when it is due; returns how many.

        Raises:
            ImoveError: The rate is not positive, or the bag cannot be read.
        """
        if not self.rate > 0:
            raise ImoveError(f"rate is {self.rate:g}; a positive number is needed")
        count, began_s, first_ns = 0, self.now_s(), 0
        for message in in_playing_order(bag):
            first_ns = first_ns or message.log_time_ns
            due_s = began_s + (message.log_time_ns - first_ns) / NS / self.rate
            wait_s = due_s - self.now_s()
            if wait_s > 0:
                self.sleep(wait_s)
            publish(message.topic, message.cdr)
            count += 1
        return count


@dataclass(frozen=True)
class DueCommand:
    """A command for an arm, to be sent again in another episode.

    Attributes:
        topic: Of the arm.
        due_ns: Time after the episode's first stamp at which it was sent.
        stamp_ns: Its own stamp, likewise.
        message: As it was recorded.
    """

    topic: str
    due_ns: int
    stamp_ns: int
    message: Any


class CommandTrack:
    """The commands of a bag, to be stamped for an episode that begins at another time."""

    def __init__(self, bag: EpisodeBag) -> None:
        """Reads the commands.

        Raises:
            ImoveError: The bag has none, or is damaged.
        """
        names = {contract.joint_trajectory_topic(arm.name) for arm in bag.rig().arms}
        topics = [topic.name for topic in bag.topics if topic.name in names]
        self._types = bag.types(topics)
        start_ns = _start_ns(bag)
        self.commands = [
            DueCommand(stored.topic, stored.log_time_ns - start_ns, stamp_ns_of(message) - start_ns, message)
            for stored, message in bag.decoded(topics)
        ]
        if not self.commands:
            raise ImoveError(f"bag {bag.path} has no commands to send")
        last = self.commands[-1]
        self.length_ns = last.stamp_ns + max(ns_of(point.time_from_start) for point in last.message.points)

    def stamped(self, command: DueCommand, start_ns: int) -> bytes:
        """A command, serialised, as it is in an episode that begins at `start_ns`."""
        stamp = command.message.header.stamp
        stamp.sec, stamp.nanosec = divmod(start_ns + command.stamp_ns, NS)
        return self._types.serialize(command.message, JOINT_TRAJECTORY)


def _start_ns(bag: EpisodeBag) -> int:
    """Stamp of the first control step."""
    for _, message in bag.decoded([contract.OBJECTS_TOPIC]):
        return stamp_ns_of(message)
    raise ImoveError(f"bag {bag.path} has no message on {contract.OBJECTS_TOPIC}")
