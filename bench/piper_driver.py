"""What a PiPER driver does: rate and jitter of its joint states, its CPU share, the time from a command to its frame.

    python bench/piper_driver.py [--arms N] [--seconds S] [--light] [--json]

Needs ROS (`./imove shell`), and a ROS domain that nothing else of imove is in (`ROS_DOMAIN_ID`). Emulated arms serve
their CAN lines from one process; each arm has a driver in a process of its own. Jitter is the spread of intervals
between time stamps, which are those of the arrival of CAN frames, and between arrivals here. Latency is from the
publication of a command to the first joint frame that differs, stamped by the emulator's server.
"""

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import Any

import can
import numpy as np
import rclpy
import yaml
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from imove_bringup.domain_lock import hold_domain
from imove_core import contract
from imove_core.rig import load_rig
from imove_ros.conversions import joint_trajectory, ns_from_time
from imove_ros.qos import ContractTopics

NAMES = ("left", "right")
JOINTS_12 = 0x155
NS = 1_000_000_000
COMMANDS = 60
JOINTS_ONLY = np.array([1.0] * 6 + [0.0])


def rig_file(folder: Path, port: int) -> str:
    """The dual PiPER X with its arms on the emulator."""
    content = yaml.safe_load((resources.files("imove_description") / "rigs" / "piperx_dual.yaml").read_text())
    content["hardware"] = {"arms": {name: {"bus": f"socketcand:127.0.0.1:{port}/{name}"} for name in NAMES}}
    path = folder / "emulated.yaml"
    path.write_text(yaml.safe_dump(content))
    return str(path)


def started(stack: ExitStack, function: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """A process of one of the workspace's programs, ended at the end."""
    module = f"from {function.rpartition('.')[0]} import main; main()"
    process = subprocess.Popen([sys.executable, "-c", module, *arguments], text=True, **options)

    def end() -> None:
        process.send_signal(signal.SIGINT)
        process.wait(10)

    stack.callback(end)
    return process


def cpu_s(process: subprocess.Popen[str]) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread_ms(times_ns: list[int]) -> dict[str, float]:
    """Intervals in ms: their median, the 1st and 99th percentile, the longest."""
    intervals = np.diff(times_ns) / 1e6
    low, median, high = np.percentile(intervals, [1, 50, 99])
    return {"median": median, "p1": low, "p99": high, "longest": float(intervals.max())}


def latencies_ms(port: int, publish: Any, row: np.ndarray) -> list[float]:
    """From each of some commands to the first joint frame that differs from the one before it."""
    seen: list[tuple[float, bytes]] = []
    with can.Bus(interface="socketcand", channel="left", host="127.0.0.1", port=port, tcp_tune=True) as bus:
        bus.set_filters([{"can_id": JOINTS_12, "can_mask": 0x7FF}])
        notifier = can.Notifier(bus, [lambda message: seen.append((message.timestamp, bytes(message.data)))])
        found = []
        for number in range(COMMANDS):
            time.sleep(0.5)
            before = seen[-1][1] if seen else b""
            begun_s, count = time.time(), len(seen)
            publish(row + JOINTS_ONLY * (0.05 if number % 2 else 0.0))
            time.sleep(0.2)
            changed = [stamp_s for stamp_s, data in seen[count:] if data != before]
            if changed:
                found.append(1000.0 * (changed[0] - begun_s))
        notifier.stop()
    return found


def main() -> None:
    """Runs it and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=1, choices=(1, 2))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--light", action="store_true", help="arms that tell their joints at full rate and little else")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    # It tells of each frame that comes in two parts.
    logging.getLogger("can").setLevel(logging.CRITICAL)
    with hold_domain(os.environ), ExitStack() as stack:
        print(json.dumps(measure(stack, given)) if given.json else table(measure(stack, given)))


def measure(stack: ExitStack, given: argparse.Namespace) -> dict[str, Any]:
    """All figures of one run."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    light = ["--light"] if given.light else []
    emulator = started(stack, "imove_hardware.emulation.piper.server.main", *NAMES, *light, stdout=subprocess.PIPE)
    port = json.loads(emulator.stdout.readline())["port"]
    rig = load_rig(rig_file(folder, port))
    parameters = [f"rig:={folder / 'emulated.yaml'}", "bus_silence_s:=2.0"]
    drivers = [
        started(
            stack,
            "imove_hardware.piper.node.main",
            *("--ros-args", *(word for text in [*parameters, f"arm:={name}"] for word in ("-p", text))),
        )
        for name in NAMES[: given.arms]
    ]
    rclpy.init()
    stack.callback(rclpy.try_shutdown)
    node = Node("bench")
    topics = ContractTopics(node, rig)
    arrived: list[tuple[int, int]] = []
    topics.subscribe(
        JointState,
        contract.joint_states_topic("left"),
        lambda message: arrived.append((time.monotonic_ns(), ns_from_time(message.header.stamp))),
    )
    targets: list[Any] = []
    topics.subscribe(JointState, contract.joint_target_topic("left"), targets.append)
    commands = {
        name: topics.publisher(JointTrajectory, contract.joint_trajectory_topic(name)) for name in NAMES[: given.arms]
    }
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(target=executor.spin, daemon=True)
    spinner.start()
    stack.callback(executor.shutdown)
    while not targets:
        time.sleep(0.1)

    def publish(row: np.ndarray) -> None:
        for name, publisher in commands.items():
            publisher.publish(joint_trajectory(rig.arm(name), time.time_ns(), [NS // 10], row[None]))

    row = rig.arm("left").home_positions - 0.02
    publish(row)
    time.sleep(2.0)
    shares = {}
    for what in ("moving", "holding"):
        arrived.clear()
        begun, before = time.monotonic(), [cpu_s(driver) for driver in drivers]
        while time.monotonic() - begun < given.seconds:
            if what == "moving":
                publish(row + JOINTS_ONLY * 0.02 * np.sin(3.0 * time.monotonic()))
            time.sleep(1.0 / 30.0)
        passed = time.monotonic() - begun
        shares[what] = [(cpu_s(driver) - used) / passed for driver, used in zip(drivers, before, strict=True)]
    kept = list(arrived)
    stamps, arrivals = [stamp for _, stamp in kept], [arrival for arrival, _ in kept]
    late = latencies_ms(port, publish, row)
    return {
        "arms": given.arms,
        "joint_states_hz": (len(kept) - 1) * NS / (arrivals[-1] - arrivals[0]),
        "stamp_interval_ms": spread_ms(stamps),
        "arrival_interval_ms": spread_ms(arrivals),
        "driver_cpu_share": shares,
        "command_to_frame_ms": {
            "n": len(late),
            "median": float(np.median(late)),
            "p99": float(np.percentile(late, 99)),
            "longest": max(late),
        },
    }


def table(found: dict[str, Any]) -> str:
    """The figures for people."""
    lines = []
    for name, value in found.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {np.round(each, 2).tolist()}" for key, each in value.items())
        lines.append(f"{name:22} {value if isinstance(value, str) else round(value, 2)}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
