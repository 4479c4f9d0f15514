"""Watches the graph that runs, for `imove contract --live`."""

import os
import threading
import time

from imove_bringup.transport import transport_defaults
from imove_core.contract import CLOCK_TOPIC
from imove_core.graph_record import GraphRecord
from imove_core.rig import Rig

# Discovery takes a moment.
MEET_S = 2.0


def watch(rig: Rig, seconds: float) -> GraphRecord:
    """What is published of a rig's contract in this ROS domain.

    Args:
        rig: Whose contract.
        seconds: How long to listen.

    Returns:
        What was seen; it is taken for a simulation where somebody publishes a clock.
    """
    # As the nodes of a launched graph have it; read when the first node of a process is made.
    os.environ.update(transport_defaults(os.environ))
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from rclpy.signals import SignalHandlerOptions

    from imove_ros.graph_observer import GraphObserver

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = Node("contract_watch")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(target=executor.spin)
    spinner.start()
    try:
        time.sleep(MEET_S)
        domain = "sim" if node.count_publishers(CLOCK_TOPIC) else "real"
        observer = GraphObserver(node, rig, domain)
        observer.listen()
        time.sleep(seconds)
        return observer.record()
    finally:
        executor.shutdown()
        spinner.join()
        node.destroy_node()
        rclpy.try_shutdown()
