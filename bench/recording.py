"""Records the cameras and joints of a real table in real time: rates, drops, CPU and latency of the recorder node.

    ./imove shell python bench/recording.py [--seconds S] [--colour jpeg|raw] [--out DIR] [--json]

One process, this one, publishes what drivers publish: 640x480 colour and depth of every camera at 30 Hz, joints at
200 Hz, and the rest of the contract; another one is the recorder. Exits with 1 when a message that was sent is not in
the bag.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from imove_interfaces.srv import StartRecording, StopRecording
from PIL import Image
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from imove_bringup.graphs import NodeDescription
from imove_bringup.node_command import node_command, node_environment, parameter_file_text
from imove_core import contract
from imove_core.bag import messages
from imove_core.bag.messages import TypedMessage
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.topics import COMPRESSED_IMAGE
from imove_core.bag.types import MessageTypes, message_types
from imove_core.contract import compressed_topic
from imove_core.rig import Intrinsics, Rig, load_rig
from imove_core.state import RobotState, StepState
from imove_recorder.readiness import wanted_topics
from imove_recorder.settings import RecorderSettings
from imove_recorder.topic_inputs import message_class
from imove_ros.qos import profile
from imove_tasks.suites import open_suite

WIDTH, HEIGHT = 640, 480
CONTROL_HZ, JOINTS_HZ = 30, 200
KEY = "bench/000/normal"
TIMEOUT_S = 60.0
# Of a real sensor at usual light.
COLOUR_NOISE, DEPTH_NOISE_MM, HOLES = 2.0, 3.0, 0.03


@dataclass(frozen=True)
class Report:
    """What came of a recording.

    Attributes:
        colour: `jpeg` or `raw`.
        seconds: Of the episode.
        sent_mb_s: Bytes that were published, MB/s.
        file_mb: Size of the bag's file.
        image_hz: Rate of each colour topic in the bag.
        joints_hz: Rate of each joint state topic in the bag.
        sent: Messages that were published.
        missing: Of these, not in the bag.
        dropped: As the recorder counts.
        lost: Of these, such as never came to it; a full queue refused the others.
        recorder_cpu: Share of one processor.
        publisher_cpu: Likewise, of this process.
        image_ms_p50: From publishing a colour image to the recorder's callback.
        image_ms_p99: Likewise.
        joints_ms_p99: Likewise of joint states.
        finish_s: From the end of the episode to the finished bag.
    """

    colour: str
    seconds: float
    sent_mb_s: float
    file_mb: float
    image_hz: float
    joints_hz: float
    sent: int
    missing: int
    dropped: int
    lost: int
    recorder_cpu: float
    publisher_cpu: float
    image_ms_p50: float
    image_ms_p99: float
    joints_ms_p99: float
    finish_s: float


class Output:
    """A topic, and its message as bytes in which only the stamp changes."""

    def __init__(self, node: Node, types: MessageTypes, topic: Any, typed: TypedMessage, stamp_at: int = 4) -> None:
        """Advertises the topic; `stamp_at` is where the stamp is in the bytes."""
        self.sent = self.bytes = 0
        self._publisher = node.create_publisher(message_class(topic.type), topic.name, profile(topic.qos))
        self._cdr, self._stamp_at = bytearray(types.serialize(typed.message, typed.type)), stamp_at

    def publish(self, stamp_ns: int) -> None:
        """Sends the message with another stamp."""
        struct.pack_into("<iI", self._cdr, self._stamp_at, *divmod(stamp_ns, messages.NS))
        self.publish_as_is()

    def publish_as_is(self) -> None:
        """Sends the message."""
        self._publisher.publish(bytes(self._cdr))
        self.sent += 1
        self.bytes += len(self._cdr)


class Table:
    """Everything that a real table publishes."""

    def __init__(self, node: Node, rig: Rig, colour: str, steps: int) -> None:
        """Advertises every topic; nothing is sent yet."""
        self._rig, self._types, self._node = rig, message_types(), node
        settings = RecorderSettings(rig, Path(), domain="real", clock="realtime", colour=colour)
        topics = {topic.name: topic for topic in wanted_topics(settings)}
        rng = np.random.default_rng(0)
        self.outputs: dict[str, Output] = {}

        def add(name: str, typed: TypedMessage, stamp_at: int = 4) -> None:
            self.outputs[name] = Output(node, self._types, topics[name], typed, stamp_at)

        types, positions = self._types, rig.split(rig.home_positions)
        for arm in rig.arms:
            joints = messages.joint_state(types, 0, arm.joint_names, *[positions[arm.name]] * 3)
            add(contract.joint_states_topic(arm.name), joints)
            add(contract.joint_target_topic(arm.name), joints)
        for camera in rig.cameras:
            name, frame = camera.name, camera.optical_frame
            info = messages.camera_info(
                types, 0, frame, Intrinsics(width=WIDTH, height=HEIGHT, fx=600.0, fy=600.0, cx=320.0, cy=240.0)
            )
            pixels = _colour(rng)
            if colour == "jpeg":
                add(compressed_topic(name), _jpeg(types, frame, pixels))
            else:
                add(contract.color_topic(name), messages.image(types, 0, frame, pixels))
            add(contract.color_info_topic(name), info)
            add(contract.depth_topic(name), messages.image(types, 0, frame, _depth(rng)))
            add(contract.depth_info_topic(name), info)
        tools = [("world", f"{arm.name}_tcp", np.eye(4)) for arm in rig.arms]
        add(contract.TF_TOPIC, messages.tf(types, 0, tools), stamp_at=8)
        add(contract.TF_STATIC_TOPIC, messages.tf(types, 0, tools))
        add(contract.ROBOT_DESCRIPTION_TOPIC, messages.string(types, "<robot/>"))
        self._spec = open_suite("pick_category/seen").first(1)[0].model_copy(update={"horizon_steps": steps})
        self._topics = topics
        # Not in `outputs`: they are made anew for each message.
        self._varying = {
            name: node.create_publisher(message_class(topics[name].type), name, profile(topics[name].qos))
            for name in (
                contract.OBJECTS_TOPIC,
                contract.EPISODE_TOPIC,
                contract.INSTRUCTION_TOPIC,
                contract.RESULT_TOPIC,
            )
        }
        self.varying_sent = dict.fromkeys(self._varying, 0)
        for name in (contract.TF_STATIC_TOPIC, contract.ROBOT_DESCRIPTION_TOPIC):
            self.outputs[name].publish_as_is()

    def _send(self, name: str, typed: TypedMessage) -> None:
        self._varying[name].publish(self._types.serialize(typed.message, typed.type))
        self.varying_sent[name] += 1

    def announce(self, stamp_ns: int) -> None:
        """Sets the episode up."""
        self._send(contract.INSTRUCTION_TOPIC, messages.string(self._types, "pick up the mug"))
        episode = messages.episode(
            self._types,
            stamp_ns,
            episode_id=KEY,
            suite="bench",
            condition="normal",
            rig=self._rig.name,
            spec_json=self._spec.to_json(),
            settled_pose_hash="",
        )
        self._send(contract.EPISODE_TOPIC, episode)

    def publish_joints(self) -> None:
        """One cycle of the arms' drivers."""
        for arm in self._rig.arms:
            self.outputs[contract.joint_states_topic(arm.name)].publish(time.time_ns())

    def publish_step(self, step: int) -> None:
        """One control step: images, targets, transforms, objects."""
        for name, output in self.outputs.items():
            if "/color/" in name or "/aligned_depth" in name or name.endswith("/joint_target") or name == "/tf":
                output.publish(time.time_ns())
        zeros = np.zeros(self._rig.size)
        state = StepState(time.time_ns(), step, RobotState(zeros, zeros, zeros), ())
        self._send(contract.OBJECTS_TOPIC, messages.object_states(self._types, state, KEY, "world"))

    def end(self) -> None:
        """The end of the episode."""
        result = messages.episode_result(
            self._types, time.time_ns(), episode_id=KEY, outcome="completed", record_json="{}"
        )
        self._send(contract.RESULT_TOPIC, result)

    def sent(self) -> dict[str, int]:
        """Messages by topic."""
        return {name: output.sent for name, output in self.outputs.items()} | self.varying_sent


def _colour(rng: np.random.Generator) -> np.ndarray:
    """A smooth picture with a sensor's noise, (H, W, 3) uint8."""
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    smooth = np.stack([rows / 2, columns / 3, (rows + columns) / 5], axis=-1)
    return np.clip(smooth + rng.normal(0, COLOUR_NOISE, smooth.shape), 0, 255).astype(np.uint8)


def _depth(rng: np.random.Generator) -> np.ndarray:
    """A tilted plane with a sensor's noise and holes, (H, W) uint16 mm."""
    rows, _ = np.mgrid[0:HEIGHT, 0:WIDTH]
    depth = 500 + rows + rng.normal(0, DEPTH_NOISE_MM, rows.shape)
    depth[rng.random(depth.shape) < HOLES] = 0
    return depth.astype(np.uint16)


def _jpeg(types: MessageTypes, frame: str, pixels: np.ndarray) -> TypedMessage:
    from io import BytesIO

    file = BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=90)
    header = types.make("std_msgs/msg/Header", stamp=types.make("builtin_interfaces/msg/Time"), frame_id=frame)
    data = np.frombuffer(file.getvalue(), np.uint8)
    return TypedMessage(
        COMPRESSED_IMAGE, types.make(COMPRESSED_IMAGE, header=header, format="rgb8; jpeg compressed bgr8", data=data)
    )


def start_recorder(folder: Path, colour: str) -> subprocess.Popen[bytes]:
    """Starts the recorder node as a process."""
    parameters = {"dataset": str(folder / "bags"), "domain": "real", "clock": "realtime", "colour": colour}
    node = NodeDescription("imove_recorder", "recorder", "recorder", parameters=parameters)
    parameter_file = folder / "recorder.json"
    parameter_file.write_text(parameter_file_text(node))
    return subprocess.Popen(node_command(node, parameter_file), env=node_environment(folder))


def call(node: Node, kind: type, name: str, request: Any, until_ok: bool = False) -> Any:
    """The answer of a service; asks again until the answer is good where `until_ok`."""
    client = node.create_client(kind, name)
    if not client.wait_for_service(timeout_sec=TIMEOUT_S):
        raise SystemExit(f"nobody serves {name}")
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _, done=done: done.set())
        done.wait(TIMEOUT_S)
        response = future.result()
        if response is None or time.monotonic() > deadline or not (response.ok or until_ok):
            raise SystemExit(f"{name}: {response.message if response else 'no answer'}")
        if response.ok:
            return response
        time.sleep(0.2)


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def publish(table: Table, steps: int) -> None:
    """Sends a whole episode at the rates of a real table."""
    began = time.monotonic()
    cycles = joints = 0
    table.announce(time.time_ns())
    while cycles <= steps:
        now = time.monotonic() - began
        if joints / JOINTS_HZ <= now:
            table.publish_joints()
            joints += 1
        if cycles / CONTROL_HZ <= now:
            if cycles == steps:
                # A recording ends with its last control step: what is stamped later is not of the episode.
                table.publish_joints()
            table.publish_step(cycles)
            cycles += 1
        due = began + min(joints / JOINTS_HZ, cycles / CONTROL_HZ)
        time.sleep(max(0.0, due - time.monotonic()))
    table.end()


def latencies_ms(bag: EpisodeBag, topics: Sequence[str]) -> np.ndarray:
    """From publishing to the recorder's callback, of every message of some topics."""
    return np.array([(m.log_time_ns - m.publish_time_ns) / 1e6 for m in bag.messages(topics)])


def measure(seconds: float, colour: str, folder: Path) -> Report:
    """Records an episode and compares the bag with what was sent."""
    rig, steps = load_rig("piperx_dual"), round(seconds * CONTROL_HZ)
    node = Node("table")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(target=executor.spin, daemon=True)
    spinner.start()
    recorder = start_recorder(folder, colour)
    try:
        table = Table(node, rig, colour, steps)
        request = StartRecording.Request(episode_id=KEY, task="bench", number=0)
        call(node, StartRecording, contract.START_RECORDING_SERVICE, request, until_ok=True)
        cpu, own, began = cpu_seconds(recorder.pid), time.process_time(), time.monotonic()
        publish(table, steps)
        lasted = time.monotonic() - began
        shares = (cpu_seconds(recorder.pid) - cpu) / lasted, (time.process_time() - own) / lasted
        ended = time.monotonic()
        response = call(node, StopRecording, contract.STOP_RECORDING_SERVICE, StopRecording.Request(keep=True))
        finish_s = time.monotonic() - ended
    finally:
        recorder.terminate()
        recorder.wait(TIMEOUT_S)
        executor.shutdown()
        spinner.join()
        node.destroy_node()
    return _report(EpisodeBag(Path(response.bag)), table, rig, colour, lasted, shares, response.dropped, finish_s)


def _report(
    bag: EpisodeBag,
    table: Table,
    rig: Rig,
    colour: str,
    lasted_s: float,
    shares: tuple[float, float],
    dropped: int,
    finish_s: float,
) -> Report:
    counts: Mapping[str, int] = bag.message_counts
    sent = table.sent()
    images = [name for name in sent if "/color/image_raw" in name]
    joints = [contract.joint_states_topic(arm.name) for arm in rig.arms]
    image_ms = latencies_ms(bag, images)
    return Report(
        colour=colour,
        seconds=round(lasted_s, 1),
        sent_mb_s=round(sum(output.bytes for output in table.outputs.values()) / 1e6 / lasted_s, 1),
        file_mb=round(sum(path.stat().st_size for path in bag.path.glob("*.mcap")) / 1e6, 1),
        image_hz=round(min(counts[name] for name in images) / lasted_s, 1),
        joints_hz=round(min(counts[name] for name in joints) / lasted_s, 1),
        sent=sum(sent.values()),
        missing=sum(sent.values()) - sum(counts[name] for name in sent),
        dropped=dropped,
        lost=int(bag.custom_data["lost_messages"]),
        recorder_cpu=round(shares[0], 2),
        publisher_cpu=round(shares[1], 2),
        image_ms_p50=round(float(np.percentile(image_ms, 50)), 2),
        image_ms_p99=round(float(np.percentile(image_ms, 99)), 2),
        joints_ms_p99=round(float(np.percentile(latencies_ms(bag, joints), 99)), 2),
        finish_s=round(finish_s, 2),
    )


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--colour", choices=("jpeg", "raw"), default="jpeg")
    parser.add_argument("--out", type=Path, help="folder that keeps the bag; by default it is thrown away")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rclpy.init()
    with tempfile.TemporaryDirectory() as temporary:
        report = measure(given.seconds, given.colour, given.out or Path(temporary))
    rclpy.try_shutdown()
    if given.json:
        print(json.dumps(asdict(report)))
    else:
        for name, value in asdict(report).items():
            print(f"{name:15} {value}")
    return 0 if report.missing == report.dropped == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
