"""The life of a node process: errors in one line, quiet interrupts, an exit status that tells."""

import signal
import sys
import threading
from collections.abc import Callable

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from imove_core.errors import ImoveError

EXIT_USER_ERROR = 2
EXIT_CRASH = 1


class _Life:
    """One node from its making to its end, all in one thread, as graphics contexts demand."""

    def __init__(self, make_node: Callable[[], Node], make_executor: Callable[[], Executor]) -> None:
        self._make_node, self._make_executor = make_node, make_executor
        self._executor: Executor | None = None
        self._stopping = False
        self.ended = threading.Event()
        self.status = EXIT_CRASH

    def run(self) -> None:
        """Makes the node, spins it until `stop`, and takes it down."""
        node = None
        try:
            node = self._make_node()
            self._executor = self._make_executor()
            self._executor.add_node(node)
            if not self._stopping:
                self._executor.spin()
            self.status = 0
        except ImoveError as error:
            print(f"imove: {error}", file=sys.stderr, flush=True)
            self.status = EXIT_USER_ERROR
        except ExternalShutdownException:
            self.status = 0
        finally:
            if node is not None:
                node.destroy_node()
            self.ended.set()

    def stop(self) -> None:
        """Lets `run` come to its end."""
        self._stopping = True
        if self._executor is not None:
            self._executor.shutdown(timeout_sec=0)


def run_node(make_node: Callable[[], Node], make_executor: Callable[[], Executor] = SingleThreadedExecutor) -> None:
    """Makes a node and spins it until SIGINT or SIGTERM; exits with status 2 when it cannot start.

    Args:
        make_node: Builds the node; an ImoveError of it is printed as one line.
        make_executor: Builds the executor that spins it.
    """
    # rclpy's own handlers would invalidate the context while a callback still publishes.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    life = _Life(make_node, make_executor)
    interrupted = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: interrupted.set())
    # A blocked executor does not see signals; the main thread does while it waits.
    thread = threading.Thread(target=life.run)
    thread.start()
    while not interrupted.wait(0.1) and not life.ended.is_set():
        pass
    life.stop()
    thread.join()
    rclpy.try_shutdown()
    sys.exit(life.status)
