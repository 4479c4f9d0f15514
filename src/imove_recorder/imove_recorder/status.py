"""What a recorder is doing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from imove_core.bag.queue import TopicCounts

IDLE, WAITING, RECORDING = "idle", "waiting", "recording"


@dataclass(frozen=True)
class Tally:
    """What became of the messages of a topic.

    Attributes:
        received: Came in.
        written: Went to the file.
        dropped: Were sent and are not in the bag: lost on the way, or refused by a full queue.
    """

    received: int
    written: int
    dropped: int


@dataclass(frozen=True)
class Status:
    """What a recorder is doing at a moment.

    Attributes:
        state: `idle`, `waiting` for the episode, or `recording`.
        episode_id: "" when idle.
        bag: Folder that the bag gets when it is whole, "" when idle.
        seconds: Of the episode so far.
        free_bytes: On the disk of the bags.
        queue_bytes: Waiting to be written.
        message: Why a recording has failed, "" when all is well.
        topics: By name.
    """

    state: str
    episode_id: str
    bag: str
    seconds: float
    free_bytes: int
    queue_bytes: int
    message: str
    topics: Mapping[str, Tally] = field(default_factory=dict)


def tallies(counts: Mapping[str, TopicCounts], lost: Mapping[str, int]) -> dict[str, Tally]:
    """Tallies of the messages that a queue has counted and of those that never came to it, by topic."""
    return {
        name: Tally(count.received, count.written, count.dropped + lost.get(name, 0)) for name, count in counts.items()
    }
