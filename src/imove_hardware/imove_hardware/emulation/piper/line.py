"""One CAN line: the arms that are wired to it, and what gets lost on the way."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Sequence

from numpy.random import Generator

from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import LineFaults
from imove_hardware.emulation.piper.frames import Frame


class Line:
    """Passes frames between the arms of one channel and to its hosts.

    A leader and a follower on one line are the vendor's own wiring: what the leader streams moves the follower, and
    the hosts see both. Faults may be set from any thread.

    Attributes:
        channel: Name of the channel.
        arms: The arms that are wired to it.
    """

    def __init__(self, channel: str, arms: Sequence[EmulatedPiper], rng: Generator) -> None:
        """Wires arms to a channel.

        Args:
            channel: Its name.
            arms: One arm, or a leader and its follower.
            rng: Draws lost frames and jitter.
        """
        self.channel = channel
        self.arms = tuple(arms)
        self._rng = rng
        self._faults = LineFaults()
        self._lock = threading.Lock()
        self._late: list[tuple[float, int, Frame]] = []
        self._order = itertools.count()

    @property
    def faults(self) -> LineFaults:
        """The faults in force."""
        return self._faults

    @faults.setter
    def faults(self, faults: LineFaults) -> None:
        with self._lock:
            self._faults = faults

    @property
    def next_s(self) -> float:
        """When something is due on this line."""
        late_s = self._late[0][0] if self._late else float("inf")
        return min(late_s, *(arm.next_s for arm in self.arms))

    def from_host(self, frame: Frame, now_s: float) -> list[Frame]:
        """Hands a host's frame to the arms and returns what hosts see of their answers."""
        faults = self._faults
        if faults.cut or faults.unplugged or self._is_lost(faults):
            return []
        return self._to_hosts([answer for arm in self.arms for answer in arm.receive(frame, now_s)], now_s)

    def advance(self, now_s: float) -> list[Frame]:
        """Moves the arms on to `now_s` and returns what hosts see."""
        sent: list[Frame] = []
        for arm in self.arms:
            said = arm.advance(now_s)
            sent += said
            for other in self.arms:
                if other is not arm and arm.leading:
                    for frame in said:
                        sent += other.receive(frame, now_s, from_leader=True)
        return self._to_hosts(sent, now_s)

    def _is_lost(self, faults: LineFaults) -> bool:
        return faults.loss > 0.0 and bool(self._rng.random() < faults.loss)

    def _to_hosts(self, said: list[Frame], now_s: float) -> list[Frame]:
        faults = self._faults
        if faults.cut or faults.unplugged:
            self._late.clear()
            return []
        said = [frame for frame in said if not self._is_lost(faults)] if faults.loss > 0.0 else said
        if not self._late and faults.delay_s == 0.0 and faults.jitter_s == 0.0:
            return said
        for frame in said:
            late_s = faults.delay_s + faults.jitter_s * float(self._rng.random())
            heapq.heappush(self._late, (now_s + late_s, next(self._order), frame))
        ready: list[Frame] = []
        while self._late and self._late[0][0] <= now_s:
            ready.append(heapq.heappop(self._late)[2])
        return ready
