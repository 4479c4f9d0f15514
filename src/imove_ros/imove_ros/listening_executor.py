"""An executor that takes messages in its own thread, and runs what may take long in others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rclpy.client import Client
from rclpy.executors import (
    ConditionReachedException,
    Executor,
    ExternalShutdownException,
    ShutdownException,
    TimeoutException,
)
from rclpy.subscription import Subscription


class ListeningExecutor(Executor):
    """Messages and answers of services are taken where it spins, so subscriptions must not block; the rest has a pool.

    rclpy's MultiThreadedExecutor hands each message to another thread. With images of three cameras and joint states
    that is some hundred changes of thread a second, each of which has to get the interpreter's lock while an answer of
    a policy waits for it.
    """

    def __init__(self, num_threads: int) -> None:
        """Has so many threads beside the one that spins: one for each callback that waits for messages."""
        super().__init__()
        self._pool = ThreadPoolExecutor(num_threads)
        self._running: list[Any] = []

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Waits for one callback and runs it, or has it run; raises what a callback raised."""
        try:
            handler, entity, _ = self.wait_for_ready_callbacks(timeout_sec)
        except (ExternalShutdownException, ShutdownException, TimeoutException, ConditionReachedException):
            return
        if isinstance(entity, Subscription | Client):
            handler()
            handler.result()
            return
        self._pool.submit(handler)
        self._running.append(handler)
        done = [task for task in self._running if task.done()]
        self._running = [task for task in self._running if not task.done()]
        for task in done:
            task.result()

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Ends `spin`, then waits for the callbacks that run."""
        ended = bool(super().shutdown(timeout_sec))
        self._pool.shutdown()
        return ended
