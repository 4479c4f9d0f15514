"""Puts messages of nearly one time together, where every device has stamps of its own, as on the real table."""

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

TOLERANCE_NS = 50_000_000
"""Farthest that a message may be from the time of an observation: one and a half images at 30 Hz."""
# Ten seconds of joint states at 200 Hz: on a busy machine a tracker is seconds behind, and each of its ticks counts.
KEPT = 2000


class ObservationBuffer(Protocol):
    """Messages by stamp and key, from which observations are put together."""

    def put(self, key: str, stamp_ns: int, message: Any) -> None:
        """Stores a message."""
        ...

    def wait(self, stamp_ns: int, keys: Sequence[str], timeout_s: float) -> dict[str, Any] | None:
        """The messages of a stamp, None when they do not come in time."""
        ...

    def newest(self, keys: Sequence[str], timeout_s: float, after_ns: int = -1) -> tuple[int, dict[str, Any]] | None:
        """The newest stamp later than `after_ns` with its messages, None when none comes in time."""
        ...


class NearbyBuffer:
    """For a time, the message of each key that is nearest to it. Safe between threads."""

    def __init__(self, tolerance_ns: int = TOLERANCE_NS) -> None:
        """Starts empty.

        Args:
            tolerance_ns: A message that is farther away than that does not belong to a time.
        """
        self._tolerance_ns = tolerance_ns
        self._messages: dict[str, deque[tuple[int, Any]]] = {}
        self._changed = threading.Condition()

    def put(self, key: str, stamp_ns: int, message: Any) -> None:
        """Stores a message; one that is older than the last of its key is of no use and is left out."""
        with self._changed:
            kept = self._messages.setdefault(key, deque(maxlen=KEPT))
            if not kept or stamp_ns > kept[-1][0]:
                kept.append((stamp_ns, message))
                self._changed.notify_all()

    def wait(self, stamp_ns: int, keys: Sequence[str], timeout_s: float) -> dict[str, Any] | None:
        """The messages nearest to a time, once no later one can be nearer, None when they do not come in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._passed(stamp_ns, keys), timeout_s)
            return self._nearest(stamp_ns, keys)

    def newest(self, keys: Sequence[str], timeout_s: float, after_ns: int = -1) -> tuple[int, dict[str, Any]] | None:
        """The newest time after `after_ns` that every key has reached, with the messages nearest to it.

        None when there is none in time, or a key has nothing near it.
        """

        def find() -> int | None:
            if not all(self._messages.get(key) for key in keys):
                return None
            reached_ns = min(self._messages[key][-1][0] for key in keys)
            return reached_ns if reached_ns > after_ns and self._nearest(reached_ns, keys) is not None else None

        with self._changed:
            self._changed.wait_for(lambda: find() is not None, timeout_s)
            found_ns = find()
            messages = None if found_ns is None else self._nearest(found_ns, keys)
            return None if found_ns is None or messages is None else (found_ns, messages)

    def reached(self, stamp_ns: int, keys: Sequence[str]) -> bool:
        """Whether every key has a message of that time or later."""
        with self._changed:
            return self._passed(stamp_ns, keys)

    def _passed(self, stamp_ns: int, keys: Sequence[str]) -> bool:
        return all(key in self._messages and self._messages[key][-1][0] >= stamp_ns for key in keys)

    def _nearest(self, stamp_ns: int, keys: Sequence[str]) -> dict[str, Any] | None:
        found = {}
        for key in keys:
            kept = self._messages.get(key)
            if not kept:
                return None
            after = bisect_left(kept, stamp_ns, key=lambda item: item[0])
            around = [kept[index] for index in (after - 1, after) if 0 <= index < len(kept)]
            at_ns, message = min(around, key=lambda item: abs(item[0] - stamp_ns))
            if abs(at_ns - stamp_ns) > self._tolerance_ns:
                return None
            found[key] = message
        return found


class TickAssembler:
    """Pairs each control tick of the object tracker with the joints that were nearest to it, in order of the ticks."""

    def __init__(
        self, joint_keys: Sequence[str], on_tick: Callable[[int, Any, dict[str, Any]], None], longest_wait: int = 60
    ) -> None:
        """Calls `on_tick(stamp_ns, objects, joints by key)` from the thread that brings what was missing.

        Args:
            joint_keys: Keys of joint states and targets; each must have something near a tick.
            on_tick: Receives each tick once.
            longest_wait: Ticks that may wait for joints; older ones are given up, which their step count shows.
        """
        self._keys, self._on_tick, self._longest_wait = tuple(joint_keys), on_tick, longest_wait
        self._buffer = NearbyBuffer()
        self._waiting: deque[tuple[int, Any]] = deque()

    def put_joints(self, key: str, stamp_ns: int, message: Any) -> None:
        """Takes a joint state or a joint target."""
        self._buffer.put(key, stamp_ns, message)
        self._hand_over()

    def put_objects(self, stamp_ns: int, message: Any) -> None:
        """Takes the objects of a control tick."""
        self._waiting.append((stamp_ns, message))
        if len(self._waiting) > self._longest_wait:
            self._waiting.popleft()
        self._hand_over()

    def _hand_over(self) -> None:
        while self._waiting:
            stamp_ns, objects = self._waiting[0]
            if not self._buffer.reached(stamp_ns, self._keys):
                return
            self._waiting.popleft()
            # A tick without joints near it is missing for good; its number will tell.
            joints = self._buffer.wait(stamp_ns, self._keys, 0.0)
            if joints is not None:
                self._on_tick(stamp_ns, objects, joints)
