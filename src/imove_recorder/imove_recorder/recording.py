"""One recording: from the wait for its episode to a bag that is whole, cut, or thrown away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from imove_core import contract
from imove_core.bag.messages import NS
from imove_core.bag.stamps import stamp_of
from imove_core.bag.topics import BagTopic
from imove_core.bag.types import MessageTypes
from imove_core.errors import ImoveError
from imove_recorder.announcement import Announcement, text_of
from imove_recorder.arrivals import Arrival
from imove_recorder.completeness import Completeness
from imove_recorder.held import HeldMessages, LatchedSamples

HELD_BYTES = 128_000_000


class Bag(Protocol):
    """A bag that is being written."""

    @property
    def folder(self) -> Path:
        """Where it is when it is whole."""
        ...

    def put(self, topic: str, cdr: bytes, log_time_ns: int, publish_time_ns: int) -> None:
        """Writes a message, at once or a little later; raises ImoveError when nothing more can be written."""
        ...

    def finish(self, facts: Mapping[str, str], attachments: Mapping[str, str]) -> None:
        """Writes what waits, adds to custom_data, attaches texts by name, and moves the bag into place."""
        ...

    def cut(self, reason: str) -> Path:
        """Closes it as it is, says in it why it is not whole, and leaves it among the unfinished ones."""
        ...

    def discard(self) -> None:
        """Throws it away."""
        ...


BagT = TypeVar("BagT", bound=Bag)


class Recording(Generic[BagT]):
    """Holds what comes until its episode has begun, and writes what belongs to it.

    Attributes:
        announced: The episode, None before it was announced.
        bag: Open once the episode has begun.
        failure: Why nothing more is recorded, "" while all is well.
        lost: By topic, messages of the episode that were sent and never came.
    """

    def __init__(
        self,
        episode_id: str,
        topics: Sequence[BagTopic],
        latched: LatchedSamples,
        completeness: Completeness,
        types: MessageTypes,
        open_bag: Callable[[Announcement, str], BagT],
        *,
        simulated: bool,
        lockstep: bool,
    ) -> None:
        """Waits for the episode.

        Args:
            episode_id: Of the episode; "" for the one that is announced next.
            topics: Of the bag.
            latched: The newest latched samples.
            completeness: Follows what has come.
            types: Message types.
            open_bag: Opens the bag of an episode, with its instruction, when it has begun.
            simulated: Whether stamps are of a simulator; then they are the times in the bag.
            lockstep: Whether a control step may be published twice.
        """
        self.announced: Announcement | None = None
        self.bag: BagT | None = None
        self.failure = ""
        self.lost: dict[str, int] = {}
        self._episode_id = episode_id
        self._topics = {topic.name: topic for topic in topics}
        self._latched = latched.copy()
        self._completeness = completeness
        self._types, self._open_bag = types, open_bag
        self._simulated, self._lockstep = simulated, lockstep
        self._held = HeldMessages(HELD_BYTES)
        for sample in latched:
            if sample.topic == contract.EPISODE_TOPIC:
                self.receive(sample)

    def receive(self, arrival: Arrival) -> None:
        """Takes a message of a topic of the bag; what goes wrong is in `failure` afterwards."""
        if self.failure:
            return
        try:
            self._receive(arrival)
        except ImoveError as error:
            self.failure = str(error)

    @property
    def seconds(self) -> float:
        """Of the episode so far, by its stamps."""
        began_ns = self.announced.stamp_ns if self.announced else 0
        return max(0.0, (self._completeness.now_ns - began_ns) / NS)

    def missing(self) -> tuple[str, ...]:
        """What has not come yet of the episode's end."""
        if self.announced is None:
            return (f"{contract.EPISODE_TOPIC} of {self._episode_id}",)
        return self._completeness.missing()

    def begin(self) -> BagT:
        """The bag, opened now if the episode has only just begun.

        Raises:
            ImoveError: The episode was not announced, or the bag cannot be opened.
        """
        if self.announced is None:
            raise ImoveError(f"episode {self._episode_id} was not announced on {contract.EPISODE_TOPIC}")
        return self.bag or self._open(self.announced)

    def _receive(self, arrival: Arrival) -> None:
        topic = self._topics[arrival.topic]
        if arrival.topic == contract.EPISODE_TOPIC:
            self._announce(arrival)
        elif topic.qos.latched:
            self._renew(arrival)
        else:
            stamp_ns = stamp_of(topic.type, arrival.cdr)
            if stamp_ns is None:
                stamp_ns = self._completeness.now_ns
            if self.bag is None:
                self._held.add(arrival, stamp_ns)
                # Only with the next step is it sure that the latched samples are those of this episode.
                if self.announced is not None and stamp_ns > self.announced.stamp_ns:
                    self._open(self.announced)
            else:
                self._write(self.bag, arrival)

    def _announce(self, arrival: Arrival) -> None:
        announced = Announcement.from_cdr(arrival.cdr, self._types)
        if self.announced is None:
            if self._episode_id not in ("", announced.episode_id):
                return
        elif announced.episode_id != self.announced.episode_id:
            raise ImoveError(f"episode {announced.episode_id} was set up before {self.announced.episode_id} had ended")
        elif self.bag is not None and announced.stamp_ns > self.announced.stamp_ns:
            # It was set up again, and what came of the first time is none of it.
            self.bag.discard()
            self.bag = None
            self.lost.clear()
        self.announced = announced
        self._latched.renew(arrival)

    def _renew(self, arrival: Arrival) -> None:
        if self._latched.renew(arrival) and self.bag is not None:
            self._write_latched(self.bag, arrival, self._completeness.now_ns)

    def _open(self, announced: Announcement) -> BagT:
        if not self._held.reaches_back_to(announced.stamp_ns):
            raise ImoveError(
                f"the beginning of episode {announced.episode_id} was lost: more than {HELD_BYTES / 1e6:.0f} MB came "
                "before it was announced"
            )
        instruction = self._latched.newest(contract.INSTRUCTION_TOPIC)
        text = text_of(instruction.cdr, self._types) if instruction else ""
        self.bag = self._open_bag(announced, text)
        # An episode that was not asked for by its id is one that somebody plays with, for as long as it takes.
        self._completeness.begin(announced.episode_id, announced.spec.horizon_steps if self._episode_id else None)
        for arrival in self._latched:
            self._write_latched(self.bag, arrival, announced.stamp_ns)
        for arrival in self._held.take(announced.stamp_ns):
            self._write(self.bag, arrival)
        return self.bag

    def _write_latched(self, bag: Bag, arrival: Arrival, stamp_ns: int) -> None:
        self._completeness.note(arrival, stamp_ns)
        bag.put(arrival.topic, arrival.cdr, stamp_ns, stamp_ns)

    def _write(self, bag: Bag, arrival: Arrival) -> None:
        assert self.announced is not None
        topic = self._topics[arrival.topic]
        stamp_ns = stamp_of(topic.type, arrival.cdr)
        if stamp_ns is None:
            stamp_ns = self._completeness.now_ns
        if stamp_ns < self.announced.stamp_ns:
            return
        newest_ns = self._completeness.newest_ns(arrival.topic)
        if self._lockstep and self._completeness.is_periodic(arrival.topic) and stamp_ns <= newest_ns:
            return
        if newest_ns >= 0 and arrival.lost:
            self.lost[arrival.topic] = self.lost.get(arrival.topic, 0) + arrival.lost
        if self._completeness.note(arrival, stamp_ns):
            log_time_ns = stamp_ns if self._simulated else arrival.received_ns
            bag.put(arrival.topic, arrival.cdr, log_time_ns, stamp_ns)
