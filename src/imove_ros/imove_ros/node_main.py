"""The life of a node process: errors in one line, quiet interrupts, an exit status that tells."""

import signal
import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from imove_core.errors import ImoveError

EXIT_USER_ERROR = 2


def run_node(make_node: Callable[[], Node], make_executor: Callable[[], Executor] = SingleThreadedExecutor) -> None:
    """Makes a node and spins it until SIGINT or SIGTERM; exits with status 2 when it cannot start.

    Args:
        make_node: Builds the node; an ImoveError of it is printed as one line.
        make_executor: Builds the executor that spins it.
    """
    # Own handlers: rclpy's would invalidate the context while a callback still publishes.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    node = None
    status = 0
    try:
        node = make_node()
        executor = make_executor()
        executor.add_node(node)
        executor.spin()
    except ImoveError as error:
        print(f"imove: {error}", file=sys.stderr, flush=True)
        status = EXIT_USER_ERROR
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    sys.exit(status)
