"""The life of a node process: errors in one line, quiet interrupts, an exit status that tells."""

import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Generic, TypeVar

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from imove_core.errors import ImoveError
from imove_ros.promptness import be_prompt

EXIT_USER_ERROR = 2
EXIT_CRASH = 1
EXIT_INTERRUPTED = 130


NodeT = TypeVar("NodeT", bound=Node)


class _Life(Generic[NodeT]):
    """One node from its making to its end, all in one thread, as graphics contexts demand."""

    def __init__(
        self,
        make_node: Callable[[], NodeT],
        make_executor: Callable[[], Executor],
        wind_up: Callable[[NodeT], None],
    ) -> None:
        self._make_node, self._make_executor, self._wind_up = make_node, make_executor, wind_up
        self._node: NodeT | None = None
        self._executor: Executor | None = None
        self._stopping = False
        self.ended = threading.Event()
        self.status = EXIT_CRASH

    def run(self) -> None:
        """Makes the node, spins it until `stop`, and takes it down."""
        try:
            self._node = self._make_node()
            be_prompt()
            self._executor = self._make_executor()
            self._executor.add_node(self._node)
            self._spin(self._executor)
            # Callbacks in other threads come to their end before the node goes.
            self._executor.shutdown()
            self.status = 0
        except ImoveError as error:
            print(f"imove: {error}", file=sys.stderr, flush=True)
            self.status = EXIT_USER_ERROR
        except ExternalShutdownException:
            self.status = 0
        finally:
            if self._node is not None:
                self._node.destroy_node()
            self.ended.set()

    def _spin(self, executor: Executor) -> None:
        try:
            if not self._stopping:
                executor.spin()
        except Exception:
            # rclpy takes away what a callback still uses when another thread ends its executor.
            if not self._stopping:
                raise

    def stop(self) -> None:
        """Lets `run` come to its end."""
        self._stopping = True
        if self._executor is not None and self._node is not None and not self.ended.is_set():
            self._wind_up(self._node)
            self._executor.shutdown(timeout_sec=0)


def run_node(
    make_node: Callable[[], NodeT],
    make_executor: Callable[[], Executor] = SingleThreadedExecutor,
    wind_up: Callable[[NodeT], None] = lambda node: None,
) -> None:
    """Makes a node and spins it until SIGINT or SIGTERM; exits with status 2 when it cannot start.

    Args:
        make_node: Builds the node; an ImoveError of it is printed as one line.
        make_executor: Builds the executor that spins it.
        wind_up: Called when the node is to end and still spins, to bring long callbacks to their end.
    """
    # rclpy's own handlers would invalidate the context while a callback still publishes.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    life = _Life(make_node, make_executor, wind_up)
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


class _Spinner(threading.Thread):
    """Spins a node beside the main thread, and interrupts that one where a callback fails: nobody would answer it."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor
        self.crashed = self.ending = False

    def run(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return
        except Exception:
            if self.ending:
                # rclpy takes away what a callback still uses when another thread ends its executor.
                return
            traceback.print_exc()
            self.crashed = True
            ident = threading.main_thread().ident
            assert ident is not None
            signal.pthread_kill(ident, signal.SIGINT)


def run_work(make_node: Callable[[], NodeT], work: Callable[[NodeT], int]) -> None:
    """Makes a node, does a piece of work with it while another thread spins it, and exits with what came of it.

    Args:
        make_node: Builds the node; an ImoveError of it, or of the work, is printed as one line, with exit status 2.
        work: Returns the exit status; SIGINT and SIGTERM come to it as a KeyboardInterrupt, which ends with 130; so
            does the failure of a callback, which ends with 1.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    executor = SingleThreadedExecutor()
    spinner = _Spinner(executor)
    node, status = None, EXIT_USER_ERROR
    try:
        node = make_node()
        executor.add_node(node)
        spinner.start()
        status = work(node)
    except ImoveError as error:
        print(f"imove: {error}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        status = EXIT_CRASH if spinner.crashed else EXIT_INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        spinner.ending = True
        executor.shutdown()
        if spinner.is_alive():
            spinner.join()
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    sys.exit(status)
