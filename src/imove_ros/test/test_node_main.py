"""The life of node processes, in processes of their own."""

import subprocess
import sys

WORK = """
import threading
from rclpy.node import Node
from imove_ros.node_main import run_work

class Failing(Node):
    def __init__(self):
        super().__init__("failing")
        self.create_timer(0.01, self.fail)

    def fail(self):
        raise ZeroDivisionError("in a callback")

def work(node):
    threading.Event().wait()

run_work(Failing, work)
"""


def test_work_does_not_wait_for_a_node_whose_callback_failed():
    ended = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "ZeroDivisionError: in a callback" in ended.stderr
    assert ended.stderr.count("Traceback") == 1
