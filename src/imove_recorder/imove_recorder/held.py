"""Messages that came before anybody knew when their episode begins, and latched samples, which stay true."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from imove_recorder.arrivals import Arrival


class HeldMessages:
    """The newest messages, at most so many bytes of them, in order of arrival."""

    def __init__(self, capacity_bytes: int) -> None:
        """Holds nothing yet."""
        self._capacity_bytes = capacity_bytes
        self._held: deque[tuple[Arrival, int]] = deque()
        self._bytes = 0
        self._newest_gone_ns = -1

    def add(self, arrival: Arrival, stamp_ns: int) -> None:
        """Holds a message; the oldest ones go where there is no more room."""
        self._held.append((arrival, stamp_ns))
        self._bytes += len(arrival.cdr)
        while self._bytes > self._capacity_bytes:
            gone, gone_ns = self._held.popleft()
            self._bytes -= len(gone.cdr)
            self._newest_gone_ns = max(self._newest_gone_ns, gone_ns)

    def reaches_back_to(self, stamp_ns: int) -> bool:
        """Whether no message of that stamp, or of a later one, had to go."""
        return self._newest_gone_ns < stamp_ns

    def take(self, from_ns: int) -> Iterator[Arrival]:
        """Hands over the messages of that stamp or later and forgets all."""
        while self._held:
            arrival, stamp_ns = self._held.popleft()
            if stamp_ns >= from_ns:
                yield arrival
        self._bytes = 0

    def clear(self) -> None:
        """Forgets all."""
        self._held.clear()
        self._bytes = 0
        self._newest_gone_ns = -1


class LatchedSamples:
    """The newest sample of each publisher of each latched topic, in order of arrival."""

    def __init__(self, samples: Iterable[Arrival] = ()) -> None:
        """Begins with some."""
        self._samples = {(sample.topic, sample.publisher): sample for sample in samples}

    def renew(self, sample: Arrival) -> bool:
        """Replaces what the same publisher said before; returns whether that was something else."""
        key = (sample.topic, sample.publisher)
        before = self._samples.pop(key, None)
        self._samples[key] = sample
        return before is None or before.cdr != sample.cdr

    def newest(self, topic: str) -> Arrival | None:
        """The sample of a topic that came last, None where none came."""
        return next((sample for sample in reversed(self._samples.values()) if sample.topic == topic), None)

    def topics(self) -> frozenset[str]:
        """Names of topics of which a sample came."""
        return frozenset(topic for topic, _ in self._samples)

    def copy(self, without: str = "") -> LatchedSamples:
        """The same samples, but for those of one topic."""
        return LatchedSamples(sample for sample in self if sample.topic != without)

    def __iter__(self) -> Iterator[Arrival]:
        """The samples."""
        return iter(self._samples.values())
