"""Whether the other side of a service is still there, and waiting for it no longer than that."""

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.task import Future

POLL_S = 0.2
LOST_AFTER_S = 2.0
SIMULATOR_LOST = "simulator lost"
"""What a policy node answers when the simulator went away in an episode; evaluators tell it from other failures."""


def same_server(node: Node, ready: Callable[[], bool], topic: str) -> Callable[[], bool]:
    """Asks whether the server that is there now is still there.

    A server that was killed and started anew answers again, but knows nothing of what the first one was asked.

    Args:
        node: Whose view of the graph counts.
        ready: Whether any server is there.
        topic: One that the server publishes; its publishers tell servers apart.
    """
    first: set[bytes] = set()

    def there() -> bool:
        now = {bytes(info.endpoint_gid) for info in node.get_publishers_info_by_topic(topic)}
        if not first:
            first.update(now)
        return ready() and not (first and first.isdisjoint(now))

    there()
    return there


class Presence:
    """Whether a server is there; one that is away for a moment is not yet lost."""

    def __init__(self, ready: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        """Counts from now.

        Args:
            ready: Asks whether the server is there at this moment.
            clock: Seconds since whenever.
        """
        self._ready, self._clock = ready, clock
        self._seen = clock()

    def there(self) -> bool:
        """False when the server has been away at every call of the last two seconds."""
        now = self._clock()
        if self._ready():
            self._seen = now
        return now - self._seen < LOST_AFTER_S


def wait_for(future: Future, timeout_s: float, there: Callable[[], bool]) -> Any:
    """Waits in a thread that is not the executor's.

    Args:
        future: Of a call.
        timeout_s: Longest wait.
        there: Whether the server that is to answer is still there.

    Returns:
        The result, None when it does not come in time or the server goes away.
    """
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    deadline = time.monotonic() + timeout_s
    while not done.wait(POLL_S):
        if time.monotonic() > deadline or not there():
            return None
    return future.result()
