"""No node outlives its supervisor, however that ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

NODES = Path(__file__).parent / "supervisor_nodes"
DEADLINE_S = 20.0

SUPERVISOR = """
import sys
from pathlib import Path
from imove_bringup.escalation import Patience
from imove_bringup.graphs import Graph, NodeDescription
from imove_bringup.supervisor import run_graph
behaviours = [["stop_when_asked"], ["ignore", "SIGINT", "SIGTERM"], ["spawn_and_wait"]]
nodes = tuple(
    NodeDescription("p", "actor.py", f"n{index}", arguments=tuple(behaviour), output="screen")
    for index, behaviour in enumerate(behaviours)
)
graph = Graph("test", nodes, Path(sys.argv[1]))
patience = Patience(sigterm_after_s=0.2, sigkill_after_s=0.2, orphan_grace_s=0.2)
sys.exit(run_graph(graph, find_executable=lambda p, e: Path(sys.argv[2]) / e, patience=patience))
"""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pids):
    deadline = time.monotonic() + DEADLINE_S
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [pid for pid in pids if is_alive(pid)]


@pytest.fixture
def supervisor(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", SUPERVISOR, str(tmp_path / "log"), str(NODES)],
        stdout=subprocess.PIPE,
        text=True,
        # Under nohup the tests ignore a hang-up, and children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    with process:
        yield process
        process.kill()


def pids_when_ready(process, nodes=3):
    pids, ready = [], 0
    for line in process.stdout:
        if "started with pid" in line or "child " in line:
            pids.append(int(line.split()[-1]))
        ready += line.endswith("ready\n")
        if ready == nodes:
            return pids
    raise AssertionError("the supervisor ended before its nodes were ready")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_orphans(supervisor, number):
    pids = pids_when_ready(supervisor)
    assert len(pids) == 4 and all(map(is_alive, pids))
    os.kill(supervisor.pid, number)
    assert wait_until_gone(pids) == []
    expected = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 0, signal.SIGHUP: 129}
    assert supervisor.wait(DEADLINE_S) == expected[number]
